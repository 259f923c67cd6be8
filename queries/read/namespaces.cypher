// The names of all namespaces.
MATCH (n:Namespace)
RETURN n.name AS name
