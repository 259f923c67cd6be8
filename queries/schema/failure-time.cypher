// Failures in the order in which they occurred, for questions asked in Neo4j Browser.
CREATE INDEX failure_time IF NOT EXISTS FOR (f:Failure) ON (f.namespace, f.occurred_at)
