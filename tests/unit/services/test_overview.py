"""Which few causes make most failures, and where their chains meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from graphmem.domain.causation import VerdictKind
from graphmem.domain.drafts import CauseLink, CauseRef, CauseReview
from graphmem.domain.memories import State
from graphmem.domain.overview import Reading
from graphmem.domain.rules import MAX_PAGE
from graphmem.wiring import Services
from tests.builders import NS, T0, at, changed, changes, generalizes, pattern
from tests.services import because, failed, recorded, refused, remembered


@pytest.fixture
def story(services: Services) -> dict[str, str]:
    """A wrong fact behind four failures, one of them three steps away; a mistake behind two; one alone. Ids by name."""
    written = {"fact": remembered(services, "prices are in cents")}

    def fail(name: str, *causes: str, seconds: float) -> None:
        named = because(*(written[cause] for cause in causes))
        written[name] = failed(services, name, occurred_at=at(seconds), caused_by=named)

    fail("convert", "fact", seconds=1)
    fail("sum", "convert", seconds=2)
    fail("report", "sum", seconds=3)
    fail("invoice", "fact", seconds=4)
    fail("forget to check", seconds=5)
    fail("late", "forget to check", seconds=6)
    fail("alone", seconds=7)
    return {name: item.memory.id for name, item in written.items()}


def names(ids: Sequence[str], story: dict[str, str]) -> list[str]:
    """Names of the story by id."""
    return [name for one in ids for name, known in story.items() if known == one]


def test_the_coverage_curve(services: Services, story: dict[str, str]) -> None:
    found = services.overview.priorities(NS)
    assert names([item.id for item in found.items], story) == ["fact", "forget to check", "alone"]
    assert [(item.failures, item.gained, item.count) for item in found.items] == [
        (4, 4, 1),
        (2, 2, 1),
        (1, 1, 1),
    ]
    assert [item.covered for item in found.items] == pytest.approx([4 / 7, 6 / 7, 1])
    assert (found.failures, found.orphans, found.cut) == (7, 2, 2)
    (root, *_) = services.explain.explain(NS, story["report"]).root_causes
    assert root.memory.id == found.items[0].id


def test_a_limit_leaves_the_cut_unknown(services: Services, story: dict[str, str]) -> None:
    found = services.overview.priorities(NS, limit=1)
    assert (len(found.items), found.cut) == (1, None)


def test_since_counts_late_failures_of_early_causes(services: Services, story: dict[str, str]) -> None:
    found = services.overview.priorities(NS, since=at(4))
    assert [(name, item.gained) for item in found.items for name in names([item.id], story)] == [
        ("forget to check", 2),
        ("fact", 1),
        ("alone", 1),
    ]
    assert found.failures == 4
    assert services.overview.priorities(NS, since=at(8)).items == ()


def test_roots_of_one_cluster_are_one_cause_with_its_pattern(
    services: Services, story: dict[str, str]
) -> None:
    lesson = pattern("check first")
    roots = [services.browse.memory(NS, story[name]) for name in ("alone", "forget to check")]
    moved = tuple(changed(memory, cluster_id="c1") for memory in roots)
    services.store.apply(
        changes(lesson, update=moved, edges=tuple(generalizes(lesson, memory) for memory in roots))
    )
    first, second = services.overview.priorities(NS).items
    assert (second.id, second.count, second.failures, second.covered) == ("c1", 2, 3, 1)
    assert [memory.id for memory in second.causes] == [story["alone"], story["forget to check"]]
    assert second.pattern is not None
    assert second.pattern.id == lesson.id
    assert first.pattern is None
    retired = replace(services.browse.memory(NS, lesson.id), state=State.RETRACTED)
    services.store.apply(changes(update=(changed(retired),)))
    assert services.overview.priorities(NS).items[1].pattern is None


def test_what_is_refuted_or_retracted_is_not_followed(services: Services, story: dict[str, str]) -> None:
    review = CauseReview(
        effect=story["convert"], cause=story["fact"], verdict=VerdictKind.REFUTE, by="anna", reason="no"
    )
    services.link.review(NS, review)
    first, *_ = services.overview.priorities(NS).items
    assert names([first.id], story) == ["convert"]
    invoice = services.browse.memory(NS, story["invoice"])
    services.store.apply(changes(update=(changed(invoice, state=State.RETRACTED),)))
    found = services.overview.priorities(NS)
    assert found.failures == 6
    assert story["fact"] not in {item.id for item in found.items}


def test_a_circle_is_one_cause(services: Services) -> None:
    one = failed(services, "retry", occurred_at=at(0))
    two = failed(services, "time out", occurred_at=at(0), caused_by=because(one))
    link_back(services, one.memory.id, two.memory.id)
    (item,) = services.overview.priorities(NS).items
    assert (item.count, item.failures, item.covered) == (2, 2, 1)


def link_back(services: Services, effect: str, cause: str) -> None:
    """Close a circle."""
    services.link.link(NS, CauseLink(effect=effect, cause=CauseRef(id=cause)))


def test_choke_points_lie_between(services: Services, story: dict[str, str]) -> None:
    other = failed(services, "wrong rate", occurred_at=at(0.5))
    link_back(services, story["convert"], other.memory.id)
    found = services.overview.choke_points(NS)
    assert [
        (name, item.roots, item.failures, item.chains)
        for item in found
        for name in names([item.memory.id], story)
    ] == [
        ("convert", 2, 2, 4),
        ("sum", 2, 1, 2),
    ]
    assert len(services.overview.choke_points(NS, limit=1)) == 1
    (late,) = services.overview.choke_points(NS, since=at(3))[:1]
    assert (names([late.memory.id], story), late.failures) == (["convert"], 1)


def test_successes_and_other_namespaces_do_not_count(services: Services) -> None:
    recorded(services, "worked")
    failed(services, "elsewhere", "other")
    assert services.overview.priorities(NS).failures == 0
    assert services.overview.choke_points(NS) == ()
    assert services.overview.priorities("other").failures == 1


def test_how_far_it_is_is_told(services: Services, story: dict[str, str]) -> None:
    told: list[Reading] = []
    services.overview.priorities(NS, tell=told.append)
    assert told == [Reading(len(story)), Reading(len(story), counting=True)]


def test_refusals(services: Services) -> None:
    overview = services.overview
    for verb in (overview.priorities, overview.choke_points):
        assert refused(services, verb, NS, limit=0) == "BAD_INPUT limit"
        assert refused(services, verb, NS, limit=MAX_PAGE + 1) == "BAD_INPUT limit"
        assert refused(services, verb, NS, T0.replace(tzinfo=None)) == "BAD_INPUT since"
        assert refused(services, verb, "") == "BAD_INPUT namespace"
