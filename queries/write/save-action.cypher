// Write what an action collected, each node found by a unique index: the first plan stays. The namespace is locked.
// :param namespace => 'main'
// :param memories => []
// :param caused_by => []
// :param generalizes => []
// :param supersedes => []
// :param ledger => {}
// :param owners => []
// :param revision => 1
// :param requests => []
// :param erasures => []
// :param jobs => []
// :param done => []
CYPHER replan=skip
MATCH (n:Namespace {name: $namespace})
SET n += $ledger
WITH n
CALL () {
  UNWIND $memories AS row
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
}
CALL () {
  UNWIND $caused_by AS row
  MATCH (a:Memory {namespace: $namespace, id: row.from_id})
  MATCH (b:Memory {namespace: $namespace, id: row.to_id})
  MERGE (a)-[r:CAUSED_BY]->(b)
  SET r = row.properties
}
CALL () {
  UNWIND $generalizes AS row
  MATCH (a:Memory {namespace: $namespace, id: row.from_id})
  MATCH (b:Memory {namespace: $namespace, id: row.to_id})
  MERGE (a)-[r:GENERALIZES]->(b)
  SET r = row.properties
}
CALL () {
  UNWIND $supersedes AS row
  MATCH (a:Memory {namespace: $namespace, id: row.from_id})
  MATCH (b:Memory {namespace: $namespace, id: row.to_id})
  MERGE (a)-[r:SUPERSEDES]->(b)
  SET r = row.properties
}
CALL () {
  UNWIND $owners AS id
  MATCH (m:Memory {namespace: $namespace, id: id})
  SET m.revision = $revision
}
CALL () {
  UNWIND $requests AS request
  MERGE (q:Request {hash: request.hash})
  SET q = request
}
CALL () {
  UNWIND $erasures AS erasure
  MERGE (e:Erasure {hash: erasure.hash})
  SET e.namespace = $namespace, e.at = erasure.at
}
CALL () {
  UNWIND $jobs AS job
  MERGE (j:Job {namespace: $namespace, id: job.id})
  SET j = job
}
CALL () {
  UNWIND $done AS id
  MATCH (j:Job {namespace: $namespace, id: id})
  DELETE j
}
