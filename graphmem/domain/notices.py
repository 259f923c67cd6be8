"""What somebody outside is told: that a pattern became well supported, or came back after it was settled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from graphmem.domain.memories import Json


@dataclass(frozen=True, kw_only=True)
class Notice:
    """One message. id: ASCII, the same whenever it is sent again. at: when it is sent. content: what it says."""

    id: str
    at: datetime
    content: Mapping[str, Json]
