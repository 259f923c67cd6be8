"""Nodes of memories: read by id or reference, collected by an action to be written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from graphmem.adapters.neo4j.action import Action
from graphmem.adapters.neo4j.properties import Stored, properties_of, stored_from
from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.values import signed, storable
from graphmem.domain.encoding import memory_digest
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory, is_failure


def get(session: Session, namespace: str, names: Sequence[str], *, vectors: bool) -> dict[str, Memory]:
    """Memories by id or reference, keyed as asked; an id goes before a reference."""
    asked = [name for name in dict.fromkeys(names) if _is_text(name)]
    rows = session.rows("read/memories", namespace=namespace, names=asked, vectors=vectors) if asked else []
    found = [item.memory for item in map(stored_from, rows) if item]
    by_name = {memory.ref: memory for memory in found} | {memory.id: memory for memory in found}
    return {name: by_name[name] for name in names if name in by_name}


def _is_text(name: str) -> bool:
    """Whether a name can be sent at all; half a surrogate pair names nothing."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def put(action: Action, memories: Iterable[tuple[Memory, Stored | None]]) -> None:
    """Let the action write memories over their old values, carrying its revision."""
    action.nodes += [_row(action, memory, old) for memory, old in memories]


def _row(action: Action, memory: Memory, old: Stored | None) -> dict[str, Any]:
    if memory.namespace != action.namespace:
        raise BadInputError("belongs to another namespace", field="namespace", remedy="write to its own")
    memory = replace(memory, revision=action.revision)
    with storable("memory"):
        digest = memory_digest(memory)
        properties = properties_of(memory, signed(digest))
    if old is not None:
        action.ledger.count_memory(old.memory, old.digest, times=-1)
    action.ledger.count_memory(memory, digest)
    action.written[memory.id] = memory
    return {
        "id": memory.id,
        "kind": memory.kind.value,
        "failure": is_failure(memory),
        "properties": properties,
    }
