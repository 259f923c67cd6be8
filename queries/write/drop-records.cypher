// Remove service records by kind and id; answer their digests. The namespace is locked.
// :param namespace => 'main'
// :param kind => 'SERVED'
// :param ids => ['1']
UNWIND $ids AS id
MATCH (r:Record {namespace: $namespace, kind: $kind, id: id})
WITH r, r.digest AS digest
DELETE r
RETURN digest
