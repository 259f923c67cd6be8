// A page of the edges of some kinds that touch some memories at their 'to' end, oldest first.
// :param namespace => 'main'
// :param kinds => ['CAUSED_BY', 'GENERALIZES', 'SUPERSEDES']
// :param to_ids => ['1']
// :param after_at => datetime('2026-01-01T00:00:00Z')
// :param after_from => ''
// :param after_to => ''
// :param limit => 101
MATCH (a:Memory)-[r:CAUSED_BY|GENERALIZES|SUPERSEDES]->(b:Memory)
WHERE b.namespace = $namespace AND b.id IN $to_ids AND r.namespace = $namespace AND type(r) IN $kinds
  AND (r.recorded_at > $after_at
    OR (r.recorded_at = $after_at AND (a.id > $after_from OR (a.id = $after_from AND b.id > $after_to))))
RETURN type(r) AS kind, toString(r.recorded_at) AS at, a.id AS from_id, b.id AS to_id,
  r {.*, recorded_at: toStringOrNull(r.recorded_at)} AS edge
ORDER BY r.recorded_at, from_id, to_id LIMIT $limit
