// 04 Top root causes of the 200 latest incidents
// :param namespace => 'main'
// :param since => datetime() - duration('P30D')
// :param limit => 10
// columns: root, kind, title, incidents, tasks
MATCH (f:Failure)
WHERE f.namespace = $namespace AND f.occurred_at >= $since
WITH f ORDER BY f.namespace DESC, f.occurred_at DESC, f.id DESC
WHERE NOT EXISTS { (f)<-[r:CAUSED_BY WHERE r.active]-(:Failure) }
WITH f LIMIT 200
CALL (f) {
  MATCH (f) (()-[r:CAUSED_BY WHERE r.active]->()){1,6} (x:Memory)
  WITH DISTINCT x
  WHERE NOT EXISTS { (x)-[r:CAUSED_BY WHERE r.active]->() }
  RETURN x
}
RETURN x.ref AS root, x.kind AS kind, x.title AS title,
       count(f) AS incidents, count(DISTINCT f.episode) AS tasks
ORDER BY incidents DESC, root LIMIT $limit
