// Remove some memories with their jobs; leave tombstones, and of their keys the hashes. The namespace is locked.
// :param namespace => 'main'
// :param ids => ['1']
// :param revision => 2
// :param at => datetime('2026-01-01T00:00:00Z')
CALL () {
  MATCH (j:Job) WHERE j.namespace = $namespace AND j.subject IN $ids
  DELETE j
}
CALL () {
  MATCH (q:Request) WHERE q.namespace = $namespace AND q.memory_id IN $ids
  MERGE (e:Erasure {hash: q.hash})
    ON CREATE SET e.namespace = $namespace, e.at = $at
  DELETE q
}
CALL () {
  UNWIND $ids AS id
  MERGE (t:Tombstone {namespace: $namespace, id: id})
  SET t.revision = $revision
}
MATCH (m:Memory) WHERE m.namespace = $namespace AND m.id IN $ids
DETACH DELETE m
