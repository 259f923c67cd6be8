// The latest failure that something caused: what the address of Neo4j Browser opens with.
// :param namespace => 'main'
MATCH (f:Failure)
WHERE f.namespace = $namespace
WITH f ORDER BY f.occurred_at DESC, f.id DESC
WHERE EXISTS { (f)-[r:CAUSED_BY WHERE r.active]->() }
RETURN f.ref AS ref LIMIT 1
