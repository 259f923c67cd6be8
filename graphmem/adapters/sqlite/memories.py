"""Rows of memories with their vectors and tags: loaded in batches, written one by one."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from graphmem.adapters.sqlite.action import Action
from graphmem.adapters.sqlite.rows import fault, listed, micros, readable, signed, storable, unsigned
from graphmem.domain.causation import End
from graphmem.domain.encoding import memory_digest, memory_from_json, memory_json, shortened
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory, MemoryKind, SearchField
from graphmem.domain.rules import counts_as_evidence
from graphmem.ports.queries import Damage

_LOAD = """
SELECT id, occurred_at, revision, digest, body FROM memories
WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))
"""
_LOAD_ENDS = """
SELECT id, kind FROM memories INDEXED BY sqlite_autoindex_memories_1
WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))
"""
_LOAD_BY_REF = """
SELECT id, occurred_at, revision, digest, body FROM memories
WHERE namespace = ? AND ref <> '' AND ref IN (SELECT value FROM json_each(?))
"""
_LOAD_VECTORS = """
SELECT memory_id, field, vector FROM vectors
WHERE namespace = ? AND memory_id IN (SELECT value FROM json_each(?))
"""
_ALL = "SELECT id, occurred_at, revision, digest, body, ref FROM memories WHERE namespace = ? ORDER BY id"
_PUT = """
INSERT INTO memories (
    namespace, id, ref, kind, revision, occurred_at, state, evidence, episode,
    session_id, task_id, task_type, result, tool, agent, error_type, digest, body
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (namespace, id) DO UPDATE SET
    ref = excluded.ref, kind = excluded.kind, revision = excluded.revision,
    occurred_at = excluded.occurred_at, state = excluded.state, evidence = excluded.evidence,
    episode = excluded.episode, session_id = excluded.session_id, task_id = excluded.task_id,
    task_type = excluded.task_type, result = excluded.result, tool = excluded.tool, agent = excluded.agent,
    error_type = excluded.error_type, digest = excluded.digest, body = excluded.body
"""
_DROP_VECTORS = "DELETE FROM vectors WHERE namespace = ? AND memory_id = ?"
_PUT_VECTOR = "INSERT INTO vectors (namespace, memory_id, field, vector) VALUES (?, ?, ?, ?)"
_DROP_TAGS = "DELETE FROM tags WHERE namespace = ? AND memory_id = ?"
_PUT_TAG = "INSERT OR IGNORE INTO tags (namespace, memory_id, tag) VALUES (?, ?, ?)"
_DROP_TOMBSTONE = "DELETE FROM tombstones WHERE namespace = ? AND id = ?"

Row = tuple[str, int, int, int, str]
"""id, occurred_at, revision, digest, body: what every statement that loads memories selects."""


_FIELDS = frozenset(SearchField)


class Stored(NamedTuple):
    """A memory with vectors and revision, and the digest of its row."""

    memory: Memory
    digest: int


def load(connection: sqlite3.Connection, namespace: str, ids: Iterable[str]) -> dict[str, Stored]:
    """Stored memories by id; what is not there is left out."""
    rows = connection.execute(_LOAD, (namespace, listed(ids)))
    return filled(connection, namespace, rows)


def ends(connection: sqlite3.Connection, namespace: str, ids: Collection[str]) -> dict[str, End]:
    """What a relation asks of stored memories, by id; what is not there is left out."""
    rows = connection.execute(_LOAD_ENDS, (namespace, listed(ids))) if ids else ()
    return {id: End(id, MemoryKind(kind)) for id, kind in rows}


def get(
    connection: sqlite3.Connection, namespace: str, names: Sequence[str], *, vectors: bool
) -> dict[str, Memory]:
    """Memories by id or ref, keyed as asked; an id goes before a ref."""
    by_ref = connection.execute(_LOAD_BY_REF, (namespace, listed(names)))
    stored = filled(connection, namespace, by_ref, vectors=vectors)
    found = {item.memory.ref: item.memory for item in stored.values()}
    by_id = connection.execute(_LOAD, (namespace, listed(names)))
    found |= {id: item.memory for id, item in filled(connection, namespace, by_id, vectors=vectors).items()}
    return {name: found[name] for name in names if name in found}


def filled(
    connection: sqlite3.Connection, namespace: str, rows: Iterable[Row], *, vectors: bool = True
) -> dict[str, Stored]:
    """The memories of the rows by id, in order, with their vectors unless these are not wanted; a row that a person
    made unreadable is left out.
    """
    found = list(rows)
    ids = [id for id, *_ in found if isinstance(id, str)]
    own = _vectors(connection, namespace, ids if vectors else ())
    read = (readable(partial(_stored, own), row) for row in found)
    return {item.memory.id: item for item in read if item}


def _vectors(
    connection: sqlite3.Connection, namespace: str, ids: Sequence[str]
) -> Mapping[str, Mapping[SearchField, bytes]]:
    vectors: defaultdict[str, dict[SearchField, bytes]] = defaultdict(dict)
    rows = connection.execute(_LOAD_VECTORS, (namespace, listed(ids))) if ids else ()
    for memory_id, field, vector in rows:
        if field in _FIELDS and isinstance(vector, bytes):
            vectors[memory_id][SearchField(field)] = vector
    return vectors


def _stored(vectors: Mapping[str, Mapping[SearchField, bytes]], row: Row) -> Stored:
    """The memory of a row. Raises one of UNREADABLE, ValueError with what is wrong."""
    id, _, revision, digest, body = row
    memory = memory_from_json(body, revision=revision, vectors=vectors.get(id, {}))
    if memory.id != id:
        raise ValueError(f"id is {shortened(memory.id)}")
    if not isinstance(revision, int):
        raise ValueError(f"revision is {shortened(revision)}")
    return Stored(memory, unsigned(digest))


def damaged(connection: sqlite3.Connection, namespace: str) -> Iterator[Damage]:
    """The memories whose rows cannot be read."""
    for *row, ref in connection.execute(_ALL, (namespace,)):
        if why := fault(partial(_stored, {}), row):
            yield Damage(name=str(ref or row[0]), why=why)


def put(action: Action, memory: Memory, old: Stored | None) -> Memory:
    """Write a memory over its old value, carrying the action's revision. The value as stored."""
    if memory.namespace != action.namespace:
        raise BadInputError("belongs to another namespace", field="namespace", remedy="write to its own")
    memory = replace(memory, revision=action.revision)
    with storable("memory"):
        body = memory_json(memory)
        digest = memory_digest(memory, body)
        action.connection.execute(_PUT, (*_columns(memory), signed(digest), body))
    if old is None:
        action.connection.execute(_DROP_TOMBSTONE, (memory.namespace, memory.id))
    else:
        action.ledger.count_memory(old.memory, old.digest, times=-1)
    action.ledger.count_memory(memory, digest)
    _put_vectors(action.connection, memory, old.memory.vectors if old else {})
    _put_tags(action.connection, memory, old.memory.tags if old else ())
    action.written[memory.id] = memory
    return memory


def _columns(memory: Memory) -> tuple[str | int, ...]:
    return (
        memory.namespace,
        memory.id,
        memory.ref,
        memory.kind.value,
        memory.revision,
        micros("occurred_at", memory.occurred_at),
        memory.state.value,
        counts_as_evidence(memory),
        memory.episode,
        memory.session_id,
        memory.task_id,
        memory.task_type,
        getattr(memory, "result", ""),
        getattr(memory, "tool", ""),
        getattr(memory, "agent", ""),
        getattr(memory, "error_type", ""),
    )


def _put_vectors(connection: sqlite3.Connection, memory: Memory, old: Mapping[SearchField, bytes]) -> None:
    if memory.vectors == old:
        return
    place = memory.namespace, memory.id
    connection.execute(_DROP_VECTORS, place)
    connection.executemany(_PUT_VECTOR, [(*place, name, vector) for name, vector in memory.vectors.items()])


def _put_tags(connection: sqlite3.Connection, memory: Memory, old: tuple[str, ...]) -> None:
    if memory.tags == old:
        return
    place = memory.namespace, memory.id
    connection.execute(_DROP_TAGS, place)
    connection.executemany(_PUT_TAG, [(*place, tag) for tag in memory.tags])
