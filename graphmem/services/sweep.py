"""The daily sweep: moves experiences between tiers and drops notes that nobody needs any more.

It can be stopped anywhere and be repeated: each batch is one transaction, and what is still to be done is seen from
what is stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeVar

from graphmem.domain.encoding import decode
from graphmem.domain.errors import StaleError
from graphmem.domain.memories import Experience, Level, MemoryKind, Pattern, State, Tier
from graphmem.domain.records import Record, RecordKind
from graphmem.domain.recurrence import Exposure
from graphmem.domain.rules import check_namespace
from graphmem.domain.tiers import EXPOSED_FOR, SERVED_FOR, SPEAKERS, WARM_FOR, Swept, is_needed, tier_of
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import GraphMirror, Header
from graphmem.ports.changes import Changes, Update
from graphmem.ports.queries import PageRequest, RecordSelection, Selection, pages
from graphmem.ports.store import MemoryStore
from graphmem.services.intake import Clock
from graphmem.services.notebook import Notebook

EVERY = timedelta(days=1)
BATCH = 200
"""Experiences moved, or notes dropped, in one transaction."""
_PAGE = 500


class Sweep:
    """Changes no word of any memory and removes none."""

    def __init__(self, store: MemoryStore, indexes: IndexSet, notebook: Notebook, clock: Clock) -> None:
        self._store = store
        self._indexes = indexes
        self._notebook = notebook
        self._clock = clock
        self._done: dict[str, datetime] = {}

    def sweep(self, namespace: str, dry_run: bool = False) -> Swept:
        """Bring all tiers up to date and drop old notes; dry_run only tells what would be done.

        Raises BadInputError, UnavailableError.
        """
        check_namespace(namespace)
        self._notebook.flush()
        now = self._clock()
        headers, wanted = self._tiers(namespace, now)
        moves = {name: tier for name, tier in wanted.items() if headers[name].tier is not tier}
        served = [record.id for record in self._records(namespace, RecordKind.SERVED, now - SERVED_FOR)]
        exposures = self._unneeded(namespace, now - EXPOSED_FOR)
        left = 0
        if not dry_run:
            left = sum(self._move(namespace, batch) for batch in _batches(sorted(moves.items())))
            notes = [(RecordKind.SERVED, id) for id in served] + [
                (RecordKind.EXPOSURE, id) for id in exposures
            ]
            for batch in _batches(notes):
                self._store.apply(Changes(namespace=namespace, at=self._clock(), drop=tuple(batch)))
            self._done[namespace] = now
        return Swept(
            experiences=len(headers),
            before=Counter(header.tier for header in headers.values()),
            after=Counter(wanted.values()),
            moved=len(moves),
            left=left,
            served=len(served),
            exposures=len(exposures),
            dry_run=dry_run,
        )

    def is_due(self, namespace: str) -> bool:
        """Whether this process has not swept a namespace for a day."""
        last = self._done.get(namespace)
        return last is None or self._clock() - last >= EVERY

    def _tiers(self, namespace: str, now: datetime) -> tuple[dict[str, Header], dict[str, Tier]]:
        """Every active experience with the tier that it should have."""
        said = self._said(namespace, now - WARM_FOR)
        levels = self._levels(namespace)
        with self._indexes.graph(namespace) as graph:
            headers = {header.id: header for header in graph.experiences()}
            speakers = {name: _speakers(graph, name) for name in levels}
            over = {name: graph.generals(name) for name in headers}
        wanted = {}
        for name, header in headers.items():
            best = max(
                (levels[one] for one in over[name] if one in levels),
                key=list(Level).index,
                default=Level.NONE,
            )
            speaks = any(name in speakers[one] for one in over[name] if levels.get(one) is best)
            age = now - max(header.recorded_at, said.get(name, header.recorded_at))
            wanted[name] = tier_of(age, best, speaks)
        return headers, wanted

    def _said(self, namespace: str, since: datetime) -> dict[str, datetime]:
        """When a memory was last said as a warning or a question, since a time."""
        said: dict[str, datetime] = {}
        first = PageRequest(first=_PAGE)
        selection = RecordSelection(since=since)
        for page in pages(
            lambda page: self._store.records(namespace, RecordKind.EXPOSURE, selection, page), first
        ):
            for record in page.items:
                if "lineage" in record.body:
                    exposure = decode(Exposure, record.body)
                    if exposure.said_at is not None and exposure.shown:
                        old = said.get(exposure.memory_id, exposure.said_at)
                        said[exposure.memory_id] = max(old, exposure.said_at)
        return said

    def _levels(self, namespace: str) -> dict[str, Level]:
        selection = Selection(kinds=(MemoryKind.PATTERN,), states=(State.ACTIVE,))
        found = pages(lambda page: self._store.find(namespace, selection, page), PageRequest(first=_PAGE))
        return {one.id: one.level for page in found for one in page.items if isinstance(one, Pattern)}

    def _move(self, namespace: str, moves: Sequence[tuple[str, Tier]]) -> int:
        """Write the tiers of a batch in one transaction; how many had to be left since somebody changed one."""
        held = self._store.get(namespace, [name for name, _ in moves])
        updates = tuple(
            Update(memory=replace(memory, tier=tier), expected_version=memory.version)
            for name, tier in moves
            if isinstance(memory := held.get(name), Experience) and memory.tier is not tier
        )
        try:
            if updates:
                self._store.apply(Changes(namespace=namespace, at=self._clock(), update=updates))
        except StaleError:
            return len(updates)
        return 0

    def _unneeded(self, namespace: str, before: datetime) -> list[str]:
        """Exposures on which no measurement rests, and ends of sessions of which no exposure stays."""
        old = list(self._records(namespace, RecordKind.EXPOSURE, before))
        exposures = [decode(Exposure, record.body) for record in old if "lineage" in record.body]
        needed = {exposure.session_id for exposure in exposures if is_needed(exposure)}
        ends = [record.id for record in old if "lineage" not in record.body and record.subject not in needed]
        return [exposure.id for exposure in exposures if not is_needed(exposure)] + ends

    def _records(self, namespace: str, kind: RecordKind, before: datetime) -> Iterator[Record]:
        """The records of a kind that are older than a time."""
        found = pages(
            lambda page: self._store.records(namespace, kind, RecordSelection(), page),
            PageRequest(first=_PAGE),
        )
        for page in found:
            for record in page.items:
                if record.at >= before:
                    return
                yield record


def _speakers(mirror: GraphMirror, pattern_id: str) -> frozenset[str]:
    """Failures of the latest episodes of a pattern, the last of each."""
    latest: dict[str, Header] = {}
    members = sorted(mirror.specifics(pattern_id), key=lambda one: (one.recorded_at, one.id), reverse=True)
    for member in members:
        if member.state is State.ACTIVE and len(latest) < SPEAKERS:
            latest.setdefault(member.episode, member)
    return frozenset(member.id for member in latest.values())


_Item = TypeVar("_Item")


def _batches(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    return (items[start : start + BATCH] for start in range(0, len(items), BATCH))
