"""Analysts: models that answer what waits for an analysis."""
