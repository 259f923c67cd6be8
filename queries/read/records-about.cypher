// A page of the service records of a kind about some memories, oldest first.
// :param namespace => 'main'
// :param kind => 'AUDIT'
// :param subjects => ['1']
// :param since => datetime('2026-01-01T00:00:00Z')
// :param after_at => datetime('2026-01-01T00:00:00Z')
// :param after_id => ''
// :param limit => 101
MATCH (r:Record)
USING INDEX r:Record(namespace, subject)
WHERE r.namespace = $namespace AND r.kind = $kind AND r.subject IN $subjects AND r.at >= $since AND r.id IS NOT NULL
  AND CASE r.at WHEN $after_at THEN r.id > $after_id ELSE true END
RETURN toString(r.at) AS at, r.id AS id, r {.*, at: toStringOrNull(r.at)} AS record
ORDER BY r.at, r.id LIMIT $limit
