// 05 Most probable chains from it to its roots
// :param namespace => 'main'
// :param ref => 'E-1'
// :param limit => 5
// columns: chain, probability, hops, refs
MATCH (f:Memory {namespace: $namespace, ref: $ref})
CALL (f) {
  MATCH p = (f) (()-[r:CAUSED_BY WHERE r.active]->()){1,6} (x:Memory)
  WITH x, min(length(p)) AS near
  WHERE NOT EXISTS { (x)-[r:CAUSED_BY WHERE r.active]->() }
  RETURN x ORDER BY near, x.id LIMIT 20
}
MATCH chain = SHORTEST 10 (f) (()-[r:CAUSED_BY WHERE r.active]->()){1,8} (x)
WHERE all(i IN range(1, length(chain)) WHERE NOT nodes(chain)[i] IN nodes(chain)[..i])
WITH chain, reduce(p = 1.0, e IN relationships(chain) | p * e.confidence) AS probability
RETURN chain, probability, length(chain) AS hops, [m IN nodes(chain) | m.ref] AS refs
ORDER BY probability DESC, hops, refs LIMIT $limit
