"""Asking before acting: what is known, what went wrong before, what worked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

from graphmem.analysis.calibration import in_force
from graphmem.analysis.tokens import language_of, tokenize
from graphmem.domain.answers import Hit, RecallMode, Recollection
from graphmem.domain.drafts import Question
from graphmem.domain.errors import BadInputError
from graphmem.domain.gate import GatePrior
from graphmem.domain.memories import Experience, Memory, MemoryKind, Result
from graphmem.domain.replaying import Hindsight
from graphmem.domain.rules import (
    MAX_SHORT,
    MAX_TEXT,
    REMIND_PROBABILITY,
    check_namespace,
    check_required,
    check_text,
    check_time,
)
from graphmem.index.index_set import IndexSet
from graphmem.index.namespace_index import NamespaceIndex
from graphmem.index.partition import PreparedQuery
from graphmem.index.search import Candidate, Search, compared, search
from graphmem.ports.store import MemoryStore
from graphmem.services.embedding import Embedding
from graphmem.services.intake import Clock
from graphmem.services.saying import (
    decide_for,
    is_silenced,
    judged,
    patterns_known,
    reminder_of,
    speaking_patterns,
)
from graphmem.services.served import Served
from graphmem.services.what_worked import nearest_successes, successes_beside

MAX_LIMIT = 20
FAILED_HERE = 3
"""Failures named beside a fact that caused them."""


@dataclass(frozen=True, slots=True)
class _Found:
    """Ranked candidates by kind, the successes in the nearest situations, the failures that facts caused, the patterns
    over experiences, the lineages of all of them, when it was asked, where the index stood, and the gate in force.
    """

    ranked: Mapping[MemoryKind, list[Candidate]]
    successes: list[Candidate]
    caused: Mapping[str, list[str]]
    over: Mapping[str, list[str]]
    lineages: Mapping[str, tuple[str, ...]]
    asked_at: datetime
    revision: int
    mode: RecallMode
    gate: GatePrior


class Recall:
    """The reading verb. It changes no memory and no score; what a session was told is noted and written later."""

    def __init__(
        self,
        store: MemoryStore,
        indexes: IndexSet,
        embedding: Embedding,
        clock: Clock,
        served: Served,
        remind_from: float = REMIND_PROBABILITY,
    ) -> None:
        """remind_from: probability in (0, 1] from which the gate warns."""
        self._remind_from = remind_from
        self._store = store
        self._indexes = indexes
        self._embedding = embedding
        self._clock = clock
        self._served = served

    def ask(self, namespace: str, question: Question, worth: float = 0.0) -> Recollection:
        """Facts, own errors, successes, patterns and strategies for a situation, with earned reminders.

        A session gets it without what the hold-out withholds; everything is scored and decided before. worth: the
        least relevance in [0, 1] of what is listed. Raises BadInputError, TooLargeError, UnavailableError.
        """
        check_namespace(namespace)
        _check(question)
        found = self._find(namespace, question)
        whole = _worthy(self._answer(namespace, question, found), worth)
        return self._served.answer(
            namespace, question, whole, lambda memory: found.lineages.get(memory.id, ())
        )

    def in_hindsight(self, namespace: str, question: Question, then: Hindsight) -> Recollection:
        """The answer that today's service would have given at a moment, from what had been recorded by then.

        Nobody is served it and nothing is noted. Memories read as they do today; a pattern speaks by those of its
        members that had been recorded. Raises as ask().
        """
        _check(question)
        return self._answer(namespace, question, self._find(namespace, question, then))

    def compared(
        self, namespace: str, question: Question, then: Hindsight, ids: Sequence[str]
    ) -> list[Candidate]:
        """What such an answer makes of these experiences, listed or not, best first. Raises UnavailableError."""
        vectors = self._embedding.vectors([question.situation])
        with self._indexes.current(namespace) as index:
            prepared = [_prepare(index, question.situation, vectors[0] if vectors else None)]
            wanted = _search(index, MemoryKind.EXPERIENCE, question, prepared, then.moment)
            return compared(index, wanted, ids)

    def _answer(self, namespace: str, question: Question, found: _Found) -> Recollection:
        memories = self._fetch(namespace, found)
        lists = {kind: _alive(ranked, memories) for kind, ranked in found.ranked.items()}
        experiences = lists.get(MemoryKind.EXPERIENCE, [])
        errors = [pair for pair in experiences if _result(pair[1]) is not Result.SUCCESS]
        worked = [pair for pair in experiences if _result(pair[1]) is Result.SUCCESS]
        speaking = speaking_patterns(found.over, memories, found.asked_at)
        failed = [memory for _, memory in errors if isinstance(memory, Experience)]
        worked_alike = cache(lambda: successes_beside(self._store, namespace, found.successes, failed))
        decided = decide_for(question, errors, speaking, found.gate, self._remind_from, worked_alike)
        language = language_of(question.situation)
        confidence = {said_id: item.probability for item in decided.said for said_id in item.ids}
        return Recollection(
            facts=self._hits(lists.get(MemoryKind.FACT, []), question.limit, found, memories),
            errors=self._hits(errors, question.limit, found, memories, confidence),
            worked=self._hits(worked, question.limit, found, memories),
            patterns=self._hits(lists.get(MemoryKind.PATTERN, []), question.limit, found, memories),
            strategies=self._hits(lists.get(MemoryKind.STRATEGY, []), question.limit, found, memories),
            reminders=tuple(reminder_of(item, memories, speaking, language) for item in decided.said),
            revision=found.revision,
            mode=found.mode,
            language=language,
            look=decided.look if found.mode is RecallMode.HYBRID else None,
        )

    def _find(self, namespace: str, question: Question, then: Hindsight | None = None) -> _Found:
        texts = [question.situation, *([question.concern] if question.concern else [])]
        vectors = self._embedding.vectors(texts)
        now = then.moment if then else self._clock()
        kinds = question.kinds or tuple(MemoryKind)
        with self._indexes.current(namespace, question.min_revision) as index:
            prepared = [
                _prepare(index, text, vectors[place] if vectors else None) for place, text in enumerate(texts)
            ]
            everything = {
                kind: search(index, _search(index, kind, question, prepared, now, then)) for kind in kinds
            }
            ranked = {kind: _looked_at(index, hits, question.limit) for kind, hits in everything.items()}
            successes = nearest_successes(everything.get(MemoryKind.EXPERIENCE, []), index.mirror.headers)
            facts = ranked.get(MemoryKind.FACT, [])[: question.limit]
            caused = {hit.id: index.mirror.failures_caused_by(hit.id)[:FAILED_HERE] for hit in facts}
            usable = all(query.vector is not None for query in prepared)
            mode = RecallMode.HYBRID if usable else RecallMode.LEXICAL
            experiences = ranked.get(MemoryKind.EXPERIENCE, [])
            over = {hit.id: patterns_known(index.mirror, hit.id, then) for hit in experiences}
            named = {hit.id for hits in ranked.values() for hit in hits}
            named.update(memory_id for more in (caused, over) for ids in more.values() for memory_id in ids)
            lineages = {name: index.mirror.lineages(name) for name in named} if question.session_id else {}
            gate = in_force(index.space.parameters.gate if index.space else None)
            revision = index.cursor.revision
            return _Found(ranked, successes, caused, over, lineages, now, revision, mode, gate)

    def _fetch(self, namespace: str, found: _Found) -> dict[str, Memory]:
        ids = [hit.id for ranked in found.ranked.values() for hit in ranked]
        ids += [
            memory_id for more in (found.caused, found.over) for some in more.values() for memory_id in some
        ]
        return self._store.get(namespace, list(dict.fromkeys(ids)), vectors=False)

    def _hits(
        self,
        pairs: Sequence[tuple[Candidate, Memory]],
        limit: int,
        found: _Found,
        memories: Mapping[str, Memory],
        confidence: Mapping[str, float | None] | None = None,
    ) -> tuple[Hit, ...]:
        space = self._indexes.space_of(pairs[0][1].namespace) if pairs else None
        hits = []
        for candidate, memory in pairs[:limit]:
            deviation = candidate.deviation
            hits.append(
                Hit(
                    memory=memory,
                    relevance=round(min(1.0, max(0.0, candidate.relevance)), 6),
                    lexical_score=round(candidate.lexical, 6),
                    similarity=None
                    if deviation is None or space is None
                    else round(space.cosine(deviation), 6),
                    decay=round(candidate.decay, 6),
                    why=_why(candidate),
                    confidence=(confidence or {}).get(memory.id),
                    failed_here=tuple(memories[i] for i in found.caused.get(memory.id, ()) if i in memories),
                    weak=candidate.weak,
                )
            )
        return tuple(hits)


def _worthy(whole: Recollection, worth: float) -> Recollection:
    """The answer without hits below a relevance; what is said stays said."""
    names = ("facts", "errors", "worked", "patterns", "strategies")
    changes: dict[str, Any] = {
        name: tuple(hit for hit in getattr(whole, name) if hit.relevance >= worth) for name in names
    }
    return replace(whole, **changes)


def _check(question: Question) -> None:
    check_required("situation", question.situation, MAX_TEXT)
    check_text("concern", question.concern, MAX_TEXT)
    check_text("session_id", question.session_id, MAX_SHORT)
    check_text("task_id", question.task_id, MAX_SHORT)
    for name in ("start", "end"):
        value = getattr(question.during, name)
        if value is not None:
            check_time(f"during.{name}", value)
    if not 1 <= question.limit <= MAX_LIMIT:
        raise BadInputError(f"must be from 1 to {MAX_LIMIT}", field="limit", remedy="e.g. 3")


def _looked_at(index: NamespaceIndex, ranked: Sequence[Candidate], limit: int) -> list[Candidate]:
    """What is read from the store: what is listed, and of failures what is judged. Those that worked are
    counted apart, so that the many never hide the few.
    """
    headers = index.mirror.headers
    worked = [hit.id for hit in ranked if headers[hit.id].result is Result.SUCCESS]
    others = [hit for hit in ranked if headers[hit.id].result is not Result.SUCCESS]
    kept = {*worked[:limit], *(hit.id for hit in others[:limit])}
    kept |= {hit.id for hit in judged([hit for hit in others if headers[hit.id].is_failure])}
    return [hit for hit in ranked if hit.id in kept]


def _prepare(index: NamespaceIndex, text: str, data: bytes | None) -> PreparedQuery:
    language = language_of(text)
    vector = index.space.prepare(data, language) if index.space is not None and data is not None else None
    return PreparedQuery(text, tuple(tokenize(text)), language, vector)


def _search(
    index: NamespaceIndex,
    kind: MemoryKind,
    question: Question,
    prepared: Sequence[PreparedQuery],
    now: datetime,
    then: Hindsight | None = None,
) -> Search:
    keys = question.keys
    wanted = {
        "agent": keys.agent,
        "tool": keys.tool,
        "task_type": keys.task_type,
        "action": keys.planned_action,
    }
    return Search(
        kind=kind,
        situation=prepared[0],
        concern=prepared[1] if len(prepared) > 1 else None,
        keys={name: value for name, value in wanted.items() if value},
        now=now,
        start=question.during.start,
        end=question.during.end,
        include_archived=question.include_archived,
        hindsight=then,
        is_silent=cache(lambda memory_id: is_silenced(index.mirror, memory_id, now, then)),
    )


def _alive(ranked: Sequence[Candidate], memories: Mapping[str, Memory]) -> list[tuple[Candidate, Memory]]:
    """Candidates with their memory as the store has it now: a stale index never shows what is gone."""
    return [(candidate, memories[candidate.id]) for candidate in ranked if candidate.id in memories]


def _result(memory: Memory) -> Result | None:
    return memory.result if isinstance(memory, Experience) else None


def _why(candidate: Candidate) -> str:
    """Why a memory is listed, in a few words."""
    reasons = ["the very same situation, archived"] if candidate.repeat else []
    if candidate.lexical > 0:
        reasons.append(f"shares words (BM25 {candidate.lexical:.1f})")
    if candidate.deviation is not None and (candidate.weak or candidate.deviation >= 1):
        meaning = "weak: only the nearest" if candidate.weak else "similar meaning"
        reasons.append(f"{meaning} ({candidate.deviation:.1f} deviations above chance)")
    reasons += [f"same {name.replace('_', ' ')}" for name in candidate.equal_keys]
    return ", ".join(reasons)
