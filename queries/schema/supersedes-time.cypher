// Edges between facts in the order in which they were recorded.
CREATE INDEX supersedes_time IF NOT EXISTS FOR ()-[r:SUPERSEDES]-() ON (r.namespace, r.recorded_at)
