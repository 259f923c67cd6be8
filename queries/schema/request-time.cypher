// Idempotency keys in the order in which they were used.
CREATE INDEX request_time IF NOT EXISTS FOR (q:Request) ON (q.namespace, q.at, q.key)
