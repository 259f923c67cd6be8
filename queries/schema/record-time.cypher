// Service records of a kind in the order of their times.
CREATE INDEX record_time IF NOT EXISTS FOR (r:Record) ON (r.namespace, r.kind, r.at, r.id)
