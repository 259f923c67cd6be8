"""Frequencies, episodes and levels of patterns: counted by the store, never taken from a caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from neo4j import Record as Row

from graphmem.adapters.neo4j import memories, records, saving
from graphmem.adapters.neo4j.action import Action
from graphmem.adapters.neo4j.properties import Stored, stored_from
from graphmem.adapters.neo4j.values import moment
from graphmem.domain.memories import Level, Memory, Pattern
from graphmem.domain.records import Record, RecordKind
from graphmem.domain.rules import level


def keep_counts(memory: Memory, old: Memory | None) -> Memory:
    """A caller's value with the counts that the store has, zero for a new pattern."""
    if not isinstance(memory, Pattern):
        return memory
    if isinstance(old, Pattern):
        return replace(memory, frequency=old.frequency, episodes=old.episodes, level=old.level)
    return replace(memory, frequency=0, episodes=0, level=Level.NONE)


def recount(action: Action, tight: Mapping[str, bool], at: datetime) -> None:
    """Count again the patterns that are noted or have a noted member; write what changed.

    Another level leaves a TRANSITION record. A version moves by one in an action at most: not again for a
    pattern that the action itself wrote.
    """
    if not (action.patterns or action.members):
        return
    saving.send(action)
    rows = action.session.run(
        "write/count-members",
        namespace=action.namespace,
        ids=sorted(action.patterns),
        members=sorted(action.members),
    )
    changed: list[tuple[Memory, Stored]] = []
    for row in rows:
        stored = stored_from(row["pattern"])
        if stored is None or not isinstance(old := stored.memory, Pattern):
            continue
        new = _counted(old, row, tight.get(old.id, old.level is Level.HIGH))
        if new == old:
            continue
        if new.level is not old.level:
            records.note(action, _transition(old, new, row["transitions"], at))
        raised = new if old.id in action.written else replace(new, version=old.version + 1)
        changed.append((raised, stored))
    memories.put(action, changed)


def _counted(pattern: Pattern, row: Row, tight: bool) -> Pattern:
    """The pattern with its tally; one without members keeps when it was seen."""
    reached = level(row["episodes"], tight)
    counted = replace(pattern, frequency=row["frequency"], episodes=row["episodes"], level=reached)
    if not row["frequency"]:
        return counted
    return replace(counted, first_seen=moment(row["first_seen"]), last_seen=moment(row["last_seen"]))


def _transition(old: Pattern, new: Pattern, before: int, at: datetime) -> Record:
    body = {"from": old.level, "to": new.level, "frequency": new.frequency, "episodes": new.episodes}
    id = f"{new.id}:{before + 1}"
    return Record(kind=RecordKind.TRANSITION, id=id, at=at, subject=new.id, body=body)
