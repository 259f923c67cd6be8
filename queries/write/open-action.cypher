// Lock a namespace until the transaction ends, then read what an action needs. Every writing statement comes after it.
// :param namespace => 'main'
// :param attempt => '0f'
// :param hashes => []
// :param ids => []
// :param pairs => []
// :param jobs => []
MERGE (n:Namespace {name: $namespace})
SET n.lock = $attempt
WITH n
RETURN properties(n) AS namespace,
  COLLECT { MATCH (s:SchemaVersion {id: 'graphmem'}) RETURN s.version } AS versions,
  COLLECT {
    UNWIND $hashes AS hash
    OPTIONAL MATCH (q:Request {hash: hash})
    RETURN properties(q)
  } AS requests,
  COLLECT {
    UNWIND $hashes AS hash
    RETURN EXISTS { MATCH (:Erasure {hash: hash}) }
  } AS erasures,
  COLLECT {
    MATCH (m:Memory) WHERE m.namespace = $namespace AND m.id IN $ids
    RETURN m {.*, embedding: null, situation_embedding: null, outcome_embedding: null,
      occurred_at: toStringOrNull(m.occurred_at), recorded_at: toStringOrNull(m.recorded_at),
      valid_from: toStringOrNull(m.valid_from), valid_to: toStringOrNull(m.valid_to),
      first_seen: toStringOrNull(m.first_seen), last_seen: toStringOrNull(m.last_seen)
    }
  } AS memories,
  COLLECT {
    UNWIND $pairs AS pair
    MATCH (a:Memory)-[r:CAUSED_BY|GENERALIZES|SUPERSEDES]->(b:Memory)
    WHERE a.namespace = $namespace AND a.id = pair[0] AND b.namespace = $namespace AND b.id = pair[1]
    RETURN {kind: type(r), from_id: a.id, to_id: b.id, edge: r {.*, recorded_at: toStringOrNull(r.recorded_at)}}
  } AS edges,
  COLLECT {
    MATCH (j:Job) WHERE j.namespace = $namespace AND j.id IN $jobs
    RETURN j {.*, created_at: toStringOrNull(j.created_at), lease_until: toStringOrNull(j.lease_until)}
  } AS jobs
