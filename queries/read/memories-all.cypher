// A page of all memories of a namespace by id with the edges from them, no vectors, whatever became of them.
// :param namespace => 'main'
// :param after_id => ''
// :param limit => 1000
MATCH (m:Memory)
WHERE m.namespace = $namespace AND m.id > $after_id
WITH m ORDER BY m.namespace, m.id LIMIT $limit
RETURN m.id AS id, m {.*, embedding: null, situation_embedding: null, outcome_embedding: null,
  occurred_at: toStringOrNull(m.occurred_at), recorded_at: toStringOrNull(m.recorded_at),
  valid_from: toStringOrNull(m.valid_from), valid_to: toStringOrNull(m.valid_to),
  first_seen: toStringOrNull(m.first_seen), last_seen: toStringOrNull(m.last_seen)
} AS memory, COLLECT {
  MATCH (m)-[r:CAUSED_BY|GENERALIZES|SUPERSEDES]->(x:Memory)
  RETURN {
    kind: type(r), from_id: m.id, to_id: x.id, from_ref: m.ref, to_ref: x.ref,
    edge: r {.*, recorded_at: toStringOrNull(r.recorded_at)}
  } AS edge
} AS edges
ORDER BY id
