"""Explanations of an earlier time, over facts that held, and what a verdict leaves out."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from graphmem.domain.causation import Grade, VerdictKind
from graphmem.domain.drafts import CauseLink, CauseRef, CauseReview, MemoryUpdate
from graphmem.domain.errors import BadInputError, NotFoundError
from graphmem.domain.explanations import Explanation
from graphmem.wiring import Services
from tests.builders import NS, at
from tests.services import because, failed, refusal, remembered


def refs(found: Explanation) -> list[str]:
    """The nodes in order of distance."""
    return [memory.ref for memory in found.nodes]


def now(services: Services) -> datetime:
    """A time after all that was written, before all that will be: the clock steps with each look."""
    return services.link._clock()


@pytest.fixture
def chain(services: Services) -> datetime:
    """E-2 <- E-1 <- F-1, and the time when that was all."""
    fact = remembered(services, "the config says port 80", valid_from=at(-100), valid_to=at(-5))
    cause = failed(services, "step 1", occurred_at=at(0), caused_by=because(fact))
    failed(services, "step 2", occurred_at=at(10), caused_by=because(cause))
    return now(services)


def test_a_verdict_of_later_is_not_seen(services: Services, chain: datetime) -> None:
    services.link.review(NS, CauseReview(effect="E-2", cause="E-1", verdict=VerdictKind.REFUTE))
    assert refs(services.explain.explain(NS, "E-2")) == ["E-2"]
    then = services.explain.explain(NS, "E-2", as_of=chain)
    assert (refs(then), then.refuted, then.as_of) == (["E-2", "E-1", "F-1"], (), chain)


def test_a_refuted_cause_is_told_apart(services: Services, chain: datetime) -> None:
    services.link.review(
        NS, CauseReview(effect="E-2", cause="E-1", verdict=VerdictKind.REFUTE, reason="another day")
    )
    (refuted,) = services.explain.explain(NS, "E-2").refuted
    assert (refuted.memory.ref, refuted.edge.active) == ("E-1", False)
    assert refuted.edge.verdicts[0].reason == "another day"


def test_a_confirmed_grade_is_of_its_time(services: Services, chain: datetime) -> None:
    services.link.review(NS, CauseReview(effect="E-2", cause="E-1", verdict=VerdictKind.CONFIRM))
    confirmed = services.explain.explain(NS, "E-2", min_grade=Grade.CONFIRMED)
    assert refs(confirmed) == ["E-2", "E-1"]
    then = services.explain.explain(NS, "E-2", min_grade=Grade.CONFIRMED, as_of=chain)
    assert refs(then) == ["E-2"]


def test_what_was_linked_or_recorded_later_is_not_seen(services: Services, chain: datetime) -> None:
    failed(services, "step 0", occurred_at=at(-50))
    services.link.link(NS, CauseLink(effect="E-1", cause=CauseRef(id="E-3")))
    assert refs(services.explain.explain(NS, "E-2")) == ["E-2", "E-1", "F-1", "E-3"]
    assert refs(services.explain.explain(NS, "E-2", as_of=chain)) == ["E-2", "E-1", "F-1"]


def test_texts_are_those_of_the_time(services: Services, chain: datetime) -> None:
    services.revise.update(NS, MemoryUpdate(id="F-1", text="the config says port 8080"))
    said = {memory.ref: memory.text for memory in services.explain.explain(NS, "E-2", as_of=chain).nodes}
    assert said["F-1"] == "the config says port 80"
    assert services.explain.explain(NS, "E-2").nodes[-1].text == "the config says port 8080"


def test_what_was_forgotten_since_stays_forgotten(services: Services, chain: datetime) -> None:
    services.forget.forget(NS, "E-1")
    assert refs(services.explain.explain(NS, "E-2", as_of=chain)) == ["E-2"]
    assert isinstance(
        refusal(lambda: services.explain.explain(NS, "E-1", as_of=chain), services), NotFoundError
    )


def test_what_was_not_recorded_yet_cannot_be_asked_about(services: Services, chain: datetime) -> None:
    failed(services, "later")
    error = refusal(lambda: services.explain.explain(NS, "E-3", as_of=chain), services)
    assert isinstance(error, NotFoundError)
    assert error.field == "as_of"


@pytest.mark.parametrize(
    ("seconds", "holds"), [(-101, False), (-100, True), (-50, True), (-5, False), (5, False)]
)
def test_facts_that_did_not_hold_are_left_out(
    services: Services, chain: datetime, seconds: float, holds: bool
) -> None:
    """From valid_from on, until before valid_to."""
    found = services.explain.explain(NS, "E-2", valid_at=at(seconds))
    assert refs(found) == ["E-2", "E-1", *(["F-1"] if holds else [])]
    assert found.root_causes[0].memory.ref == ("F-1" if holds else "E-1")


def test_a_fact_without_dates_always_holds(services: Services) -> None:
    always = remembered(services, "the sky is blue")
    failed(services, "look up", caused_by=because(always))
    assert refs(services.explain.explain(NS, "E-1", valid_at=at(-(10**9)))) == ["E-1", "F-1"]


def test_a_fact_that_is_asked_about_is_told_whether_it_held_or_not(
    services: Services, chain: datetime
) -> None:
    assert refs(services.explain.explain(NS, "F-1", valid_at=at(5))) == ["F-1"]


@pytest.mark.parametrize(("name", "field"), [("as_of", "as_of"), ("valid_at", "valid_at")])
def test_a_time_without_a_zone_is_refused(services: Services, chain: datetime, name: str, field: str) -> None:
    local = at(0).replace(tzinfo=None)
    error = refusal(lambda: services.explain.explain(NS, "E-2", **{name: local}), services)  # type: ignore[arg-type]
    assert isinstance(error, BadInputError)
    assert error.field == field


def test_lessons_over_the_nodes_come_with_them(services: Services) -> None:
    for number in range(5):
        failed(
            services,
            "parse an empty price list",
            error_type="IndexError",
            manifestation="list index out of range on an empty list",
            correction="look at its length first",
            task_id=f"t{number}",
            occurred_at=at(number),
        )
    before = services.explain.explain(NS, "E-5")
    services.reflect.reflect(NS)
    found = services.explain.explain(NS, "E-5")
    assert [item.ref for item in found.patterns] == ["P-1"]
    assert [item.ref for item in found.strategies] == ["S-1"]
    early = services.explain.explain(NS, "E-5", as_of=before.of.recorded_at + timedelta(microseconds=1))
    assert (early.patterns, early.strategies) == ((), ())


def test_causes_on_every_path_are_named(services: Services, chain: datetime) -> None:
    found = services.explain.explain(NS, "E-2")
    assert [memory.id for memory in found.nodes[1:]] == list(found.on_every_path)
    services.link.link(NS, CauseLink(effect="E-2", cause=CauseRef(id="F-1")))
    assert services.explain.explain(NS, "E-2").on_every_path == (found.nodes[-1].id,)
