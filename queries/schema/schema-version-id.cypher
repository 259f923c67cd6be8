// The version of the schema is kept once.
CREATE CONSTRAINT schema_version_id IF NOT EXISTS FOR (s:SchemaVersion) REQUIRE s.id IS UNIQUE
