// A page of the memories that fulfil a selection, oldest first; null asks for nothing.
// :param namespace => 'main'
// :param kinds => null
// :param results => null
// :param states => null
// :param task_type => null
// :param tool => null
// :param agent => null
// :param error_type => null
// :param tag => null
// :param occurred_from => datetime('2026-01-01T00:00:00Z')
// :param occurred_to => null
// :param after_at => datetime('2026-12-31T00:00:00Z')
// :param after_id => ''
// :param limit => 101
// :param vectors => true
RETURN COLLECT {
  MATCH (m:Memory)
  USING INDEX m:Memory(namespace, occurred_at, id)
  WHERE m.namespace = $namespace AND m.occurred_at >= $after_at AND m.id IS NOT NULL
    AND CASE m.occurred_at WHEN $after_at THEN m.id > $after_id ELSE true END
    AND m.occurred_at >= $occurred_from AND ($occurred_to IS NULL OR m.occurred_at < $occurred_to)
    AND ($kinds IS NULL OR m.kind IN $kinds)
    AND ($results IS NULL OR m.result IN $results)
    AND ($states IS NULL OR m.state IN $states)
    AND ($task_type IS NULL OR m.task_type = $task_type)
    AND ($tool IS NULL OR m.tool = $tool)
    AND ($agent IS NULL OR m.agent = $agent)
    AND ($error_type IS NULL OR m.error_type = $error_type)
    AND ($tag IS NULL OR CASE WHEN m.tags IS :: LIST<STRING NOT NULL> THEN $tag IN m.tags ELSE false END)
  WITH m ORDER BY m.namespace, m.occurred_at, m.id LIMIT $limit
  RETURN {at: toString(m.occurred_at), id: m.id, memory: m {.*,
    occurred_at: toStringOrNull(m.occurred_at), recorded_at: toStringOrNull(m.recorded_at),
    valid_from: toStringOrNull(m.valid_from), valid_to: toStringOrNull(m.valid_to),
    first_seen: toStringOrNull(m.first_seen), last_seen: toStringOrNull(m.last_seen),
    embedding: CASE WHEN $vectors THEN m.embedding END,
    situation_embedding: CASE WHEN $vectors THEN m.situation_embedding END,
    outcome_embedding: CASE WHEN $vectors THEN m.outcome_embedding END
  }}
  ORDER BY m.occurred_at, m.id
} AS rows
