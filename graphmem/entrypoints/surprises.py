"""What no caller is told: where a fault of ours came from."""

from __future__ import annotations

import logging
import traceback

_log = logging.getLogger(__name__)


def note(error: BaseException | None, request_id: str) -> None:
    """Log where a surprise came from. Its text is left out: it may quote a memory."""
    frames = traceback.extract_tb(error.__traceback__) if error else []
    trail = " < ".join(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames[-8:]))
    _log.error("request %s failed: %s at %s", request_id, type(error).__name__, trail)
