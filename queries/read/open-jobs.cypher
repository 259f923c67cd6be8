// How many jobs wait or are at work, by kind.
// :param namespace => 'main'
// :param kinds => ['EMBED']
MATCH (j:Job)
USING INDEX j:Job(namespace, kind, state, created_at, id)
WHERE j.namespace = $namespace AND j.kind IN $kinds AND j.state IN ['PENDING', 'RUNNING']
  AND j.created_at IS NOT NULL AND j.id IS NOT NULL
RETURN j.kind AS kind, count(j) AS jobs
