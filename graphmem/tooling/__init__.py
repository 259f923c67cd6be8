"""Programs around the memory: demo story, server control, generators."""
