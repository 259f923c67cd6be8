// One hop against the arrows: what some memories caused.
// :param namespace => 'main'
// :param ids => ['1']
RETURN COLLECT {
  MATCH (a:Memory)-[r:CAUSED_BY]->(b:Memory)
  WHERE b.namespace = $namespace AND b.id IN $ids AND a.namespace = $namespace
  WITH a.id AS from_id, b.id AS to_id, r ORDER BY to_id, from_id
  RETURN {kind: type(r), from_id: from_id, to_id: to_id, edge: r {.*, recorded_at: toStringOrNull(r.recorded_at)}}
} AS rows
