// A page of the idempotency keys that made some memories, oldest first.
// :param namespace => 'main'
// :param subjects => ['1']
// :param since => datetime('2026-01-01T00:00:00Z')
// :param after_at => datetime('2026-01-01T00:00:00Z')
// :param after_id => ''
// :param limit => 101
MATCH (q:Request)
USING INDEX q:Request(namespace, memory_id)
WHERE q.namespace = $namespace AND q.memory_id IN $subjects AND q.at >= $since AND q.key IS NOT NULL
  AND CASE q.at WHEN $after_at THEN q.key > $after_id ELSE true END
RETURN toString(q.at) AS at, q.key AS id, q {.*, at: toStringOrNull(q.at)} AS record
ORDER BY q.at, q.key LIMIT $limit
