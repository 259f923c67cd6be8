// Every index over properties with its state, also those behind constraints.
SHOW INDEXES YIELD name, state, type
WHERE type <> 'LOOKUP'
RETURN name, state
