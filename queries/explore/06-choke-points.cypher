// 06 Choke points between roots and latest failures
// :param namespace => 'main'
// :param since => datetime() - duration('P30D')
// :param limit => 10
// columns: ref, title, chains, roots, failures
MATCH (f:Failure)
WHERE f.namespace = $namespace AND f.occurred_at >= $since
WITH f ORDER BY f.namespace DESC, f.occurred_at DESC, f.id DESC LIMIT 100
CALL (f) {
  MATCH (f) (()-[r:CAUSED_BY WHERE r.active]->()){1,6} (m:Experience)
  WITH DISTINCT f, m
  WHERE m <> f AND EXISTS { (m)-[r:CAUSED_BY WHERE r.active]->() }
  RETURN m
}
WITH m, count(f) AS failures
ORDER BY failures DESC, m.id LIMIT 200
CALL (m) {
  MATCH (m) (()-[r:CAUSED_BY WHERE r.active]->()){1,6} (x:Memory)
  WITH DISTINCT x
  WHERE NOT EXISTS { (x)-[r:CAUSED_BY WHERE r.active]->() }
  RETURN count(x) AS roots
}
RETURN m.ref AS ref, m.title AS title, roots * failures AS chains, roots, failures
ORDER BY chains DESC, failures DESC, m.id LIMIT $limit
