// End an action: jobs and keys, the revision of owners of changed edges, and where the namespace stands. It is locked.
// :param namespace => 'main'
// :param ledger => {}
// :param owners => []
// :param revision => 1
// :param requests => []
// :param erasures => []
// :param jobs => []
// :param done => []
MATCH (n:Namespace {name: $namespace})
SET n += $ledger
WITH n
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
