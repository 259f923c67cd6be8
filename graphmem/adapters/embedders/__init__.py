"""Embedders: text in, vectors of one space out."""
