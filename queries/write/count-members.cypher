// Count the members of some patterns, and of all patterns that some memories are members of. The namespace is locked.
// :param namespace => 'main'
// :param ids => ['1']
// :param members => ['2']
CALL () {
  MATCH (p:Memory) WHERE p.namespace = $namespace AND p.id IN $ids
  RETURN p
  UNION
  MATCH (p:Memory)-[:GENERALIZES]->(m:Memory) WHERE m.namespace = $namespace AND m.id IN $members
  RETURN p
}
WITH p WHERE p.kind = 'PATTERN'
CALL (p) {
  OPTIONAL MATCH (p)-[:GENERALIZES]->(e:Memory)
  WHERE e.evidence AND e.occurred_at IS :: ZONED DATETIME NOT NULL
  RETURN count(e) AS frequency, count(DISTINCT e.episode) AS episodes,
         min(e.occurred_at) AS first_seen, max(e.occurred_at) AS last_seen
}
RETURN properties(p) AS pattern, frequency, episodes, first_seen, last_seen, COUNT {
  MATCH (t:Record) WHERE t.namespace = $namespace AND t.subject = p.id AND t.kind = 'TRANSITION'
} AS transitions
ORDER BY p.id
