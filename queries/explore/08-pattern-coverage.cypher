// 08 Pattern coverage: held, missed, came back
// :param namespace => 'main'
// :param since => datetime() - duration('P30D')
// :param limit => 10
// columns: what, ref, title, failures
CALL () {
  MATCH (p:Pattern)
  WHERE p.namespace = $namespace
  RETURN 'largest patterns' AS what, p.ref AS ref, p.title AS title, p.frequency AS failures
  ORDER BY failures DESC, ref LIMIT $limit
  UNION ALL
  MATCH (f:Failure)
  WHERE f.namespace = $namespace AND f.occurred_at >= $since
  WITH f ORDER BY f.namespace DESC, f.occurred_at DESC LIMIT 5000
  WHERE NOT EXISTS { (f)<-[:GENERALIZES]-(:Pattern) }
  RETURN 'failures without a pattern' AS what, null AS ref, null AS title, count(*) AS failures
  UNION ALL
  MATCH (f:Failure)
  WHERE f.namespace = $namespace AND f.occurred_at >= $since
  WITH f ORDER BY f.namespace DESC, f.occurred_at DESC LIMIT 5000
  MATCH (s:Strategy)-[:GENERALIZES]->(p:Pattern)-[:GENERALIZES]->(f)
  WHERE f.occurred_at > s.occurred_at
  RETURN 'failed after a strategy' AS what, p.ref AS ref, p.title AS title, count(DISTINCT f) AS failures
  ORDER BY failures DESC, ref LIMIT $limit
}
RETURN what, ref, title, failures
