// A page of the jobs, oldest first.
// :param namespace => 'main'
// :param since => datetime('2026-01-01T00:00:00Z')
// :param after_at => datetime('2026-01-01T00:00:00Z')
// :param after_id => ''
// :param limit => 101
MATCH (j:Job)
USING INDEX j:Job(namespace, created_at, id)
WHERE j.namespace = $namespace AND j.created_at >= $since AND j.id IS NOT NULL
  AND CASE j.created_at WHEN $after_at THEN j.id > $after_id ELSE true END
RETURN toString(j.created_at) AS at, j.id AS id,
  j {.*, created_at: toStringOrNull(j.created_at), lease_until: toStringOrNull(j.lease_until)} AS record
ORDER BY j.namespace, j.created_at, j.id LIMIT $limit
