"""Identifiers that sort by time (UUID version 7, RFC 9562 section 5.7)."""

from __future__ import annotations

import uuid
from datetime import datetime


def uuid7(at: datetime, random_bits: int) -> str:
    """A UUIDv7 for an aware time and 74 random bits."""
    milliseconds = int(at.timestamp() * 1000) & (2**48 - 1)
    high, low = (random_bits >> 62) & 0xFFF, random_bits & (2**62 - 1)
    return str(uuid.UUID(int=milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low))
