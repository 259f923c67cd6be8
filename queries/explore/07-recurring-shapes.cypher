// 07 Recurring shapes: the same three errors in a row
// :param namespace => 'main'
// :param since => datetime() - duration('P30D')
// :param limit => 10
// columns: shape, tasks, chains, latest
MATCH (f:Failure)
WHERE f.namespace = $namespace AND f.occurred_at >= $since
WITH f ORDER BY f.namespace DESC, f.occurred_at DESC, f.id DESC LIMIT 2000
MATCH (f)-[a:CAUSED_BY WHERE a.active]->(g:Failure)-[b:CAUSED_BY WHERE b.active]->(h:Failure)
WHERE h <> f AND g <> f AND h <> g
WITH f, [f.error_type, g.error_type, h.error_type] AS shape
ORDER BY f.occurred_at DESC, f.id DESC
WITH shape, count(DISTINCT f.episode) AS tasks, count(*) AS chains, collect(DISTINCT f.ref)[0..3] AS latest
WHERE tasks >= 3
RETURN shape, tasks, chains, latest
ORDER BY tasks DESC, chains DESC, shape LIMIT $limit
