"""Ranking the rows of one kind for a question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from graphmem.analysis.fusion import (
    KEY_BONUS,
    LISTED_DEVIATIONS,
    MIXED_WEIGHT,
    WEAK_DEVIATIONS,
    decay,
    relevance,
)
from graphmem.domain.memories import Experience, MemoryKind, Result, SearchField, State
from graphmem.domain.replaying import Hindsight
from graphmem.domain.rules import is_witness
from graphmem.index.namespace_index import NamespaceIndex
from graphmem.index.partition import FieldScores, PreparedQuery
from graphmem.index.shelf import WITNESS, Shelf

Scores = NDArray[np.float64]

WORD_WEIGHT: Mapping[MemoryKind, float] = {
    MemoryKind.FACT: 0.5,
    MemoryKind.EXPERIENCE: 0.7,
    MemoryKind.PATTERN: 0.7,
    MemoryKind.STRATEGY: 0.7,
}
"""Weight of words against meaning where one language is used (docs/adr/0004)."""
SITUATION_TIE = 0.1
"""Weight of the situation where a concern ranks: it only breaks ties."""
RANKED = 60
"""Candidates kept of one kind: as many that worked, that did not, and that did not and are weak, of the latter two as
many that are no witnesses: none crowds the others out, and silent ones crowd out nothing. Far more than are ever
listed, so that groups can be counted."""
REPEATED = 10
"""Archived exact repeats that are found at most, the newest."""


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for in one kind. concern None = situation alone; keys: column -> wanted value; hindsight: only
    what was known then; is_silent: whether nothing is said of a memory, so that it takes no other's place.
    """

    kind: MemoryKind
    situation: PreparedQuery
    concern: PreparedQuery | None
    keys: Mapping[str, str]
    now: datetime
    start: datetime | None = None
    end: datetime | None = None
    include_archived: bool = False
    hindsight: Hindsight | None = None
    is_silent: Callable[[str], bool] = lambda _: False


@dataclass(frozen=True, slots=True)
class Candidate:
    """One ranked memory. relevance is raw (before decay); nearness: that of an experience's situation alone, without
    keys; deviation is None where no vector was compared; weak: only the nearest there is, with nothing to show that it
    fits; repeat: an archived experience of the very situation, which was not scored; witness: it repeats nothing that
    was served; silent: nothing is said of it.
    """

    id: str
    relevance: float
    decay: float
    lexical: float
    deviation: float | None
    equal_keys: tuple[str, ...]
    weak: bool = False
    repeat: bool = False
    witness: bool = True
    silent: bool = False
    nearness: float = 0.0

    @property
    def ranking(self) -> float:
        """What the order is made by."""
        return self.relevance * self.decay


def search(index: NamespaceIndex, wanted: Search) -> list[Candidate]:
    """Candidates worth listing, best first, of each outcome RANKED at most that are not silent: those that share a
    token, lie two deviations above chance, or used the very tool that is asked about; of what went wrong also, as
    weak, what lies above chance at all. Ties are broken by id.
    """
    found = _listed(index.shelves[wanted.kind], wanted)
    if wanted.kind is MemoryKind.EXPERIENCE:
        found += _archived(index, wanted)
        found.sort(key=lambda candidate: (-candidate.ranking, candidate.id))
    return found


def compared(index: NamespaceIndex, wanted: Search, ids: Iterable[str]) -> list[Candidate]:
    """What a question makes of these memories, listed or not, best first; those of another kind are left out."""
    named = list(ids)
    found = _looked_up(index.shelves[wanted.kind], wanted, named)
    if wanted.kind is MemoryKind.EXPERIENCE and len(found) < len(named):
        found += _looked_up(index.archive, wanted, named)
    return sorted(found, key=lambda candidate: (-candidate.ranking, candidate.id))


def _archived(index: NamespaceIndex, wanted: Search) -> list[Candidate]:
    """What is not searched by default: all of it when it is asked for or in hindsight, else exact repeats."""
    if wanted.include_archived or wanted.hindsight is not None:
        return _listed(index.archive, wanted)
    return [
        _repeated(memory, wanted)
        for memory in index.repeats.find(wanted.situation.text)
        if _fits(memory, wanted)
    ][:REPEATED]


def _fits(memory: Experience, wanted: Search) -> bool:
    started = wanted.start is None or memory.occurred_at >= wanted.start
    ended = wanted.end is not None and memory.occurred_at >= wanted.end
    return memory.state is State.ACTIVE and started and not ended


def _repeated(memory: Experience, wanted: Search) -> Candidate:
    """An archived experience in the very situation that is asked about: as relevant as can be."""
    days = (wanted.now - memory.occurred_at) / timedelta(days=1)
    return Candidate(
        id=memory.id,
        relevance=1.0,
        decay=float(decay(np.array([days]))[0]),
        lexical=0.0,
        deviation=None,
        equal_keys=tuple(name for name, value in wanted.keys.items() if getattr(memory, name) == value),
        repeat=True,
        witness=is_witness(memory),
        silent=wanted.is_silent(memory.id),
        nearness=1.0,
    )


def _listed(shelf: Shelf, wanted: Search) -> list[Candidate]:
    if not len(shelf):
        return []
    scores = _scored(shelf, wanted)
    allowed = _allowed(shelf, wanted)
    worked = shelf.equal("result", Result.SUCCESS)
    failed = [~worked & scores.related]
    if wanted.kind is MemoryKind.EXPERIENCE:
        failed.append(~worked & ~scores.related & scores.near)
    groups = [
        worked & scores.related,
        *(part & own for part in failed for own in (scores.witness, ~scores.witness)),
    ]
    kept = [
        row for group in groups for row in _best(shelf, scores.ranking, group & allowed, wanted.is_silent)
    ]
    ordered = sorted(kept, key=lambda row: (-scores.ranking[row], shelf.ids[row]))
    return [scores.candidate(shelf.ids[row], row, wanted) for row in ordered]


def _looked_up(shelf: Shelf, wanted: Search, ids: Iterable[str]) -> list[Candidate]:
    rows = {name: row for name in ids if (row := shelf.row(name)) is not None}
    if not rows:
        return []
    scores = _scored(shelf, wanted)
    return [scores.candidate(name, row, wanted) for name, row in rows.items()]


@dataclass(frozen=True, slots=True)
class _Scored:
    """Scores of every row of a shelf. nearness: of its situation alone; related: fits, so that it is listed; near:
    above chance; equal: which keys a row shares.
    """

    raw: Scores
    nearness: Scores
    decay: Scores
    lexical: Scores
    deviations: Scores
    related: NDArray[np.bool_]
    near: NDArray[np.bool_]
    witness: NDArray[np.bool_]
    equal: Mapping[str, NDArray[np.bool_]]

    @property
    def ranking(self) -> Scores:
        """What the order is made by."""
        return self.raw * self.decay

    def candidate(self, memory_id: str, row: int, wanted: Search) -> Candidate:
        """A row as a candidate."""
        return Candidate(
            id=memory_id,
            relevance=float(self.raw[row]),
            decay=float(self.decay[row]),
            lexical=float(self.lexical[row]),
            deviation=None if np.isnan(self.deviations[row]) else float(self.deviations[row]),
            equal_keys=tuple(name for name, mask in self.equal.items() if mask[row]),
            weak=not self.related[row],
            witness=bool(self.witness[row]),
            silent=wanted.is_silent(memory_id),
            nearness=float(self.nearness[row]),
        )


def _scored(shelf: Shelf, wanted: Search) -> _Scored:
    fields = _field_scores(shelf, wanted)
    fused = _fused(shelf, wanted, fields)
    raw = _combined(shelf, wanted, fused)
    nearness = fused.get("situation", np.zeros_like(raw))
    equal = {name: shelf.equal(name, value) for name, value in wanted.keys.items()}
    for mask in equal.values():
        raw = raw + KEY_BONUS * mask
    lexical = np.maximum.reduce([scores.lexical for scores in fields.values()])
    deviations = np.fmax.reduce([scores.deviations for scores in fields.values()])
    with np.errstate(invalid="ignore"):
        related = (lexical > 0) | (deviations >= LISTED_DEVIATIONS) | equal.get("tool", False)
        near = deviations > WEAK_DEVIATIONS
    aged, witness = decay(shelf.age_days(wanted.now)), shelf.equal(WITNESS, WITNESS)
    return _Scored(raw, nearness, aged, lexical, deviations, related, near, witness, equal)


def _best(
    shelf: Shelf, ranking: Scores, wanted: NDArray[np.bool_], is_silent: Callable[[str], bool]
) -> list[int]:
    """The best rows among the wanted ones: so many that RANKED of them are not silent, if there are as many. Ties go by
    id, never by the place of a row.
    """
    rows, size = np.flatnonzero(wanted), RANKED
    while True:
        best = _top(shelf, ranking, rows, size)
        silent = sum(is_silent(shelf.ids[row]) for row in best)
        if len(best) - silent >= RANKED or len(best) == len(rows):
            return best
        size = 2 * size


def _top(shelf: Shelf, ranking: Scores, rows: NDArray[np.intp], size: int) -> list[int]:
    if len(rows) > size:
        least = np.partition(ranking[rows], -size)[-size]
        rows = rows[ranking[rows] >= least]
    return sorted(rows.tolist(), key=lambda row: (-ranking[row], shelf.ids[row]))[:size]


def _field_scores(shelf: Shelf, wanted: Search) -> dict[str, FieldScores]:
    if wanted.kind is not MemoryKind.EXPERIENCE:
        return {"text": shelf.score(SearchField.TEXT, wanted.concern or wanted.situation)}
    situation = shelf.score(SearchField.SITUATION, wanted.situation)
    outcome = shelf.score(SearchField.OUTCOME, wanted.concern or wanted.situation)
    return {"situation": situation, "outcome": outcome}


def _fused(shelf: Shelf, wanted: Search, fields: Mapping[str, FieldScores]) -> dict[str, Scores]:
    """Relevance by field."""
    fused = {}
    for name, scores in fields.items():
        partition = shelf.fields[SearchField(name)]
        query = wanted.situation if name == "situation" or wanted.concern is None else wanted.concern
        weight = _word_weight(wanted.kind, query, partition.is_mixed(query.language))
        fused[name] = relevance(scores.lexical, np.nan_to_num(scores.deviations), weight)
    return fused


def _combined(shelf: Shelf, wanted: Search, fused: Mapping[str, Scores]) -> Scores:
    if wanted.kind is not MemoryKind.EXPERIENCE:
        return fused["text"]
    if wanted.concern is not None:
        return fused["outcome"] + SITUATION_TIE * fused["situation"]
    has_outcome = shelf.present(SearchField.OUTCOME)
    mean: Scores = np.where(has_outcome, (fused["situation"] + fused["outcome"]) / 2, fused["situation"])
    return mean


def _word_weight(kind: MemoryKind, query: PreparedQuery, mixed: bool) -> float:
    if query.vector is None:
        return 1.0
    return MIXED_WEIGHT if mixed else WORD_WEIGHT[kind]


def _allowed(shelf: Shelf, wanted: Search) -> NDArray[np.bool_]:
    allowed = shelf.within(wanted.start, wanted.end)
    if not wanted.include_archived:
        allowed &= shelf.equal("state", State.ACTIVE)
    if wanted.hindsight is not None:
        allowed &= shelf.known_before(wanted.hindsight.moment)
        allowed &= ~shelf.equal("episode", wanted.hindsight.episode)
    return allowed
