// A reference such as E-204 names one memory of a namespace.
CREATE CONSTRAINT memory_ref IF NOT EXISTS FOR (m:Memory) REQUIRE (m.namespace, m.ref) IS UNIQUE
