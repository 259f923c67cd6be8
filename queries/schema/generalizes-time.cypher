// Edges from patterns and strategies in the order in which they were recorded.
CREATE INDEX generalizes_time IF NOT EXISTS FOR ()-[r:GENERALIZES]-() ON (r.namespace, r.recorded_at)
