// Memories in the order in which they occurred.
CREATE INDEX memory_time IF NOT EXISTS FOR (m:Memory) ON (m.namespace, m.occurred_at, m.id)
