// Say which version the schema has.
// :param version => 1
MERGE (s:SchemaVersion {id: 'graphmem'})
SET s.version = $version
