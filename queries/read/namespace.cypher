// Where a namespace stands.
// :param namespace => 'main'
MATCH (n:Namespace {name: $namespace})
RETURN properties(n) AS namespace
