"""Explanations as pictures and pages: text in, text out, no program and no network needed."""
