// 02 Root causes: behind it, and caused by nothing
// :param namespace => 'main'
// :param ref => 'E-1'
// columns: root, kind, title, error_type, hops, hours_before
MATCH p = (f:Memory {namespace: $namespace, ref: $ref}) (()-[r:CAUSED_BY WHERE r.active]->()){1,6} (x:Memory)
WITH f, x, min(length(p)) AS hops
WHERE NOT EXISTS { (x)-[r:CAUSED_BY WHERE r.active]->() }
RETURN x.ref AS root, x.kind AS kind, x.title AS title, x.error_type AS error_type, hops,
       round(duration.inSeconds(x.occurred_at, f.occurred_at).seconds / 3600.0, 1) AS hours_before
ORDER BY hops, root LIMIT 50
