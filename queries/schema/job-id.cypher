// An id names one job of a namespace.
CREATE CONSTRAINT job_id IF NOT EXISTS FOR (j:Job) REQUIRE (j.namespace, j.id) IS UNIQUE
