// 12 Facts behind failures; failures without a cause
// :param namespace => 'main'
// :param since => datetime() - duration('P30D')
// :param limit => 10
// columns: what, ref, title, failures, stale
CALL () {
  MATCH (e:Failure)
  WHERE e.namespace = $namespace AND e.occurred_at >= $since
  MATCH (e)-[r:CAUSED_BY WHERE r.active]->(f WHERE f.kind = 'FACT')
  WITH f, count(e) AS failures, max(e.occurred_at) AS last
  RETURN 'fact behind failures' AS what, f.ref AS ref, f.title AS title, failures,
         f.state <> 'ACTIVE' OR coalesce(f.valid_to < last, false) AS stale
  ORDER BY failures DESC, ref LIMIT $limit
  UNION ALL
  MATCH (e:Failure)
  WHERE e.namespace = $namespace AND e.occurred_at >= $since
  WITH e ORDER BY e.namespace DESC, e.occurred_at DESC, e.id DESC
  WHERE NOT EXISTS { (e)-[r:CAUSED_BY WHERE r.active]->() }
  RETURN 'failure without a cause' AS what, e.ref AS ref, e.title AS title, 1 AS failures, null AS stale
  LIMIT $limit
}
RETURN what, ref, title, failures, stale
