"""Identifiers that sort by time (UUID version 7, RFC 9562 section 5.7)."""

from __future__ import annotations

import re
import uuid
from datetime import datetime

from graphmem.domain.memories import REF_LETTERS

_SMALL_REF = re.compile(rf"[{''.join(REF_LETTERS.values()).lower()}]-[0-9]+")


def uuid7(at: datetime, random_bits: int) -> str:
    """A UUIDv7 for an aware time and 74 random bits."""
    milliseconds = int(at.timestamp() * 1000) & (2**48 - 1)
    high, low = (random_bits >> 62) & 0xFFF, random_bits & (2**62 - 1)
    return str(uuid.UUID(int=milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low))


def spellings(name: str) -> tuple[str, ...]:
    """What a person may mean by the id or the ref of a memory: itself first, then 'E-1' for 'e-1'."""
    return (name, name.upper()) if _SMALL_REF.fullmatch(name) else (name,)
