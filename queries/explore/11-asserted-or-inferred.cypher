// 11 Asserted or inferred? What would vanish
// :param namespace => 'main'
// :param ref => 'E-1'
// :param limit => 20
// columns: effect, cause, title, confidence, vanishes
MATCH (f:Memory {namespace: $namespace, ref: $ref})
CALL (f) {
  MATCH p = (f) (()-[r:CAUSED_BY WHERE r.active]->()){1,6} (x:Memory)
  WITH x, min(length(p)) AS hops ORDER BY hops, x.id LIMIT 1000
  RETURN collect(x) AS reached
}
CALL (f) {
  MATCH p = (f) (()-[r:CAUSED_BY WHERE r.active AND r.grade <> 'INFERRED']->()){1,6} (x:Memory)
  WITH x, min(length(p)) AS hops ORDER BY hops, x.id LIMIT 1000
  RETURN collect(x) AS certain
}
UNWIND [f] + reached AS effect
MATCH (effect)-[r:CAUSED_BY WHERE r.active AND r.grade = 'INFERRED']->(cause)
WHERE cause IN reached
WITH DISTINCT effect, r, cause, NOT cause IN certain AS vanishes
RETURN effect.ref AS effect, cause.ref AS cause, cause.title AS title, r.confidence AS confidence, vanishes
ORDER BY vanishes DESC, confidence, effect, cause LIMIT $limit
