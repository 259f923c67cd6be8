"""What no caller is told: where a fault of ours came from, whoever met it, a request or the worker."""

from __future__ import annotations

import logging
import traceback

_log = logging.getLogger(__name__)


def note(error: BaseException | None, what: str) -> None:
    """Log what failed, and where the surprise came from. Its text is left out: it may quote a memory."""
    frames = traceback.extract_tb(error.__traceback__) if error else []
    trail = " < ".join(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames[-8:]))
    _log.error("%s failed: %s at %s", what, type(error).__name__, trail)
