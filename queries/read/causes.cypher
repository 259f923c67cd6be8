// One hop along the arrows: the causes of some memories.
// :param namespace => 'main'
// :param ids => ['1']
RETURN COLLECT {
  MATCH (a:Memory)-[r:CAUSED_BY]->(b:Memory)
  WHERE a.namespace = $namespace AND a.id IN $ids AND b.namespace = $namespace
  WITH a.id AS from_id, b.id AS to_id, r ORDER BY from_id, to_id
  RETURN {kind: type(r), from_id: from_id, to_id: to_id, edge: r {.*, recorded_at: toStringOrNull(r.recorded_at)}}
} AS rows
