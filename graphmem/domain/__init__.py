"""Values and pure rules of the memory; standard library only."""
