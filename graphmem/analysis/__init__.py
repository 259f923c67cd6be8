"""Pure functions: tokens, lexical scores, vectors, fusion, gates, causal walks, redaction."""
