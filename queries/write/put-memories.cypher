// Write memories over what is there; a kind is a label of its own, and so is failure. The namespace is locked.
// :param namespace => 'main'
// :param rows => []
UNWIND $rows AS row
MERGE (m:Memory {namespace: $namespace, id: row.id})
SET m = row.properties
FOREACH (_ IN CASE WHEN row.kind = 'FACT' THEN [1] ELSE [] END | SET m:Fact)
FOREACH (_ IN CASE WHEN row.kind = 'EXPERIENCE' THEN [1] ELSE [] END | SET m:Experience)
FOREACH (_ IN CASE WHEN row.failure THEN [1] ELSE [] END | SET m:Failure)
FOREACH (_ IN CASE WHEN row.kind = 'PATTERN' THEN [1] ELSE [] END | SET m:Pattern)
FOREACH (_ IN CASE WHEN row.kind = 'STRATEGY' THEN [1] ELSE [] END | SET m:Strategy)
WITH row
MATCH (t:Tombstone {namespace: $namespace, id: row.id})
DELETE t
