// Nodes of a namespace whose id is gone or is no text, without their vectors.
// :param namespace => 'main'
// :param limit => 100
MATCH (m:Memory)
WHERE m.namespace = $namespace AND (m.id IS NULL OR NOT m.id IS :: STRING)
RETURN m {.*, embedding: null, situation_embedding: null, outcome_embedding: null} AS memory LIMIT $limit
