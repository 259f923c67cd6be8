// Cause edges in the order in which they were recorded.
CREATE INDEX caused_by_time IF NOT EXISTS FOR ()-[r:CAUSED_BY]-() ON (r.namespace, r.recorded_at)
