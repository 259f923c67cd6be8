// The namespaces in which a job of these kinds waits that nobody holds; of a kind done alone, none while one is held.
// :param kinds => ['ASSIGN']
// :param now => datetime('2026-01-01T00:00:00Z')
// :param alone => ['ASSIGN']
MATCH (n:Namespace)
WHERE EXISTS {
  UNWIND $kinds AS kind
  MATCH (j:Job)
  USING INDEX j:Job(namespace, kind, state, created_at, id)
  WHERE j.namespace = n.name AND j.kind = kind AND j.state IN ['PENDING', 'RUNNING']
    AND j.created_at IS NOT NULL AND j.id IS NOT NULL
    AND (j.state = 'PENDING' OR j.lease_until IS NULL OR j.lease_until <= $now)
    AND (NOT kind IN $alone OR NOT EXISTS {
      MATCH (h:Job)
      USING INDEX h:Job(namespace, kind, state, created_at, id)
      WHERE h.namespace = n.name AND h.kind = kind AND h.state = 'RUNNING'
        AND h.created_at IS NOT NULL AND h.id IS NOT NULL AND h.lease_until > $now
    })
  RETURN j
}
RETURN n.name AS name, n.revision AS revision
