"""Causes after the fact: proposed, stated, confirmed, refuted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from graphmem.analysis.proposals import Trail, propose
from graphmem.analysis.redaction import redact
from graphmem.domain.answers import CauseProposal
from graphmem.domain.causation import CauseEdge, Grade, Verdict, check_ends, check_order
from graphmem.domain.drafts import CauseLink, CauseReview
from graphmem.domain.encoding import encode
from graphmem.domain.errors import BadInputError, NotFoundError
from graphmem.domain.memories import Experience, Memory, MemoryKind, is_failure
from graphmem.domain.records import Record, RecordKind
from graphmem.domain.rules import MAX_SHORT, check_namespace, check_text
from graphmem.ports.changes import Changes
from graphmem.ports.queries import EdgeSelection, PageRequest, Selection
from graphmem.ports.store import MemoryStore
from graphmem.services.causes import cause_edge, require, resolve
from graphmem.services.intake import Clock, NewId, check_cause_ref, clean

_LOOKED_AT = 200
"""Earlier experiences of the task looked at for proposals."""


class Link:
    """The verbs on cause edges."""

    def __init__(self, store: MemoryStore, clock: Clock, new_id: NewId) -> None:
        self._store = store
        self._clock = clock
        self._new_id = new_id

    def suggest(self, namespace: str, memory_id: str) -> tuple[CauseProposal, ...]:
        """Possible causes among earlier experiences of the same task that are not linked yet; nothing is written.

        Raises NotFoundError, BadInputError.
        """
        check_namespace(namespace)
        effect = require(self._store, namespace, memory_id)
        if not isinstance(effect, Experience):
            raise BadInputError("only experiences have causes", field="id", remedy="name an experience")
        selection = EdgeSelection(kinds=(CauseEdge.kind,), from_ids=(effect.id,))
        linked = {edge.to_id for edge in self._store.edges(namespace, selection, PageRequest()).items}
        earlier = [memory for memory in self._earlier(effect) if memory.id not in linked]
        by_id = {memory.id: memory for memory in earlier}
        return tuple(
            CauseProposal(memory=by_id[item.id], score=item.score, reasons=item.reasons)
            for item in propose(_trail(effect), [_trail(memory) for memory in earlier])
        )

    def link(self, namespace: str, wanted: CauseLink) -> CauseEdge:
        """State a cause. A second statement adds evidence to the edge, the same one
        again changes nothing; the answer is the edge as stored.

        Raises NotFoundError, AmbiguousError, BadInputError (self-loop, kinds, a cause after its effect).
        """
        check_namespace(namespace)
        if wanted.grade not in (Grade.ASSERTED, Grade.TRACED):
            raise BadInputError(
                "a writer states ASSERTED or TRACED", field="grade", remedy="review to confirm"
            )
        check_text("by", wanted.by, MAX_SHORT)
        check_cause_ref(wanted.cause, "cause")
        ref, _ = clean(wanted.cause)
        effect = require(self._store, namespace, wanted.effect, "effect")
        cause = resolve(self._store, effect, ref, "cause", {})
        check_ends(CauseEdge.kind, effect, cause, "cause")
        check_order(effect, cause, "cause")
        stated = cause_edge(effect, cause, ref, wanted.grade, self._clock())
        evidence = replace(stated.evidence[0], by=wanted.by)
        known = self._stored(namespace, effect.id, cause.id)
        if known and any(replace(item, at=evidence.at) == evidence for item in known.evidence):
            return known
        return self._commit(namespace, replace(stated, evidence=(evidence,)), "linkCause", wanted.by)

    def review(self, namespace: str, wanted: CauseReview) -> CauseEdge:
        """Confirm or refute an edge; it is kept either way, and the latest verdict counts. Repeating it changes
        nothing.

        Raises NotFoundError when there is no such edge.
        """
        check_namespace(namespace)
        check_text("by", wanted.by, MAX_SHORT)
        check_text("reason", wanted.reason)
        effect = require(self._store, namespace, wanted.effect, "effect")
        cause = require(self._store, namespace, wanted.cause, "cause")
        edge = self._stored(namespace, effect.id, cause.id)
        if edge is None:
            raise NotFoundError("no such cause is recorded", field="cause", remedy="link it first")
        verdict = Verdict(wanted.verdict, wanted.by, redact(wanted.reason).text, self._clock())
        if edge.verdicts and replace(edge.verdicts[-1], at=verdict.at) == verdict:
            return edge
        return self._commit(
            namespace, replace(edge, verdicts=(verdict,), evidence=()), "reviewCause", wanted.by
        )

    def _stored(self, namespace: str, effect_id: str, cause_id: str) -> CauseEdge | None:
        selection = EdgeSelection(kinds=(CauseEdge.kind,), from_ids=(effect_id,), to_ids=(cause_id,))
        for edge in self._store.edges(namespace, selection, PageRequest(first=1)).items:
            if isinstance(edge, CauseEdge):
                return edge
        return None

    def _commit(self, namespace: str, edge: CauseEdge, action: str, by: str) -> CauseEdge:
        at = self._clock()
        body: Mapping[str, object] = {
            "action": action,
            "by": by,
            "effect": edge.effect_id,
            "cause": edge.cause_id,
        }
        audit = Record(
            kind=RecordKind.AUDIT, id=self._new_id(at), at=at, subject=edge.effect_id, body=encode(body)
        )
        self._store.apply(Changes(namespace=namespace, at=at, edges=(edge,), records=(audit,)))
        return self._stored(namespace, edge.effect_id, edge.cause_id) or edge

    def _earlier(self, effect: Experience) -> list[Experience]:
        """What happened before in the same task (else session), oldest first."""
        if not effect.task_id and not effect.session_id:
            return []
        selection = Selection(
            kinds=(MemoryKind.EXPERIENCE,),
            task_id=effect.task_id,
            session_id="" if effect.task_id else effect.session_id,
            occurred_to=effect.occurred_at + timedelta(microseconds=1),
        )
        page = self._store.find(effect.namespace, selection, PageRequest(first=_LOOKED_AT))
        before: list[Memory] = [
            memory
            for memory in page.items
            if memory.id != effect.id and (memory.occurred_at, memory.id) < (effect.occurred_at, effect.id)
        ]
        return [memory for memory in reversed(before) if isinstance(memory, Experience)]


def _trail(memory: Experience) -> Trail:
    # Without the context: what the whole task is about says nothing of which step led to which.
    return Trail(
        id=memory.id,
        text=f"{memory.action}\n{memory.outcome}",
        output=memory.output,
        agent=memory.agent,
        failed=is_failure(memory),
        seconds=memory.occurred_at.timestamp(),
    )
