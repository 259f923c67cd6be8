// Cause edges by lag, for causes that are later than their effects.
CREATE INDEX caused_by_lag IF NOT EXISTS FOR ()-[r:CAUSED_BY]-() ON (r.namespace, r.lag_ms)
