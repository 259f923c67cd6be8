"""What people decide about lessons: a pattern is settled, muted or made a strategy; a strategy begins or ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from graphmem.analysis.redaction import redact
from graphmem.domain.answers import Written
from graphmem.domain.drafts import PatternReview, Promotion, StrategyReview
from graphmem.domain.errors import BadInputError, StaleError
from graphmem.domain.memories import (
    Level,
    Memory,
    Pattern,
    PatternStatus,
    State,
    Strategy,
    StrategyStatus,
)
from graphmem.domain.records import Record, RecordKind
from graphmem.domain.rules import MAX_SHORT, check_namespace, check_required, check_text
from graphmem.domain.words import filled
from graphmem.ports.changes import Changes, Update
from graphmem.ports.store import MemoryStore
from graphmem.services.causes import require
from graphmem.services.furnish import Furnish
from graphmem.services.intake import Clock, NewId
from graphmem.services.strategies import promotion, strategies_over, strategy_of

_Kind = TypeVar("_Kind", bound=Memory)
_ATTEMPTS = 20


class Curate:
    """The verbs on patterns and strategies. Each decision is kept in the audit."""

    def __init__(self, store: MemoryStore, furnish: Furnish, clock: Clock, new_id: NewId) -> None:
        self._store = store
        self._furnish = furnish
        self._clock = clock
        self._new_id = new_id

    def review_pattern(self, namespace: str, wanted: PatternReview) -> Pattern:
        """Say that a pattern is settled (RESOLVED), not to be said (MUTED), or OPEN again.

        A failure after RESOLVED makes it REGRESSED by itself. Repeating a decision changes nothing.
        Raises NotFoundError, BadInputError.
        """
        if wanted.status is PatternStatus.REGRESSED:
            raise BadInputError("comes by itself", field="status", remedy="use OPEN, RESOLVED or MUTED")
        reason = _checked(namespace, wanted.by, wanted.reason)

        def change(pattern: Pattern) -> Pattern:
            return replace(pattern, status=wanted.status, status_by=wanted.by, status_reason=reason)

        return self._decide(namespace, wanted.id, Pattern, change, "reviewPattern", wanted.by)

    def review_strategy(self, namespace: str, wanted: StrategyReview) -> Strategy:
        """Put a strategy in force (ACTIVE), out of force (RETIRED), or back to PROPOSED.

        Raises NotFoundError, BadInputError.
        """
        _checked(namespace, wanted.by, wanted.reason)

        def change(strategy: Strategy) -> Strategy:
            return replace(strategy, status=wanted.status)

        return self._decide(namespace, wanted.id, Strategy, change, "reviewStrategy", wanted.by)

    def promote(self, namespace: str, wanted: Promotion) -> Written:
        """Make a pattern a strategy in force. A pattern has one strategy that is not retired: asked again,
        created is False.

        Raises NotFoundError, BadInputError for a pattern with fewer than three episodes, TooLargeError.
        """
        _checked(namespace, wanted.by, "")
        check_text("category", wanted.category, MAX_SHORT)
        check_text("guidance", wanted.guidance)
        pattern = self._named(namespace, wanted.pattern, Pattern, "pattern")
        if pattern.level is Level.NONE:
            raise BadInputError(
                filled(
                    "{ref} rests on {n} {n:episode|episodes}, three are needed",
                    ref=pattern.ref,
                    n=pattern.episodes,
                ),
                field="pattern",
                remedy="wait for more evidence, or write a strategy's guidance as a fact",
            )
        strategies = strategies_over(self._store, pattern)
        for strategy in strategies:
            if strategy.status is not StrategyStatus.RETIRED and strategy.state is State.ACTIVE:
                return self._known(strategy)
        return self._promote(pattern, wanted, len(strategies))

    def _promote(self, pattern: Pattern, wanted: Promotion, earlier: int) -> Written:
        at = self._clock()
        strategy = strategy_of(pattern, wanted, self._new_id(at), at, StrategyStatus.ACTIVE)
        changes = promotion(pattern, strategy, earlier, self._furnish)
        audit = self._audit("promotePattern", wanted.by, pattern.id, at)
        try:
            receipt = self._store.apply(replace(changes, records=(*changes.records, audit)))
        except StaleError:
            self._furnish.again(pattern.namespace)
            raise
        if not receipt.created:
            return self._known(require(self._store, pattern.namespace, receipt.receipts[0].memory_id))
        made = receipt.memories[0]
        return Written(
            memory=made,
            key=changes.requests[0].key,
            created=True,
            revision=receipt.revision,
            embedded=bool(made.vectors),
        )

    def _known(self, strategy: Memory) -> Written:
        return Written(
            memory=strategy,
            key="",
            created=False,
            revision=strategy.revision,
            embedded=bool(strategy.vectors),
        )

    def _decide(
        self,
        namespace: str,
        memory_id: str,
        kind: type[_Kind],
        change: Callable[[_Kind], _Kind],
        action: str,
        by: str,
    ) -> _Kind:
        for _ in range(_ATTEMPTS):
            current = self._named(namespace, memory_id, kind, "id")
            changed = change(current)
            if changed == current:
                return current
            at = self._clock()
            changes = Changes(
                namespace=namespace,
                at=at,
                update=(Update(memory=changed, expected_version=current.version),),
                records=(self._audit(action, by, current.id, at),),
            )
            try:
                stored = self._store.apply(changes).memories[0]
            except StaleError as error:
                lost = error
                continue
            assert isinstance(stored, kind)
            return stored
        raise lost

    def _named(self, namespace: str, memory_id: str, kind: type[_Kind], field: str) -> _Kind:
        memory = require(self._store, namespace, memory_id, field)
        if not isinstance(memory, kind):
            wanted = kind.kind.value.lower()
            raise BadInputError(f"{memory.ref} is no {wanted}", field=field, remedy=f"name a {wanted}")
        return memory

    def _audit(self, action: str, by: str, subject: str, at: datetime) -> Record:
        body = {"action": action, "by": by}
        return Record(kind=RecordKind.AUDIT, id=self._new_id(at), at=at, subject=subject, body=body)


def _checked(namespace: str, by: str, reason: str) -> str:
    """The reason without secrets, once everything that is said with a decision may be kept."""
    check_namespace(namespace)
    check_required("by", by, MAX_SHORT)
    return redact(check_text("reason", reason)).text
