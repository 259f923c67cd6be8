"""Archived experiences by their very situation: an exact repeat is noticed however old it is."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict

from graphmem.analysis.traditional import mainland
from graphmem.domain.memories import Experience

_GAP = re.compile(r"[\s.,;:!?。，；：！？、]+")


class Repeats:
    """Finds without searching: one look at a table, whatever it holds."""

    def __init__(self) -> None:
        self._by_key: dict[str, dict[str, Experience]] = defaultdict(dict)
        self._keys: dict[str, frozenset[str]] = {}

    def put(self, memory: Experience) -> None:
        """Take a memory by its situation, and by its action alone."""
        self.remove(memory.id)
        keys = frozenset((normalised(memory.situation), normalised(memory.action)))
        self._keys[memory.id] = keys
        for key in keys:
            self._by_key[key][memory.id] = memory

    def remove(self, memory_id: str) -> None:
        """Take a memory out; unknown ids are ignored."""
        for key in self._keys.pop(memory_id, frozenset()):
            held = self._by_key[key]
            del held[memory_id]
            if not held:
                del self._by_key[key]

    def find(self, text: str) -> list[Experience]:
        """What was done in just this situation, newest first."""
        held = self._by_key.get(normalised(text), {}).values()
        return sorted(held, key=lambda memory: (memory.occurred_at, memory.id), reverse=True)


def normalised(text: str) -> str:
    """Text by which two situations are one: case, width, spaces, stops between words and whether its characters
    are traditional or simplified do not count."""
    return _GAP.sub(" ", mainland(unicodedata.normalize("NFKC", text)).casefold()).strip()
