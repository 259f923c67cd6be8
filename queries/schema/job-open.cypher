// Jobs of a kind by state, oldest first.
CREATE INDEX job_open IF NOT EXISTS FOR (j:Job) ON (j.namespace, j.kind, j.state, j.created_at, j.id)
