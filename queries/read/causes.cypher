// One hop along the arrows: the causes of some memories.
// :param namespace => 'main'
// :param ids => ['1']
MATCH (a:Memory)-[r:CAUSED_BY]->(b:Memory)
WHERE a.namespace = $namespace AND a.id IN $ids AND b.namespace = $namespace
RETURN type(r) AS kind, a.id AS from_id, b.id AS to_id,
  r {.*, recorded_at: toStringOrNull(r.recorded_at)} AS edge
ORDER BY from_id, to_id
