// A page of the hashes of forgotten keys, oldest first.
// :param namespace => 'main'
// :param since => datetime('2026-01-01T00:00:00Z')
// :param after_at => datetime('2026-01-01T00:00:00Z')
// :param after_id => ''
// :param limit => 101
MATCH (e:Erasure)
USING INDEX e:Erasure(namespace, at, hash)
WHERE e.namespace = $namespace AND e.at >= $since AND e.hash IS NOT NULL
  AND CASE e.at WHEN $after_at THEN e.hash > $after_id ELSE true END
RETURN toString(e.at) AS at, e.hash AS id, e {.*, at: toStringOrNull(e.at)} AS record
ORDER BY e.namespace, e.at, e.hash LIMIT $limit
