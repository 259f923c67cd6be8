// Remove all edges of some memories; answer what they were. The namespace is locked.
// :param namespace => 'main'
// :param ids => ['1']
MATCH (m:Memory)-[r:CAUSED_BY|GENERALIZES|SUPERSEDES]-()
WHERE m.namespace = $namespace AND m.id IN $ids
WITH DISTINCT r
WITH r, type(r) AS kind, startNode(r).id AS from_id, endNode(r).id AS to_id, properties(r) AS edge
DELETE r
RETURN kind, from_id, to_id, edge
