// The names of all namespaces, with their revisions.
MATCH (n:Namespace)
RETURN n.name AS name, n.revision AS revision
