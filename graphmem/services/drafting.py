"""Turning a cleaned draft into a memory with its edges, and into changes of what it replaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from graphmem.analysis.diagnosis import diagnosed
from graphmem.analysis.generalizing import SOURCE, generalized
from graphmem.domain.causation import Edge, SupersedesEdge, check_ends
from graphmem.domain.drafts import Draft, ExperienceDraft, FactDraft
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import AnalysisState, Experience, Fact, Memory, Result, State
from graphmem.domain.rules import title_of
from graphmem.ports.changes import Update
from graphmem.ports.store import MemoryStore
from graphmem.services.causes import require, stated_edges

_OWN_FIELDS = frozenset({"key", "caused_by", "supersedes", "occurred_at", "writer"})
"""Fields of a draft that are not simply taken over."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """A new memory with the edges and updates that belong to it."""

    memory: Memory
    edges: tuple[Edge, ...] = ()
    updates: tuple[Update, ...] = ()


def draft_memory(
    store: MemoryStore,
    draft: Draft,
    stamp: Mapping[str, Any],
    pending: Mapping[str, Memory],
    generalize: bool = False,
) -> Drafted:
    """The memory that a draft describes. stamp: id, namespace, recorded_at; pending: by key, same call.
    generalize: a failure whose writer gave no generalization gets one by rule.

    Of a failure the rule analyst fills what its writer left empty; a full analysis is still asked for.
    Raises NotFoundError, AmbiguousError and BadInputError for causes and superseded facts that do not fit.
    """
    if isinstance(draft, FactDraft):
        return _fact(store, draft, Fact(**_own(draft, stamp), title=title_of(draft.statement)))
    if isinstance(draft, ExperienceDraft):
        memory = _experience(draft, stamp)
        if generalize:
            memory = _generalized(memory)
        edges = stated_edges(store, memory, draft.caused_by, memory.recorded_at, pending)
        return Drafted(memory, tuple(edges))
    raise BadInputError(f"{type(draft).__name__} is no draft of a memory", field="input")


def _own(draft: Draft, stamp: Mapping[str, Any]) -> dict[str, Any]:
    own = {name: value for name, value in vars(draft).items() if name not in _OWN_FIELDS}
    return {**own, **stamp, "writer": draft.writer, "occurred_at": draft.occurred_at or stamp["recorded_at"]}


def _experience(draft: ExperienceDraft, stamp: Mapping[str, Any]) -> Experience:
    filled = diagnosed(draft)
    return Experience(**_own(filled, stamp), title=experience_title(filled), analysis=_analysis(draft))


def _generalized(memory: Experience) -> Experience:
    if memory.result is not Result.FAILURE or memory.generalization:
        return memory
    general = generalized(memory.situation, memory.manifestation or memory.error_type)
    return replace(memory, generalization=general, generalization_source=SOURCE if general else "")


def _fact(store: MemoryStore, draft: FactDraft, fact: Fact) -> Drafted:
    edges, updates = [], []
    for index, name in enumerate(draft.supersedes):
        older = require(store, fact.namespace, name, f"supersedes[{index}]")
        check_ends(SupersedesEdge.kind, fact, older, f"supersedes[{index}]")
        edges.append(SupersedesEdge(from_id=fact.id, to_id=older.id, recorded_at=fact.recorded_at))
        updates.append(_ended(older, fact))
    return Drafted(fact, tuple(edges), tuple(updates))


def _ended(older: Memory, newer: Fact) -> Update:
    """The older fact, valid until the newer one began."""
    ended = getattr(older, "valid_to", None) or newer.valid_from or newer.occurred_at
    changes: dict[str, Any] = {"state": State.SUPERSEDED, "valid_to": ended}
    return Update(memory=replace(older, **changes), expected_version=older.version)


def experience_title(draft: ExperienceDraft | Experience) -> str:
    """What went wrong, where that is known, then what was done."""
    headline = draft.manifestation or draft.error_type
    return title_of(f"{headline}: {draft.action}" if headline else draft.action)


def _analysis(draft: ExperienceDraft) -> AnalysisState:
    asks = draft.result is Result.FAILURE and draft.root_cause is None
    return AnalysisState.PENDING if asks else AnalysisState.NOT_NEEDED
