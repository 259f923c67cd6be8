// Memories by id or reference.
// :param namespace => 'main'
// :param names => ['E-1']
MATCH (m:Memory) WHERE m.namespace = $namespace AND m.ref IN $names
RETURN properties(m) AS memory
UNION ALL
MATCH (m:Memory) WHERE m.namespace = $namespace AND m.id IN $names
RETURN properties(m) AS memory
