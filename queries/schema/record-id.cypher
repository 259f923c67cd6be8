// A kind and an id name one service record of a namespace.
CREATE CONSTRAINT record_id IF NOT EXISTS FOR (r:Record) REQUIRE (r.namespace, r.kind, r.id) IS UNIQUE
