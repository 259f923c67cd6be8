// The keys that made a memory.
CREATE INDEX request_memory IF NOT EXISTS FOR (q:Request) ON (q.namespace, q.memory_id)
