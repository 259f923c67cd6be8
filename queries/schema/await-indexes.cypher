// Wait until new indexes are usable.
// :param seconds => 5
CALL db.awaitIndexes($seconds)
