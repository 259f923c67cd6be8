"""Forgotten is gone, everywhere, and does not come back by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.domain.drafts import MemoryUpdate
from graphmem.domain.errors import BadInputError, NotFoundError
from graphmem.wiring import Services
from tests.builders import NS
from tests.services import (
    asked,
    because,
    by_hand,
    bytes_of,
    failed,
    listed,
    opened,
    recorded,
    refusal,
    remembered,
    state,
    texts,
)


def test_it_tells_what_it_removed(services: Services) -> None:
    cause = failed(services, "a")
    middle = failed(services, "b", caused_by=because(cause))
    failed(services, "c", caused_by=because(middle))
    done = services.forget.forget(NS, "E-2")
    assert (done.ids, done.refs, done.edges, done.already_gone) == ((middle.memory.id,), ("E-2",), 2, False)
    assert done.revision == state(services).revision == 4


def test_a_plan_removes_nothing(services: Services) -> None:
    failed(services, "a", caused_by=because(remembered(services, "x")))
    before = state(services)
    plan = services.forget.forget(NS, "E-1", dry_run=True)
    assert (plan.refs, plan.edges, plan.already_gone) == (("E-1",), 1, False)
    assert state(services) == before


def test_the_second_time_it_is_already_gone(services: Services) -> None:
    remembered(services, "x")
    services.forget.forget(NS, "F-1")
    before = state(services)
    again = services.forget.forget(NS, "F-1")
    assert (again.already_gone, again.ids, again.revision) == (True, (), before.revision)
    assert state(services) == before


def test_no_verb_finds_it_any_more(services: Services) -> None:
    fact = remembered(services, "the zebra disk")
    failed(services, "zebra search", caused_by=because(fact))
    asked(services, "zebra")
    services.forget.forget(NS, "F-1")
    assert texts(listed(asked(services, "zebra"))) == ["zebra search"]
    assert asked(services, "zebra").errors[0].memory.ref == "E-1"
    assert [item.memory.ref for item in services.explain.explain(NS, "E-1").root_causes] == ["E-1"]
    assert services.explain.explain(NS, "E-1").edges == ()
    assert isinstance(refusal(lambda: services.browse.memory(NS, "F-1"), services), NotFoundError)
    assert isinstance(refusal(lambda: services.explain.impact(NS, fact.memory.id), services), NotFoundError)
    assert not any("zebra disk" in line for line in services.transfer.export(NS))


def test_after_a_restart_it_is_still_gone(path: Path) -> None:
    with opened(path) as before:
        remembered(before, "the zebra disk", key="k")
        before.forget.forget(NS, "F-1")
    with opened(path, seed=1) as after:
        assert listed(asked(after, "zebra")) == ()
        assert after.inspect.status(NS).digest_matches


def test_not_a_byte_of_it_is_left_on_the_disk(services: Services, path: Path) -> None:
    remembered(services, "the zebra77 disk", key="k-zebra77", metadata={"zebra77": 1})
    services.revise.update(NS, MemoryUpdate(id="F-1", text="a zebra77 network"))
    assert b"zebra77" in bytes_of(path)
    services.forget.forget(NS, "F-1")
    assert b"zebra77" not in bytes_of(path)


def test_the_others_stay_as_they_were(services: Services) -> None:
    kept = remembered(services, "x")
    failed(services, "y", caused_by=because(kept))
    services.forget.forget(NS, "E-1")
    assert services.browse.memory(NS, "F-1") == kept.memory
    assert state(services).counts["CAUSED_BY"] == 0


def test_a_ref_is_never_used_again(services: Services) -> None:
    remembered(services, "x")
    services.forget.forget(NS, "F-1")
    assert remembered(services, "y").memory.ref == "F-2"


def test_a_memory_of_another_namespace_stays(services: Services) -> None:
    foreign = remembered(services, "x", "other")
    assert services.forget.forget(NS, foreign.memory.id).already_gone
    assert services.browse.memory("other", foreign.memory.id) == foreign.memory


@pytest.mark.parametrize("name", ["", "  "])
def test_nothing_is_forgotten_without_a_name(services: Services, name: str) -> None:
    error = refusal(lambda: services.forget.forget(NS, name), services)
    assert isinstance(error, BadInputError)
    assert error.field == "id"


def test_what_was_deleted_by_hand_is_not_said_any_more(services: Services, path: Path) -> None:
    cause = remembered(services, "the zebra disk")
    failed(services, "search", caused_by=because(cause))
    asked(services, "zebra")
    by_hand(path, "DELETE FROM memories WHERE ref = ?", "F-1")
    assert listed(asked(services, "zebra")) == ()
    found = services.explain.explain(NS, "E-1")
    assert [memory.ref for memory in found.nodes] == ["E-1"]
    assert found.edges == ()


def test_what_followed_from_something_deleted_by_hand_is_told_without_it(
    services: Services, path: Path
) -> None:
    cause = recorded(services, "a")
    failed(services, "b", caused_by=because(cause))
    services.explain.impact(NS, "E-1")
    by_hand(path, "DELETE FROM memories WHERE ref = ?", "E-2")
    assert [memory.ref for memory in services.explain.impact(NS, "E-1").nodes] == ["E-1"]
