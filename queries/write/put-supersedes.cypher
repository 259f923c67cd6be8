// Write edges of kind SUPERSEDES over what is there, one a pair. The namespace is locked.
// :param namespace => 'main'
// :param rows => []
UNWIND $rows AS row
MATCH (a:Memory {namespace: $namespace, id: row.from_id})
MATCH (b:Memory {namespace: $namespace, id: row.to_id})
MERGE (a)-[r:SUPERSEDES]->(b)
SET r = row.properties
