"""What people decide about lessons is kept, with who and why; deciding twice changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from graphmem.domain.drafts import PatternReview, Promotion, StrategyReview
from graphmem.domain.errors import BadInputError, NotFoundError
from graphmem.domain.memories import MemoryKind, Pattern, PatternStatus, Strategy, StrategyStatus
from graphmem.domain.records import RecordKind
from graphmem.ports.queries import EdgeSelection, PageRequest, RecordSelection, Selection
from graphmem.wiring import Services
from tests.builders import NS
from tests.services import failed, refusal, remembered, state


@pytest.fixture
def lesson(services: Services) -> Pattern:
    """A pattern over three episodes."""
    for number in range(3):
        failed(
            services,
            f"clean file {number}",
            manifestation="the parser broke on an empty price cell",
            correction="treat an empty cell as missing",
            task_id=f"t{number}",
            task_type="cleaning",
        )
    found = services.browse.memory(NS, "P-1")
    assert isinstance(found, Pattern)
    return found


def audited(services: Services, subject: str) -> list[tuple[str, str]]:
    """Who decided what about a memory, oldest first."""
    selection = RecordSelection(subject=subject)
    found = services.store.records(NS, RecordKind.AUDIT, selection, PageRequest()).items
    return [(item.body["by"], item.body["action"]) for item in found]


def reviewed(services: Services, status: PatternStatus, **fields: Any) -> Pattern:
    """A decision about P-1."""
    given = {"id": "P-1", "by": "anna", "reason": "fixed in 2.1"}
    return services.curate.review_pattern(NS, PatternReview(status=status, **(given | fields)))


@pytest.mark.parametrize("status", [PatternStatus.RESOLVED, PatternStatus.MUTED])
def test_a_decision_about_a_pattern_is_kept(
    services: Services, lesson: Pattern, status: PatternStatus
) -> None:
    decided = reviewed(services, status)
    assert (decided.status, decided.status_by, decided.status_reason) == (status, "anna", "fixed in 2.1")
    assert decided == services.browse.memory(NS, "P-1")
    assert decided.version == lesson.version + 1
    assert decided.frequency == 3
    assert audited(services, lesson.id) == [("anna", "reviewPattern")]


def test_a_decision_made_twice_changes_nothing(services: Services, lesson: Pattern) -> None:
    reviewed(services, PatternStatus.MUTED)
    before = state(services)
    reviewed(services, PatternStatus.MUTED)
    assert state(services) == before
    assert reviewed(services, PatternStatus.OPEN, reason="").status is PatternStatus.OPEN


def test_regressed_is_for_nobody_to_say(services: Services, lesson: Pattern) -> None:
    assert refusal(lambda: reviewed(services, PatternStatus.REGRESSED), services).field == "status"


def test_secrets_in_a_reason_are_not_kept(services: Services, lesson: Pattern) -> None:
    decided = reviewed(services, PatternStatus.MUTED, reason="the password=correct-horse-battery leaked")
    assert "correct-horse" not in decided.status_reason


def test_a_pattern_becomes_a_strategy_by_a_word(services: Services, lesson: Pattern) -> None:
    written = services.curate.promote(NS, Promotion(pattern="P-1", by="anna"))
    strategy = written.memory
    assert isinstance(strategy, Strategy)
    assert (written.created, strategy.ref, strategy.status) == (True, "S-1", StrategyStatus.ACTIVE)
    assert (strategy.category, strategy.guidance) == ("cleaning", "treat an empty cell as missing")
    assert (strategy.writer.id, strategy.title) == ("anna", "treat an empty cell as missing")
    assert strategy.vectors
    edges = services.store.edges(NS, EdgeSelection(from_ids=(strategy.id,)), PageRequest()).items
    assert [edge.to_id for edge in edges] == [lesson.id]
    assert audited(services, lesson.id) == [("anna", "promotePattern")]


def test_what_is_said_of_a_strategy_is_taken(services: Services, lesson: Pattern) -> None:
    wanted = Promotion(pattern=lesson.id, category="parsing", guidance="Look for gaps first.", by="anna")
    strategy = services.curate.promote(NS, wanted).memory
    assert isinstance(strategy, Strategy)
    assert (strategy.category, strategy.guidance, strategy.title) == ("parsing",) + 2 * (
        "Look for gaps first.",
    )


def test_a_pattern_has_one_strategy(services: Services, lesson: Pattern) -> None:
    first = services.curate.promote(NS, Promotion(pattern="P-1"))
    before = state(services)
    again = services.curate.promote(NS, Promotion(pattern="P-1", guidance="another"))
    assert (again.created, again.memory) == (False, first.memory)
    assert state(services) == before


def test_after_a_strategy_was_retired_there_may_be_another(services: Services, lesson: Pattern) -> None:
    first = services.curate.promote(NS, Promotion(pattern="P-1")).memory
    retired = StrategyReview(id=first.ref, status=StrategyStatus.RETIRED, by="anna", reason="no effect")
    assert services.curate.review_strategy(NS, retired).status is StrategyStatus.RETIRED
    second = services.curate.promote(NS, Promotion(pattern="P-1", guidance="another way"))
    assert (second.created, second.memory.ref) == (True, "S-2")
    assert audited(services, first.id) == [("anna", "reviewStrategy")]


def test_a_retired_strategy_is_not_made_again_by_itself(services: Services, lesson: Pattern) -> None:
    """A person said no: further failures bring the strategy of a pattern back no more."""
    strategy = services.curate.promote(NS, Promotion(pattern="P-1")).memory
    services.curate.review_strategy(NS, StrategyReview(id=strategy.ref, status=StrategyStatus.RETIRED))
    for number in range(3, 8):
        failed(
            services,
            "clean",
            manifestation="the parser broke on an empty price cell",
            task_id=f"t{number}",
        )
    found = services.store.find(NS, Selection(kinds=(MemoryKind.STRATEGY,)), PageRequest()).items
    assert [memory.ref for memory in found] == ["S-1"]


def test_a_pattern_without_support_is_not_promoted(services: Services, lesson: Pattern) -> None:
    services.forget.forget(NS, "E-1")
    refused = refusal(lambda: services.curate.promote(NS, Promotion(pattern="P-1")), services)
    assert (type(refused), refused.field) == (BadInputError, "pattern")


CALLS: dict[str, Callable[[Services, str], Any]] = {
    "pattern": lambda s, name: s.curate.review_pattern(
        NS, PatternReview(id=name, status=PatternStatus.MUTED)
    ),
    "promote": lambda s, name: s.curate.promote(NS, Promotion(pattern=name)),
    "strategy": lambda s, name: s.curate.review_strategy(
        NS, StrategyReview(id=name, status=StrategyStatus.RETIRED)
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_what_is_not_there_is_not_found(services: Services, call: str) -> None:
    assert isinstance(refusal(lambda: CALLS[call](services, "P-7"), services), NotFoundError)


@pytest.mark.parametrize("call", CALLS)
def test_another_kind_is_refused(services: Services, call: str) -> None:
    remembered(services, "the disk is full")
    refused = refusal(lambda: CALLS[call](services, "F-1"), services)
    assert isinstance(refused, BadInputError)
    assert "F-1" in refused.message


def test_nobody_decides_namelessly(services: Services, lesson: Pattern) -> None:
    refused = refusal(lambda: reviewed(services, PatternStatus.MUTED, by=" "), services)
    assert refused.field == "by"
