"""What is held in memory: search partitions and the graph mirror, fed by the store."""
