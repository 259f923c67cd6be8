// The least that a write can be: one statement that takes the namespace's lock, moves its counter, and creates a node
// with the same properties, its key, and an edge to each cause. It checks nothing and merges nothing.
MATCH (c:BareCounter {namespace: $namespace})
SET c.lock = $attempt
MERGE (q:BareRequest {key: $key})
  ON CREATE SET q.attempt = $attempt, q.node = $id
WITH c, q, q.attempt = $attempt AS fresh
CALL (c, q, fresh) {
  WITH c, q WHERE fresh
  SET c.revision = c.revision + 1
  SET q.revision = c.revision
  CREATE (m:Bare {id: $id, namespace: $namespace})
  SET m += $properties, m.revision = c.revision
  WITH m UNWIND $causes AS cause
  MATCH (x:Bare {id: cause}) WHERE x.namespace = $namespace
  CREATE (m)-[:BARE_CAUSE {confidence: .5, revision: m.revision}]->(x)
  RETURN count(x) AS edges
}
RETURN fresh, q.revision AS revision, edges
