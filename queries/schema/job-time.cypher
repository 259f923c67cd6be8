// Jobs in the order in which they were enqueued.
CREATE INDEX job_time IF NOT EXISTS FOR (j:Job) ON (j.namespace, j.created_at, j.id)
