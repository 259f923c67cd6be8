// Memories by id or reference.
// :param namespace => 'main'
// :param names => ['E-1']
// :param vectors => true
RETURN COLLECT {
  CALL () {
    MATCH (m:Memory) WHERE m.namespace = $namespace AND m.ref IN $names
    RETURN m
    UNION ALL
    MATCH (m:Memory) WHERE m.namespace = $namespace AND m.id IN $names
    RETURN m
  }
  RETURN m {.*,
    occurred_at: toStringOrNull(m.occurred_at), recorded_at: toStringOrNull(m.recorded_at),
    valid_from: toStringOrNull(m.valid_from), valid_to: toStringOrNull(m.valid_to),
    first_seen: toStringOrNull(m.first_seen), last_seen: toStringOrNull(m.last_seen),
    embedding: CASE WHEN $vectors THEN m.embedding END,
    situation_embedding: CASE WHEN $vectors THEN m.situation_embedding END,
    outcome_embedding: CASE WHEN $vectors THEN m.outcome_embedding END
  }
} AS rows
