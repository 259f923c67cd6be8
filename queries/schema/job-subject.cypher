// The jobs about a memory.
CREATE INDEX job_subject IF NOT EXISTS FOR (j:Job) ON (j.namespace, j.subject)
