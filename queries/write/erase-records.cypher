// Remove all service records about some memories but AUDIT; answer their digests. The namespace is locked.
// :param namespace => 'main'
// :param ids => ['1']
MATCH (r:Record)
WHERE r.namespace = $namespace AND r.subject IN $ids AND r.kind <> 'AUDIT'
WITH r, r.digest AS digest
DELETE r
RETURN digest
