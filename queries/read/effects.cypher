// One hop against the arrows: what some memories caused.
// :param namespace => 'main'
// :param ids => ['1']
MATCH (a:Memory)-[r:CAUSED_BY]->(b:Memory)
WHERE b.namespace = $namespace AND b.id IN $ids AND a.namespace = $namespace
RETURN type(r) AS kind, a.id AS from_id, b.id AS to_id,
  r {.*, recorded_at: toStringOrNull(r.recorded_at)} AS edge
ORDER BY to_id, from_id
