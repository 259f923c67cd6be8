// 10 Causes later than effects, cycles they close
// :param namespace => 'main'
// :param limit => 20
// columns: effect, cause, grade, minutes_late, late, closes_cycle
MATCH (effect:Memory)-[r:CAUSED_BY]->(cause:Experience)
WHERE r.namespace = $namespace AND r.lag_ms <= 0 AND r.active
WITH effect, r, cause ORDER BY r.lag_ms, effect.id, cause.id LIMIT 500
WITH effect, r, cause, r.lag_ms < -5000 AS late,
     EXISTS { (cause) (()-[s:CAUSED_BY WHERE s.active]->()){1,6} (effect) } AS closes_cycle
WHERE late OR closes_cycle
RETURN effect.ref AS effect, cause.ref AS cause, r.grade AS grade,
       round(-r.lag_ms / 60000.0, 1) AS minutes_late, late, closes_cycle
ORDER BY r.lag_ms, effect, cause LIMIT $limit
