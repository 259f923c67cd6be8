// The latest failure that something caused: what the address of Neo4j Browser opens with.
// :param namespace => 'main'
MATCH (f:Failure)
WHERE f.namespace = $namespace AND f.occurred_at IS NOT NULL
  AND EXISTS { (f)-[r:CAUSED_BY WHERE r.active]->() }
RETURN f.ref AS ref
ORDER BY f.namespace DESC, f.occurred_at DESC LIMIT 1
