// Write service records over those of their kind and id; answer the digests of those. The namespace is locked.
// :param namespace => 'main'
// :param rows => []
UNWIND $rows AS row
MERGE (r:Record {namespace: $namespace, kind: row.kind, id: row.id})
WITH r, row, coalesce(r.digest, 0) AS digest
SET r = row
RETURN digest
