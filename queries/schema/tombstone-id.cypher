// An erased memory leaves one tombstone.
CREATE CONSTRAINT tombstone_id IF NOT EXISTS FOR (t:Tombstone) REQUIRE (t.namespace, t.id) IS UNIQUE
