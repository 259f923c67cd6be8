"""How far long work is: shown in place on standard error, and only where somebody watches."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


def watched() -> bool:
    """Whether somebody sees the progress."""
    return sys.stderr.isatty()


def show(text: str) -> None:
    """Write over what was shown before; '' clears it."""
    if watched():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


@contextmanager
def cleared() -> Iterator[None]:
    """Clear what was shown in the block, however that ends."""
    try:
        yield
    finally:
        show("")
