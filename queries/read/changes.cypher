// The feed: memories with the edges they own, and tombstones (memory is null), after a place and up to a revision.
// :param namespace => 'main'
// :param after => 0
// :param after_id => ''
// :param upto => 1000
// :param limit => 1001
RETURN COLLECT {
  CALL () {
    MATCH (m:Memory)
    USING INDEX m:Memory(namespace, revision, id)
    WHERE m.namespace = $namespace AND m.revision >= $after AND m.revision <= $upto AND m.id IS NOT NULL
      AND CASE m.revision WHEN $after THEN m.id > $after_id ELSE true END
    WITH m ORDER BY m.namespace, m.revision, m.id LIMIT $limit
    RETURN m.revision AS revision, m.id AS id, m {.*,
      occurred_at: toStringOrNull(m.occurred_at), recorded_at: toStringOrNull(m.recorded_at),
      valid_from: toStringOrNull(m.valid_from), valid_to: toStringOrNull(m.valid_to),
      first_seen: toStringOrNull(m.first_seen), last_seen: toStringOrNull(m.last_seen)
    } AS memory, COLLECT {
      MATCH (m)-[r:CAUSED_BY]->(x:Memory)
      RETURN {
        kind: type(r), from_id: m.id, to_id: x.id, edge: r {.*, recorded_at: toStringOrNull(r.recorded_at)}
      } AS edge
      UNION ALL
      MATCH (m)<-[r:GENERALIZES|SUPERSEDES]-(x:Memory)
      RETURN {
        kind: type(r), from_id: x.id, to_id: m.id, edge: r {.*, recorded_at: toStringOrNull(r.recorded_at)}
      } AS edge
    } AS edges
    UNION ALL
    MATCH (t:Tombstone)
    USING INDEX t:Tombstone(namespace, revision, id)
    WHERE t.namespace = $namespace AND t.revision >= $after AND t.revision <= $upto AND t.id IS NOT NULL
      AND CASE t.revision WHEN $after THEN t.id > $after_id ELSE true END
    WITH t ORDER BY t.namespace, t.revision, t.id LIMIT $limit
    RETURN t.revision AS revision, t.id AS id, null AS memory, [] AS edges
  }
  RETURN {revision: revision, id: id, memory: memory, edges: edges}
  ORDER BY revision, id LIMIT $limit
} AS rows
