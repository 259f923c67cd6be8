// The version of the schema.
MATCH (s:SchemaVersion {id: 'graphmem'})
RETURN s.version AS version
