"""How far long work is: shown in place on standard error, and only where somebody watches."""

from __future__ import annotations

import sys


def watched() -> bool:
    """Whether somebody sees the progress."""
    return sys.stderr.isatty()


def show(text: str) -> None:
    """Write over what was shown before; '' clears it."""
    if watched():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
