"""What worked in situations like the one asked about: read where a question hangs on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice

from graphmem.analysis.past_runs import PastSuccess
from graphmem.domain.encoding import decode
from graphmem.domain.memories import Experience, Result
from graphmem.domain.records import RecordKind
from graphmem.domain.recurrence import SESSION_SILENCE, Answer, Exposure
from graphmem.index.mirror import Header
from graphmem.index.search import Candidate
from graphmem.ports.queries import PageRequest, RecordSelection, pages
from graphmem.ports.store import MemoryStore

NEAREST = 30
"""Successes that may speak against a question: as many as there are failures for it (saying.JUDGED)."""
_PAGE = 500
_PAGES = 4


def nearest_successes(ranked: Sequence[Candidate], headers: Mapping[str, Header]) -> list[Candidate]:
    """The successes whose situations are nearest to the one asked about, of what was found."""
    worked = [hit for hit in ranked if headers[hit.id].result is Result.SUCCESS]
    return sorted(worked, key=lambda hit: (-hit.nearness, hit.id))[:NEAREST]


def successes_beside(
    store: MemoryStore, namespace: str, nearest: Sequence[Candidate], failures: Iterable[Experience]
) -> list[PastSuccess]:
    """The successes, as the store has them now, beside failures that could be asked about.

    What worked in a session that applied a reminder of one of these is averted: else a warning that helps would
    silence itself. Raises UnavailableError.
    """
    found = store.get(namespace, [hit.id for hit in nearest], vectors=False) if nearest else {}
    worked = [
        (hit, memory)
        for hit in nearest
        if isinstance(memory := found.get(hit.id), Experience) and memory.result is Result.SUCCESS
    ]
    lineages = sorted({failure.cluster_id or failure.id for failure in failures})
    helped = _sessions_that_applied(store, namespace, lineages, [memory for _, memory in worked])
    return [
        PastSuccess(memory.situation, memory.tool, hit.nearness, averted=memory.session_id in helped)
        for hit, memory in worked
    ]


def _sessions_that_applied(
    store: MemoryStore, namespace: str, lineages: Sequence[str], worked: Sequence[Experience]
) -> frozenset[str]:
    """The sessions of these successes in which a reminder of a lineage was applied."""
    within = [memory for memory in worked if memory.session_id]
    if not within or not lineages:
        return frozenset()
    since = min(memory.recorded_at for memory in within) - SESSION_SILENCE
    selection = RecordSelection(subjects=tuple(lineages), since=since)
    read = partial(store.records, namespace, RecordKind.EXPOSURE, selection)
    exposures = [
        decode(Exposure, record.body)
        for page in islice(pages(read, PageRequest(first=_PAGE)), _PAGES)
        for record in page.items
    ]
    return frozenset(one.session_id for one in exposures if one.answer is Answer.APPLIED)
