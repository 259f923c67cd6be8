// A page of the service records of a kind, oldest first.
// :param namespace => 'main'
// :param kind => 'AUDIT'
// :param since => datetime('2026-01-01T00:00:00Z')
// :param after_at => datetime('2026-01-01T00:00:00Z')
// :param after_id => ''
// :param limit => 101
MATCH (r:Record)
USING INDEX r:Record(namespace, kind, at, id)
WHERE r.namespace = $namespace AND r.kind = $kind AND r.at >= $since AND r.id IS NOT NULL
  AND CASE r.at WHEN $after_at THEN r.id > $after_id ELSE true END
RETURN toString(r.at) AS at, r.id AS id, r {.*, at: toStringOrNull(r.at)} AS record
ORDER BY r.namespace, r.kind, r.at, r.id LIMIT $limit
