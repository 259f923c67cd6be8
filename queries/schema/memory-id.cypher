// An id names one memory of a namespace.
CREATE CONSTRAINT memory_id IF NOT EXISTS FOR (m:Memory) REQUIRE (m.namespace, m.id) IS UNIQUE
