// The feed: erasures in their order.
CREATE INDEX tombstone_feed IF NOT EXISTS FOR (t:Tombstone) ON (t.namespace, t.revision, t.id)
