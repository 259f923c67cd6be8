"""What the store is told when a cluster has grown: who is in it, its pattern, and the strategy that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graphmem.analysis.clusters import CORE_MEMBERS
from graphmem.domain.causation import GeneralizesEdge
from graphmem.domain.drafts import Promotion
from graphmem.domain.memories import Experience, Level, Pattern, State, StrategyStatus
from graphmem.domain.rules import MAX_ITEMS, well_attested
from graphmem.index.cluster_view import ClusterView
from graphmem.ports.changes import Changes, Update
from graphmem.ports.queries import EdgeSelection, PageRequest
from graphmem.ports.store import MemoryStore
from graphmem.services.furnish import Furnish
from graphmem.services.intake import Clock, NewId
from graphmem.services.open_work import analyses
from graphmem.services.patterns import RECENT, WRITER, Joining, begun, joining, pattern_over
from graphmem.services.strategies import (
    has_guidance,
    promotion,
    same_strategy,
    sharing,
    strategies_over,
    strategy_of,
)

RENAMED = 100
"""Members whose cluster one action changes at most."""


@dataclass(frozen=True)
class Grown:
    """One action. more: the cluster needs another one after it; pattern_id: the pattern it touches, '' for none."""

    changes: Changes
    more: bool
    pattern_id: str


class Growth:
    """Turns what a view of clusters says into actions, each whole, each harmless when repeated."""

    def __init__(
        self, store: MemoryStore, furnish: Furnish, clock: Clock, new_id: NewId, tells: bool = False
    ) -> None:
        """tells: whether there is somebody to be told what happens to a pattern."""
        self._store = store
        self._furnish = furnish
        self._clock = clock
        self._new_id = new_id
        self._tells = tells

    def changes(self, namespace: str, view: ClusterView, cluster_id: str, at: datetime) -> Grown:
        """What is to be written so that the store agrees with the view about a cluster."""
        members = [failure.id for failure in view.members(cluster_id)]
        known = pattern_over(view, members)
        linked = view.under(known.id) if known else []
        under = frozenset(linked)
        settled = known is not None and len(set(members) - under) <= RECENT
        core = view.core(cluster_id, RECENT if settled else CORE_MEMBERS)
        new = [name for name in core if name not in under]
        unsaved = view.unsaved(cluster_id)
        renamed = unsaved[:RENAMED]
        memories = self._experiences(namespace, [*renamed, *new])
        pattern = known or (begun(view, core, memories, self._new_id(at), at) if core else None)
        changes = Changes(namespace=namespace, at=at)
        joined: Joining | None = None
        if pattern and new:
            joined = joining(view, pattern, linked, [memories[name] for name in new if name in memories], at)
            changes = self._joined(namespace, at, joined, known)
        changed = {memory.id: memory for memory in joined.joined} if joined else {}
        for name in renamed:
            if name in memories:
                changed[name] = replace(changed.get(name, memories[name]), cluster_id=cluster_id)
        updates = [
            Update(memory=memory, expected_version=memory.version)
            for name, memory in sorted(changed.items())
            if memory != memories[name]
        ]
        more = len(unsaved) > len(renamed) or bool(joined and joined.more)
        whole = replace(changes, update=(*changes.update, *updates))
        return Grown(whole, more, joined.pattern.id if joined else "")

    def settle(self, namespace: str, pattern_id: str) -> bool:
        """Make a strategy of a pattern that has become HIGH, once; whether one was made.

        It is in force at once when the pattern rests on two writers or a trusted one, else proposed. None is made while
        nobody said what to do: a rule's account of the failure is no guidance. Where another pattern of the same kind
        of work has led to a strategy that says the same, that one stands over this pattern too.
        """
        pattern = self._store.get(namespace, [pattern_id]).get(pattern_id)
        if (
            not isinstance(pattern, Pattern)
            or pattern.level is not Level.HIGH
            or pattern.state is not State.ACTIVE
            or not has_guidance(pattern)
            or strategies_over(self._store, pattern)
        ):
            return False
        selection = EdgeSelection(kinds=(GeneralizesEdge.kind,), from_ids=(pattern.id,))
        below = self._store.edges(namespace, selection, PageRequest(first=MAX_ITEMS)).items
        members = self._experiences(namespace, [edge.to_id for edge in below])
        attested = well_attested(memory.writer for memory in members.values())
        at = self._clock()
        status = StrategyStatus.ACTIVE if attested else StrategyStatus.PROPOSED
        wanted = Promotion(pattern=pattern.id, by=WRITER.id)
        strategy = strategy_of(pattern, wanted, self._new_id(at), at, status)
        said = same_strategy(self._store, strategy)
        changes = sharing(pattern, said, at) if said else promotion(pattern, strategy, 0, self._furnish)
        return self._store.apply(changes).created and said is None

    def _joined(self, namespace: str, at: datetime, joined: Joining, known: Pattern | None) -> Changes:
        """The part of an action that is about the pattern: new, changed, or as it was."""
        changes = Changes(namespace=namespace, at=at)
        if known is None:
            furnished = self._furnish(namespace, [joined.pattern], at)
            changes = replace(furnished.changes(namespace, at), create=furnished.memories)
            changes = replace(changes, jobs=(*changes.jobs, *analyses([joined.pattern], at)))
        elif joined.pattern != known:
            update = Update(memory=joined.pattern, expected_version=known.version)
            changes = replace(changes, update=(update,))
        jobs = (*(joined.notices if self._tells else ()), *changes.jobs)
        return replace(changes, edges=joined.edges, tight=joined.tight, jobs=jobs)

    def _experiences(self, namespace: str, ids: Sequence[str]) -> dict[str, Experience]:
        found = self._store.get(namespace, list(dict.fromkeys(ids)))
        return {name: memory for name, memory in found.items() if isinstance(memory, Experience)}
