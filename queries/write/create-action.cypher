// Write an action that only creates, whole, if the namespace stands at this ledger, every cause is there, and all is new: one row, else none.
// :param namespace => 'main'
// :param attempt => '0f'
// :param before => {}
// :param version => 1
// :param ends => []
// :param memories => []
// :param caused_by => []
// :param ledger => {}
// :param requests => []
// :param jobs => []
CYPHER replan=skip
MATCH (n:Namespace {name: $namespace})
SET n.lock = $attempt
WITH n
WHERE n.revision = $before.revision AND n.digest = $before.digest AND n.graph_digest = $before.graph_digest
  AND n.counts = $before.counts AND n.refs = $before.refs AND n.parameters_version = $before.parameters_version
  AND EXISTS { MATCH (s:SchemaVersion {id: 'graphmem'}) WHERE s.version = $version }
  AND NOT EXISTS { UNWIND $requests AS request MATCH (:Erasure {hash: request.hash}) }
  AND NOT EXISTS { UNWIND $memories AS row MATCH (:Tombstone {namespace: $namespace, id: row.id}) }
  AND NOT EXISTS {
    UNWIND $ends AS end
    OPTIONAL MATCH (m:Memory {namespace: $namespace, id: end.id})
    WITH m, end WHERE m IS NULL OR NOT coalesce(m.kind IN end.kinds, false)
    RETURN m
  }
SET n += $ledger
WITH n
CALL () {
  UNWIND $memories AS row
  CREATE (m:Memory)
  SET m = row.properties
  FOREACH (_ IN CASE WHEN row.kind = 'FACT' THEN [1] ELSE [] END | SET m:Fact)
  FOREACH (_ IN CASE WHEN row.kind = 'EXPERIENCE' THEN [1] ELSE [] END | SET m:Experience)
  FOREACH (_ IN CASE WHEN row.failure THEN [1] ELSE [] END | SET m:Failure)
}
CALL () {
  UNWIND $caused_by AS row
  MATCH (a:Memory {namespace: $namespace, id: row.from_id})
  MATCH (b:Memory {namespace: $namespace, id: row.to_id})
  CREATE (a)-[r:CAUSED_BY]->(b)
  SET r = row.properties
}
CALL () {
  UNWIND $requests AS request
  CREATE (q:Request)
  SET q = request
}
CALL () {
  UNWIND $jobs AS job
  CREATE (j:Job)
  SET j = job
}
RETURN n.revision AS revision
