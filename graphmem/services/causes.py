"""Finding the memory that a cause reference names, and making the edge to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from graphmem.domain.causation import (
    CauseEdge,
    Evidence,
    Grade,
    cause_time,
    check_ends,
    check_order,
    lag_ms,
)
from graphmem.domain.drafts import CauseRef
from graphmem.domain.errors import AmbiguousError, BadInputError, NotFoundError
from graphmem.domain.identifiers import spellings
from graphmem.domain.memories import Experience, Memory
from graphmem.ports.queries import PageRequest, Selection
from graphmem.ports.store import MemoryStore

_SEARCHED = 500
"""Memories of a task looked through for a text reference."""
_NAMED = 5
"""Candidates named when a text is ambiguous."""


def named(store: MemoryStore, namespace: str, names: Iterable[str]) -> dict[str, Memory]:
    """Memories by id or ref, a ref in capitals or not, keyed as asked; what is not there is left out."""
    meant = {name: spellings(name) for name in names if name}
    found = store.get(namespace, [spelt for some in meant.values() for spelt in some]) if meant else {}
    return {
        name: found[spelt]
        for name, some in meant.items()
        if (spelt := next((s for s in some if s in found), ""))
    }


def require(store: MemoryStore, namespace: str, memory_id: str, field: str = "id") -> Memory:
    """The memory with this id or ref. Raises NotFoundError; a foreign id looks like an unknown one."""
    found = named(store, namespace, [memory_id]).get(memory_id)
    if found is None:
        raise NotFoundError("no such memory here", field=field, remedy="check the id, ref and namespace")
    return found


def began(memory: Memory) -> datetime:
    """When a memory began to act; a fact without valid_from from when it was recorded to have occurred."""
    return cause_time(memory) or memory.occurred_at


def resolve(
    store: MemoryStore, effect: Memory, ref: CauseRef, field: str, pending: Mapping[str, Memory]
) -> Memory:
    """The cause that ref names, among pending writes of the same call or in the store.

    Raises NotFoundError when there is none, AmbiguousError when a text fits several.
    """
    if ref.id:
        return require(store, effect.namespace, ref.id, f"{field}.id")
    if ref.text:
        return _by_text(store, effect, ref.text, f"{field}.text", pending)
    if ref.key in pending:
        return pending[ref.key]
    receipt = store.receipt(effect.namespace, ref.key)
    if receipt is None or receipt.erased:
        raise NotFoundError(
            "no memory was written with this key", field=f"{field}.key", remedy="check the key"
        )
    return require(store, effect.namespace, receipt.memory_id, f"{field}.key")


def cause_edge(effect: Memory, cause: Memory, ref: CauseRef, grade: Grade, at: datetime) -> CauseEdge:
    """The edge effect -> cause with one piece of evidence by the effect's writer."""
    evidence = Evidence(grade, ref.confidence, "stated", effect.writer.id, at, ref.note)
    return CauseEdge(
        from_id=effect.id, to_id=cause.id, recorded_at=at, evidence=(evidence,), lag_ms=lag_ms(effect, cause)
    )


def stated_edges(
    store: MemoryStore,
    effect: Experience,
    refs: Sequence[CauseRef],
    at: datetime,
    pending: Mapping[str, Memory],
) -> list[CauseEdge]:
    """Edges for everything a writer names as cause of effect. Raises as resolve, check_ends and check_order."""
    edges = []
    for index, ref in enumerate(refs):
        field = f"caused_by[{index}]"
        cause = resolve(store, effect, ref, field, pending)
        check_ends(CauseEdge.kind, effect, cause, field)
        check_order(effect, cause, field)
        edges.append(cause_edge(effect, cause, ref, ref.grade, at))
    return edges


def _by_text(
    store: MemoryStore, effect: Memory, text: str, field: str, pending: Mapping[str, Memory]
) -> Memory:
    if not effect.task_id:
        raise BadInputError(
            "a cause by text is looked up within a task, and this memory has none",
            field=field,
            remedy="give task_id, or name the cause by id or key",
        )
    page = store.find(effect.namespace, Selection(task_id=effect.task_id), PageRequest(first=_SEARCHED))
    candidates = {memory.id: memory for memory in (*page.items, *pending.values())}
    needle = text.strip().casefold()
    fitting = [
        memory
        for memory in candidates.values()
        if memory.id != effect.id and memory.task_id == effect.task_id and needle in memory.text.casefold()
    ]
    if not fitting:
        raise NotFoundError(
            "nothing in this task contains that text", field=field, remedy="name it by id or key"
        )
    if len(fitting) > 1:
        names = tuple(memory.ref or memory.id for memory in fitting[:_NAMED])
        raise AmbiguousError(
            f"{len(fitting)} memories of this task contain that text", field=field, candidates=names
        )
    return fitting[0]
