// A page of the memories of one task that fulfil a selection, in either order; null asks for nothing.
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
// :param task_id => '1'
// :param ascending => true
// :param after_at => datetime('2026-12-31T00:00:00Z')
// :param after_id => ''
// :param limit => 101
// :param vectors => true
RETURN COLLECT {
  MATCH (m:Memory)
  USING INDEX m:Memory(namespace, task_id)
  WHERE m.namespace = $namespace AND m.task_id = $task_id
    AND CASE WHEN $ascending
          THEN m.occurred_at > $after_at OR (m.occurred_at = $after_at AND m.id > $after_id)
          ELSE m.occurred_at < $after_at OR (m.occurred_at = $after_at AND m.id < $after_id) END
    AND m.occurred_at >= $occurred_from AND ($occurred_to IS NULL OR m.occurred_at < $occurred_to)
    AND ($kinds IS NULL OR m.kind IN $kinds)
    AND ($results IS NULL OR m.result IN $results)
    AND ($states IS NULL OR m.state IN $states)
    AND ($task_type IS NULL OR m.task_type = $task_type)
    AND ($tool IS NULL OR m.tool = $tool)
    AND ($agent IS NULL OR m.agent = $agent)
    AND ($error_type IS NULL OR m.error_type = $error_type)
    AND ($tag IS NULL OR CASE WHEN m.tags IS :: LIST<STRING NOT NULL> THEN $tag IN m.tags ELSE false END)
  WITH m, CASE WHEN $ascending THEN m.occurred_at END AS early, CASE WHEN NOT $ascending THEN m.occurred_at END AS late,
       CASE WHEN $ascending THEN m.id END AS first, CASE WHEN NOT $ascending THEN m.id END AS last
  ORDER BY early, first, late DESC, last DESC LIMIT $limit
  RETURN {at: toString(m.occurred_at), id: m.id, memory: m {.*,
    occurred_at: toStringOrNull(m.occurred_at), recorded_at: toStringOrNull(m.recorded_at),
    valid_from: toStringOrNull(m.valid_from), valid_to: toStringOrNull(m.valid_to),
    first_seen: toStringOrNull(m.first_seen), last_seen: toStringOrNull(m.last_seen),
    embedding: CASE WHEN $vectors THEN m.embedding END,
    situation_embedding: CASE WHEN $vectors THEN m.situation_embedding END,
    outcome_embedding: CASE WHEN $vectors THEN m.outcome_embedding END
  }}
  ORDER BY early, first, late DESC, last DESC
} AS rows
