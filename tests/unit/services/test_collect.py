"""Everything at once: in order, past the size of a page, today and as it was."""

from __future__ import annotations

import pytest

from graphmem.domain.causation import CauseEdge, EdgeKind, Grade, VerdictKind
from graphmem.domain.drafts import CauseReview, MemoryUpdate
from graphmem.domain.memories import Experience
from graphmem.services import collect
from graphmem.wiring import Services
from tests.builders import NS, T0
from tests.services import because, failed, recorded, refused, remembered


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of two, so that there are several."""
    monkeypatch.setattr(collect, "PAGE", 2)


def test_all_experiences_in_order_of_occurrence(services: Services) -> None:
    remembered(services, "prices are in cents")
    written = [failed(services, f"step {number}") for number in range(5)]
    late = recorded(services, "long ago", occurred_at=T0.replace(year=2020))
    found = services.collect.experiences(NS)
    assert [item.id for item in found] == [late.memory.id, *(item.memory.id for item in written)]
    assert services.collect.experiences("elsewhere") == []


def test_causes_hold_refuted_edges_and_no_others(services: Services) -> None:
    fact = remembered(services, "prices are in cents")
    remembered(services, "prices are in euros", supersedes=(fact.memory.id,))
    root = failed(services, "read the prices", caused_by=because(fact))
    final = failed(services, "write the report", caused_by=because(root))
    refute(services, final.memory.id, root.memory.id)
    found = services.collect.causes(NS)
    assert [(edge.effect_id, edge.active) for edge in found] == [
        (root.memory.id, True),
        (final.memory.id, False),
    ]


def test_a_network_has_every_kind_and_leaves_out_what_is_too_weak(services: Services) -> None:
    old = remembered(services, "prices are in cents")
    remembered(services, "prices are in euros", supersedes=(old.memory.id,))
    root = failed(services, "read the prices", caused_by=because(old, grade=Grade.TRACED))
    failed(services, "write the report", caused_by=because(root))
    found = services.collect.network(NS)
    assert len(found.memories) == 4
    assert sorted(edge.kind for edge in found.edges) == sorted(
        [EdgeKind.CAUSED_BY, EdgeKind.CAUSED_BY, EdgeKind.SUPERSEDES]
    )
    strong = services.collect.network(NS, min_grade=Grade.ASSERTED)
    causes = [edge for edge in strong.edges if isinstance(edge, CauseEdge)]
    assert [edge.grade for edge in causes] == [Grade.ASSERTED]
    assert len(strong.edges) == 2


def test_as_of_shows_old_values_and_edges_before_their_verdict(services: Services) -> None:
    root = failed(services, "read the prices", correction="first")
    final = failed(services, "write the report", caused_by=because(root))
    before = final.memory.recorded_at
    for number in range(12):
        services.revise.update(NS, MemoryUpdate(id=root.memory.id, correction=f"later {number}"))
    refute(services, final.memory.id, root.memory.id)
    after = failed(services, "send the report", caused_by=because(final))
    past = services.collect.network(NS, before)
    old = past.memories[root.memory.id]
    assert isinstance(old, Experience)
    assert (old.correction, old.version, old.ref) == ("first", 1, root.memory.ref)
    assert [(edge.from_id, edge.to_id) for edge in past.edges] == [(final.memory.id, root.memory.id)]
    assert after.memory.id not in past.memories
    today = services.collect.network(NS)
    assert [edge.from_id for edge in today.edges] == [after.memory.id]
    assert services.collect.network(NS, root.memory.recorded_at).edges == ()
    assert services.collect.network(NS, T0).memories == {}


def test_what_was_erased_stays_erased(services: Services) -> None:
    root = failed(services, "read the prices")
    final = failed(services, "write the report", caused_by=because(root))
    services.forget.forget(NS, root.memory.id)
    past = services.collect.network(NS, final.memory.recorded_at)
    assert list(past.memories) == [final.memory.id]
    assert past.edges == ()


def test_a_time_without_a_zone_is_refused(services: Services) -> None:
    assert refused(services, services.collect.network, NS, T0.replace(tzinfo=None)) == "BAD_INPUT as_of"
    assert refused(services, services.collect.experiences, "") == "BAD_INPUT namespace"


def refute(services: Services, effect: str, cause: str) -> None:
    """Say that an edge is wrong."""
    review = CauseReview(effect=effect, cause=cause, verdict=VerdictKind.REFUTE, by="anna")
    services.link.review(NS, review)
