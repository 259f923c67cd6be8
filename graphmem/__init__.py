"""A causal memory for AI agents: what was done, what caused what, and which lesson follows."""

from graphmem._version import __version__

__all__ = ["__version__"]
