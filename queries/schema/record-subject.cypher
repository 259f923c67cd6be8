// The service records about a memory.
CREATE INDEX record_subject IF NOT EXISTS FOR (r:Record) ON (r.namespace, r.subject)
