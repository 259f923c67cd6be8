// Hashes of forgotten keys in the order in which they were forgotten.
CREATE INDEX erasure_time IF NOT EXISTS FOR (e:Erasure) ON (e.namespace, e.at, e.hash)
