// 09 Common cause of two failures, nearest first
// :param namespace => 'main'
// :param ref => 'E-1'
// :param other => 'E-2'
// :param limit => 10
// columns: ref, kind, title, hops, nearest
UNWIND [$ref, $other] AS name
MATCH p = (f:Memory {namespace: $namespace, ref: name}) (()-[r:CAUSED_BY WHERE r.active]->()){1,6} (x:Memory)
WHERE NOT x.ref IN [$ref, $other]
WITH name, x, min(length(p)) AS hops
WITH x, collect(hops) AS hops
WHERE size(hops) = 2
WITH x, hops ORDER BY hops[0] + hops[1], x.id LIMIT 200
WITH collect({cause: x, hops: hops}) AS found, collect(x) AS shared
UNWIND found AS one
WITH one.cause AS x, one.hops AS hops, shared
WITH x, hops, NOT EXISTS { (x)<-[r:CAUSED_BY WHERE r.active]-(y) WHERE y IN shared } AS nearest
RETURN x.ref AS ref, x.kind AS kind, x.title AS title, hops, nearest
ORDER BY nearest DESC, hops[0] + hops[1], ref LIMIT $limit
