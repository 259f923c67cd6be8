"""What should be looked at in the cause graph: no cause, impossible orders, circles, shared causes."""

from __future__ import annotations

from base64 import urlsafe_b64encode

import pytest

from graphmem.domain.causation import VerdictKind
from graphmem.domain.drafts import CauseLink, CauseRef, CauseReview
from graphmem.domain.memories import State
from graphmem.domain.overview import Relation
from graphmem.ports.queries import PageRequest
from graphmem.wiring import Services
from tests.builders import NS, T0, at, caused, changed, changes
from tests.services import because, failed, recorded, refused, remembered


def link(services: Services, effect: str, cause: str) -> None:
    """State a cause."""
    services.link.link(NS, CauseLink(effect=effect, cause=CauseRef(id=cause)))


def refute(services: Services, effect: str, cause: str) -> None:
    """Say that a cause is none."""
    services.link.review(NS, CauseReview(effect=effect, cause=cause, verdict=VerdictKind.REFUTE, by="anna"))


@pytest.fixture
def lonely(services: Services) -> Services:
    """E-1, E-3 and E-5 without a cause, E-2 caused by E-1, E-4 a success; a minute apart."""
    for number in (1, 2, 3, 5):
        if number == 5:
            recorded(services, "fine", occurred_at=at(240))
        causes = because("E-1") if number == 2 else ()
        failed(services, f"step {number}", occurred_at=at(60 * number), caused_by=causes)
    return services


def orphans(services: Services, first: int = 10, after: str = "", **given: object) -> tuple[list[str], str]:
    """Refs of one page, and the next cursor."""
    page = services.oddities.orphans(NS, PageRequest(first=first, after=after), **given)  # type: ignore[arg-type]
    return [memory.ref for memory in page.items], page.next


def test_orphans_newest_first(lonely: Services) -> None:
    assert orphans(lonely) == (["E-5", "E-3", "E-1"], "")
    assert orphans(lonely, since=at(180))[0] == ["E-5", "E-3"]
    refute(lonely, "E-2", "E-1")
    assert orphans(lonely)[0] == ["E-5", "E-3", "E-2", "E-1"]
    assert lonely.overview.priorities(NS).orphans == 4


def test_orphans_page_by_page_while_some_get_a_cause_or_are_forgotten(lonely: Services) -> None:
    first, after = orphans(lonely, 1)
    assert first == ["E-5"]
    lonely.forget.forget(NS, "E-5")
    link(lonely, "E-3", "E-1")
    assert orphans(lonely, 1, after) == (["E-1"], "")


def test_what_was_retracted_is_no_orphan_and_no_cause(lonely: Services) -> None:
    first = lonely.browse.memory(NS, "E-1")
    lonely.store.apply(changes(update=(changed(first, state=State.RETRACTED),)))
    assert orphans(lonely)[0] == ["E-5", "E-3", "E-2"]


@pytest.mark.parametrize("after", ["x", "é", urlsafe_b64encode(b'["memories","a","b"]').decode(), "W10="])
def test_a_strange_cursor_is_refused(lonely: Services, after: str) -> None:
    assert refused(lonely, lonely.oddities.orphans, NS, PageRequest(after=after)) == "BAD_INPUT after"


def test_causes_later_than_their_effects(services: Services) -> None:
    early = failed(services, "effect", occurred_at=at(0)).memory
    late = [
        failed(services, f"cause {seconds}", occurred_at=at(seconds)).memory for seconds in (4, 60, 3_600)
    ]
    edges = tuple(
        caused(early, cause, lag_ms=-round((cause.occurred_at - early.occurred_at).total_seconds() * 1000))
        for cause in late
    )
    services.store.apply(changes(edges=edges))
    found = services.oddities.time_violations(NS)
    assert [(edge.effect_id, edge.cause_id, edge.lag_ms) for edge in found] == [
        (early.id, late[2].id, -3_600_000),
        (early.id, late[1].id, -60_000),
    ]
    assert services.oddities.time_violations(NS, 1) == found[:1]
    refute(services, early.id, late[2].id)
    assert [edge.cause_id for edge in services.oddities.time_violations(NS)] == [late[1].id]


def test_circles(services: Services) -> None:
    for number in range(3):
        failed(services, f"step {number}", occurred_at=at(0))
    for effect, cause in (("E-1", "E-2"), ("E-2", "E-3"), ("E-3", "E-1")):
        link(services, effect, cause)
    (circle,) = services.oddities.cycles(NS)
    assert [memory.ref for memory in circle] == ["E-1", "E-2", "E-3"]
    refute(services, "E-2", "E-3")
    assert services.oddities.cycles(NS) == ()


@pytest.fixture
def fork(services: Services) -> Services:
    """F-1 led to E-1; E-1 led to E-2 and E-3; E-3 led to E-4; E-5 alone."""
    remembered(services, "prices are in cents")
    for number, cause in enumerate(("F-1", "E-1", "E-1", "E-3", "")):
        failed(services, f"step {number}", occurred_at=at(number), caused_by=because(cause) if cause else ())
    return services


def test_two_that_share_a_cause_are_confounded(fork: Services) -> None:
    found = fork.oddities.common_cause(NS, "E-2", "E-4")
    assert (found.first.ref, found.second.ref) == ("E-2", "E-4")
    assert (found.relation, found.confounded, found.truncated) == (Relation.APART, True, False)
    assert [(item.memory.ref, item.nearest, item.hops) for item in found.causes] == [
        ("E-1", True, (1, 2)),
        ("F-1", False, (2, 3)),
    ]


def test_one_that_led_to_the_other_is_not(fork: Services) -> None:
    found = fork.oddities.common_cause(NS, "E-3", "E-4")
    assert (found.relation, found.confounded) == (Relation.CAUSES, False)
    assert [item.memory.ref for item in found.causes] == ["E-1", "F-1"]
    assert fork.oddities.common_cause(NS, "E-4", "E-3").relation is Relation.CAUSED_BY
    apart = fork.oddities.common_cause(NS, "E-5", "E-2")
    assert (apart.relation, apart.confounded, apart.causes) == (Relation.APART, False, ())


def test_refusals(services: Services) -> None:
    failed(services, "alone")
    oddities = services.oddities
    assert refused(services, oddities.common_cause, NS, "E-1", "E-9") == "NOT_FOUND b"
    assert refused(services, oddities.common_cause, NS, "", "E-1") == "NOT_FOUND a"
    assert refused(services, oddities.common_cause, NS, "E-1", "E-1") == "BAD_INPUT b"
    assert refused(services, oddities.orphans, NS, PageRequest(first=101)) == "BAD_INPUT first"
    assert (
        refused(services, oddities.orphans, NS, PageRequest(), T0.replace(tzinfo=None)) == "BAD_INPUT since"
    )
    for verb in (oddities.time_violations, oddities.cycles):
        assert refused(services, verb, NS, 0) == "BAD_INPUT first"
        assert refused(services, verb, "") == "BAD_INPUT namespace"
