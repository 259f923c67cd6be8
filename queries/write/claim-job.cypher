// Lock a namespace, then let an owner have the oldest job of a kind that nobody holds; alone: none while one is held.
// :param namespace => 'main'
// :param attempt => '0f'
// :param kind => 'EMBED'
// :param alone => false
// :param owner => 'worker-1'
// :param now => datetime('2026-01-01T00:00:00Z')
// :param until => datetime('2026-01-01T00:01:00Z')
MATCH (n:Namespace {name: $namespace})
SET n.lock = $attempt
WITH n
WHERE NOT $alone OR NOT EXISTS {
  MATCH (h:Job)
  WHERE h.namespace = $namespace AND h.kind = $kind AND h.state = 'RUNNING'
    AND h.created_at IS NOT NULL AND h.id IS NOT NULL AND h.lease_until > $now
}
CALL () {
  MATCH (j:Job)
  USING INDEX j:Job(namespace, kind, state, created_at, id)
  WHERE j.namespace = $namespace AND j.kind = $kind AND j.state = 'PENDING'
    AND j.created_at IS NOT NULL AND j.id IS NOT NULL
  RETURN j ORDER BY j.namespace, j.kind, j.state, j.created_at, j.id LIMIT 1
  UNION ALL
  MATCH (j:Job)
  USING INDEX j:Job(namespace, kind, state, created_at, id)
  WHERE j.namespace = $namespace AND j.kind = $kind AND j.state = 'RUNNING'
    AND j.created_at IS NOT NULL AND j.id IS NOT NULL
    AND (j.lease_until IS NULL OR j.lease_until <= $now)
  RETURN j ORDER BY j.created_at, j.id LIMIT 1
}
WITH j ORDER BY j.created_at, j.id LIMIT 1
SET j.state = 'RUNNING', j.owner = $owner, j.lease_until = $until, j.attempt = j.attempt + 1
RETURN properties(j) AS job
