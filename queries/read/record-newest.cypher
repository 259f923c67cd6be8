// The newest service record of a kind, from a time on.
// :param namespace => 'main'
// :param kind => 'REFLECTION'
// :param since => datetime('2026-01-01T00:00:00Z')
MATCH (r:Record)
USING INDEX r:Record(namespace, kind, at, id)
WHERE r.namespace = $namespace AND r.kind = $kind AND r.at >= $since AND r.id IS NOT NULL
RETURN toString(r.at) AS at, r.id AS id, r {.*, at: toStringOrNull(r.at)} AS record
ORDER BY r.namespace DESC, r.kind DESC, r.at DESC, r.id DESC LIMIT 1
