"""The verbs of the memory, one a file. Every door calls these and nothing below them."""
