// 03 Blast radius: failures that followed, by distance
// :param namespace => 'main'
// :param ref => 'E-1'
// columns: hops, failures, tasks, nearest
MATCH p = (c:Memory {namespace: $namespace, ref: $ref}) (()<-[r:CAUSED_BY WHERE r.active]-()){1,4} (x:Failure)
WHERE x <> c
WITH x, min(length(p)) AS hops
ORDER BY hops, x.occurred_at, x.id
RETURN hops, count(*) AS failures, count(DISTINCT x.episode) AS tasks, collect(x.ref)[0..5] AS nearest
ORDER BY hops
