// A page of the jobs of a kind that wait or are at work, oldest first.
// :param namespace => 'main'
// :param open_jobs => 'ANALYSE'
// :param since => datetime('2026-01-01T00:00:00Z')
// :param after_at => datetime('2026-01-01T00:00:00Z')
// :param after_id => ''
// :param limit => 101
CALL () {
  MATCH (j:Job)
  USING INDEX j:Job(namespace, kind, state, created_at, id)
  WHERE j.namespace = $namespace AND j.kind = $open_jobs AND j.state = 'PENDING'
    AND j.created_at >= $since AND j.id IS NOT NULL
    AND CASE j.created_at WHEN $after_at THEN j.id > $after_id ELSE true END
  RETURN j ORDER BY j.namespace, j.kind, j.state, j.created_at, j.id LIMIT $limit
  UNION ALL
  MATCH (j:Job)
  USING INDEX j:Job(namespace, kind, state, created_at, id)
  WHERE j.namespace = $namespace AND j.kind = $open_jobs AND j.state = 'RUNNING'
    AND j.created_at >= $since AND j.id IS NOT NULL
    AND CASE j.created_at WHEN $after_at THEN j.id > $after_id ELSE true END
  RETURN j ORDER BY j.namespace, j.kind, j.state, j.created_at, j.id LIMIT $limit
}
RETURN toString(j.created_at) AS at, j.id AS id,
  j {.*, created_at: toStringOrNull(j.created_at), lease_until: toStringOrNull(j.lease_until)} AS record
ORDER BY j.created_at, j.id LIMIT $limit
