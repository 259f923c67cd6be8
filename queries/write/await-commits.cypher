// Wait until the commits of a namespace are applied, by its lock, which is taken back.
// :param namespace => 'main'
// :param attempt => '0f'
MATCH (n:Namespace {name: $namespace})
SET n.lock = $attempt
