"""The daily log: what happened on a day, by task and session (seed 2's episodic memory)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice

from graphmem.domain.causation import CauseEdge, EdgeKind
from graphmem.domain.episodes import CauseNamed, DayLog, Episode
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory, MemoryKind
from graphmem.domain.rules import MAX_ITEMS, check_namespace
from graphmem.ports.queries import EdgeSelection, PageRequest, Selection, pages
from graphmem.ports.store import MemoryStore

MOST = 5_000
"""Memories of one day that are listed at most, the earliest first."""


class Daybook:
    """Reads the day from the store, so that it is whole whatever an index holds."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def day(self, namespace: str, day: date) -> DayLog:
        """What happened on a day in UTC. Raises BadInputError for the last day of the calendar."""
        check_namespace(namespace)
        start = datetime.combine(day, time(), UTC)
        try:
            end = start + timedelta(days=1)
        except OverflowError as error:
            raise BadInputError("is outside the calendar", field="day", remedy="e.g. 2026-03-01") from error
        found = list(islice(self._happened(namespace, start, end), MOST + 1))
        listed = found[:MOST]
        return DayLog(
            day=day,
            episodes=tuple(_episodes(listed)),
            causes=tuple(self._causes(namespace, {memory.id: memory for memory in listed})),
            truncated=len(found) > MOST,
        )

    def _happened(self, namespace: str, start: datetime, end: datetime) -> Iterable[Memory]:
        selection = Selection(
            kinds=(MemoryKind.FACT, MemoryKind.EXPERIENCE), occurred_from=start, occurred_to=end
        )
        first = PageRequest(first=MAX_ITEMS, ascending=True)
        for page in pages(lambda page: self._store.find(namespace, selection, page), first):
            yield from page.items

    def _causes(self, namespace: str, effects: dict[str, Memory]) -> Iterable[CauseNamed]:
        ids = list(effects)
        for start in range(0, len(ids), MAX_ITEMS):
            for edges in self._edges(namespace, ids[start : start + MAX_ITEMS]):
                elsewhere = [edge.cause_id for edge in edges if edge.cause_id not in effects]
                known = effects | self._store.get(namespace, elsewhere)
                for edge in edges:
                    if cause := known.get(edge.cause_id):
                        yield CauseNamed(effects[edge.effect_id].ref, cause.ref, cause.title)

    def _edges(self, namespace: str, ids: Iterable[str]) -> Iterable[list[CauseEdge]]:
        """The edges from these effects that are not refuted, page by page."""
        selection = EdgeSelection(kinds=(EdgeKind.CAUSED_BY,), from_ids=tuple(ids))
        first = PageRequest(first=MAX_ITEMS)
        for page in pages(lambda page: self._store.edges(namespace, selection, page), first):
            yield [edge for edge in page.items if isinstance(edge, CauseEdge) and edge.active]


def _episodes(memories: Iterable[Memory]) -> Iterable[Episode]:
    """Memories, oldest first, by task and session."""
    together: dict[tuple[str, str, str], list[Memory]] = {}
    for memory in memories:
        alone = "" if memory.task_id or memory.session_id else memory.id
        task_of = memory.task_id, "" if memory.task_id else memory.session_id, alone
        together.setdefault(task_of, []).append(memory)
    for held in together.values():
        sessions = {memory.session_id for memory in held}
        session_id = sessions.pop() if len(sessions) == 1 else ""
        yield Episode(task_id=held[0].task_id, session_id=session_id, memories=tuple(held))
