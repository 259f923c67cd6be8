"""Frequencies, episodes and levels of patterns: counted by the store, never taken from a caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from graphmem.adapters.sqlite import memories, records
from graphmem.adapters.sqlite.action import Action
from graphmem.adapters.sqlite.rows import listed, moment
from graphmem.domain.memories import Level, Memory, Pattern
from graphmem.domain.records import Record, RecordKind
from graphmem.domain.rules import level

_PATTERNS_OF = """
SELECT from_id FROM edges INDEXED BY edges_to
WHERE namespace = ? AND to_id IN (SELECT value FROM json_each(?)) AND kind = 'GENERALIZES'
"""
_COUNT = """
SELECT edges.from_id, count(*), count(DISTINCT memories.episode),
       min(memories.occurred_at), max(memories.occurred_at)
FROM edges JOIN memories ON memories.namespace = edges.namespace AND memories.id = edges.to_id
WHERE edges.namespace = ? AND edges.from_id IN (SELECT value FROM json_each(?))
AND edges.kind = 'GENERALIZES' AND memories.evidence = 1
GROUP BY edges.from_id
"""


class _Tally(NamedTuple):
    frequency: int
    episodes: int
    first_seen: datetime
    last_seen: datetime


def keep_counts(memory: Memory, old: Memory | None) -> Memory:
    """A caller's value with the counts that the store has, zero for a new pattern."""
    if not isinstance(memory, Pattern):
        return memory
    if isinstance(old, Pattern):
        return replace(memory, frequency=old.frequency, episodes=old.episodes, level=old.level)
    return replace(memory, frequency=0, episodes=0, level=Level.NONE)


def patterns_written(action: Action, written: Iterable[Memory]) -> None:
    """Note that the patterns among these memories must be recounted."""
    action.patterns.update(memory.id for memory in written if isinstance(memory, Pattern))


def members_changed(action: Action, ids: Iterable[str]) -> None:
    """Note that the patterns over these memories must be recounted."""
    rows = action.connection.execute(_PATTERNS_OF, (action.namespace, listed(ids)))
    action.patterns.update(pattern_id for (pattern_id,) in rows)


def recount(action: Action, tight: Mapping[str, bool], at: datetime) -> None:
    """Count the noted patterns again, and write what changed, with a TRANSITION for another level.

    A version moves by one in an action at most: not again for a pattern that the action itself wrote.
    """
    if not action.patterns:
        return
    stored = memories.load(action.connection, action.namespace, action.patterns)
    tallies = _tallies(action)
    for id, item in sorted(stored.items()):
        old = item.memory
        if not isinstance(old, Pattern):
            continue
        new = _counted(old, tallies.get(id), tight.get(id, old.level is Level.HIGH))
        if new == old:
            continue
        memories.put(action, new if id in action.written else replace(new, version=old.version + 1), item)
        if new.level is not old.level:
            _record_transition(action, old, new, at)


def _tallies(action: Action) -> dict[str, _Tally]:
    rows = action.connection.execute(_COUNT, (action.namespace, listed(action.patterns)))
    return {
        id: _Tally(frequency, episodes, moment(first), moment(last))
        for id, frequency, episodes, first, last in rows
    }


def _counted(pattern: Pattern, tally: _Tally | None, tight: bool) -> Pattern:
    """The pattern with its tally; one without members keeps when it was seen."""
    if tally is None:
        return replace(pattern, frequency=0, episodes=0, level=level(0, tight))
    return replace(pattern, **tally._asdict(), level=level(tally.episodes, tight))


def _record_transition(action: Action, old: Pattern, new: Pattern, at: datetime) -> None:
    number = records.count_about(action, RecordKind.TRANSITION, new.id) + 1
    body = {"from": old.level, "to": new.level, "frequency": new.frequency, "episodes": new.episodes}
    records.put(
        action,
        Record(kind=RecordKind.TRANSITION, id=f"{new.id}:{number}", at=at, subject=new.id, body=body),
    )
