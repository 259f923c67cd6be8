// A page of all edges of some kinds, oldest first; each part walks its own index of times.
// :param namespace => 'main'
// :param kinds => ['CAUSED_BY', 'GENERALIZES', 'SUPERSEDES']
// :param after_at => datetime('2026-01-01T00:00:00Z')
// :param after_from => ''
// :param after_to => ''
// :param limit => 101
CALL () {
  MATCH (a:Memory)-[r:CAUSED_BY]->(b:Memory)
  USING INDEX r:CAUSED_BY(namespace, recorded_at)
  WHERE 'CAUSED_BY' IN $kinds AND r.namespace = $namespace AND r.recorded_at >= $after_at
    AND NOT (r.recorded_at = $after_at AND (a.id < $after_from OR (a.id = $after_from AND b.id <= $after_to)))
  RETURN r, a.id AS from_id, b.id AS to_id ORDER BY r.namespace, r.recorded_at, from_id, to_id LIMIT $limit
  UNION ALL
  MATCH (a:Memory)-[r:GENERALIZES]->(b:Memory)
  USING INDEX r:GENERALIZES(namespace, recorded_at)
  WHERE 'GENERALIZES' IN $kinds AND r.namespace = $namespace AND r.recorded_at >= $after_at
    AND NOT (r.recorded_at = $after_at AND (a.id < $after_from OR (a.id = $after_from AND b.id <= $after_to)))
  RETURN r, a.id AS from_id, b.id AS to_id ORDER BY r.namespace, r.recorded_at, from_id, to_id LIMIT $limit
  UNION ALL
  MATCH (a:Memory)-[r:SUPERSEDES]->(b:Memory)
  USING INDEX r:SUPERSEDES(namespace, recorded_at)
  WHERE 'SUPERSEDES' IN $kinds AND r.namespace = $namespace AND r.recorded_at >= $after_at
    AND NOT (r.recorded_at = $after_at AND (a.id < $after_from OR (a.id = $after_from AND b.id <= $after_to)))
  RETURN r, a.id AS from_id, b.id AS to_id ORDER BY r.namespace, r.recorded_at, from_id, to_id LIMIT $limit
}
RETURN type(r) AS kind, toString(r.recorded_at) AS at, from_id, to_id,
  r {.*, recorded_at: toStringOrNull(r.recorded_at)} AS edge
ORDER BY r.recorded_at, from_id, to_id LIMIT $limit
