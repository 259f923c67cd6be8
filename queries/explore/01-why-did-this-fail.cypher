// 01 Why did this fail? Its nearest causes as a graph
// :param namespace => 'main'
// :param ref => 'E-1'
// columns: effect, edge, cause
MATCH (f:Memory {namespace: $namespace, ref: $ref})
OPTIONAL MATCH p = (f) (()-[r:CAUSED_BY WHERE r.active]->()){1,6} (x:Memory)
WITH f, x, min(length(p)) AS hops
ORDER BY hops, x.id LIMIT 60
WITH f, collect(x) AS causes
UNWIND [f] + causes AS effect
MATCH (effect)-[edge:CAUSED_BY WHERE edge.active]->(cause)
WHERE cause = f OR cause IN causes
RETURN DISTINCT effect, edge, cause
