// The feed: memories in the order of their last change.
CREATE INDEX memory_feed IF NOT EXISTS FOR (m:Memory) ON (m.namespace, m.revision, m.id)
