// What a key led to, or only that it was used.
// :param hash => '0f'
OPTIONAL MATCH (q:Request {hash: $hash})
OPTIONAL MATCH (e:Erasure {hash: $hash})
RETURN properties(q) AS request, e IS NOT NULL AS erased
