"""Stopped anywhere, a change of the embedder leaves no mixture and goes on."""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.answers import RecallMode, ReembedProgress
from graphmem.domain.errors import UnavailableError
from graphmem.domain.records import JobKind
from graphmem.services.holding import LEASE
from graphmem.services.reembed import JOB_ID
from graphmem.wiring import Services
from tests.builders import NS, Clock, job
from tests.contract.model_store import ModelStore
from tests.contract.reading import found, put
from tests.failing_store import FailingStore
from tests.services import (
    DIMENSION,
    DOWN,
    FlakyEmbedder,
    asked,
    services_over,
)
from tests.unit.services.spaces import OTHER, after, batch, before, lengths, patient, store, story

__all__ = ["after", "batch", "before", "store"]


@pytest.mark.parametrize("lost", [False, True], ids=["not done", "answer lost"])
def test_stopped_anywhere_it_ends_in_the_same_state(lost: bool) -> None:
    """Whichever call of the store fails: nothing is compared before the end, and the next call goes on."""
    ends: set[tuple[object, ...]] = set()
    for number in count(1):
        store = ModelStore()
        story(services_over(store))
        failing = FailingStore(store)
        after = services_over(failing, embedder=HashingEmbedder(OTHER), seed=5)
        failing.arm(number, after=lost)
        try:
            patient(after).reembed(NS)
        except UnavailableError:
            mode = asked(services_over(store, embedder=HashingEmbedder(OTHER)), "disk").mode
            assert mode is RecallMode.LEXICAL or lengths(store) == {OTHER}
            patient(after).reembed(NS)
        failed_then = failing.failed
        failing.arm(0)
        assert lengths(store) == {OTHER}
        assert asked(after, "disk").mode is RecallMode.HYBRID
        held = ((item.ref, item.version, tuple(sorted(item.vectors.items()))) for item in found(store))
        ends.add((store.state(NS).parameters_version, *held))
        if not failed_then:
            break
    assert number > 15
    assert len(ends) == 1


def test_what_was_embedded_is_not_embedded_again(after: Services) -> None:
    def stop(how: ReembedProgress) -> None:
        if how.done == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        after.reembed.reembed(NS, stop)
    assert lengths(after.store) == {DIMENSION, OTHER}
    assert asked(after, "disk").mode is RecallMode.LEXICAL
    assert after.reembed.reembed(NS).memories == 4
    assert after.reembed.reembed(NS).memories == 0


def test_back_in_the_middle(before: Services, after: Services) -> None:
    """Who changes his mind goes back: all is made anew, in the space of the last call."""

    def stop(how: ReembedProgress) -> None:
        if how.done == 6:
            raise KeyboardInterrupt

    vectors = {memory.id: memory.vectors for memory in found(before.store)}
    with pytest.raises(KeyboardInterrupt):
        after.reembed.reembed(NS, stop)
    assert before.reembed.reembed(NS).memories == 6
    assert {memory.id: memory.vectors for memory in found(before.store) if memory.ref != "S-1"} == {
        id: own for id, own in vectors.items() if own
    }
    assert asked(before, "disk").mode is RecallMode.HYBRID
    assert after.inspect.status(NS).mode is RecallMode.LEXICAL


def test_two_do_not_do_it_at_once(before: Services, after: Services) -> None:
    """While one is at it another one is refused."""
    put(after.store, jobs=(job(JobKind.REEMBED, id=JOB_ID),))
    clock = Clock()
    assert after.store.claim(NS, JobKind.REEMBED, "other", clock.now + timedelta(days=1), LEASE) is not None
    with pytest.raises(UnavailableError, match="another process"):
        patient(after).reembed(NS)
    assert lengths(after.store) == {DIMENSION, 0}


def test_a_model_that_is_away_changes_nothing(store: SqliteStore, before: Services) -> None:
    """It is asked before the namespace leaves its space; when it goes away later, the next call goes on."""
    embedder = FlakyEmbedder(OTHER, "m2")
    embedder.broken = DOWN
    services = services_over(store, embedder=embedder)
    with pytest.raises(UnavailableError, match="does not answer"):
        services.reembed.reembed(NS)
    assert asked(before, "disk").mode is RecallMode.HYBRID

    def away(how: ReembedProgress) -> None:
        embedder.broken = DOWN

    embedder.broken = None
    with pytest.raises(UnavailableError, match="does not answer"):
        services.reembed.reembed(NS, away)
    embedder.broken = None
    services.reembed.reembed(NS)
    assert lengths(store) == {OTHER}


def test_a_copy_in_the_middle_goes_on(after: Services, tmp_path: Path) -> None:
    """The place in the source's list is none in another kind of store: it begins anew there."""

    def stop(how: ReembedProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        after.reembed.reembed(NS, stop)
    target = ModelStore()
    after.copy.copy(NS, target)
    there = services_over(target, embedder=HashingEmbedder(OTHER), seed=9)
    assert asked(there, "disk").mode is RecallMode.LEXICAL
    patient(there).reembed(NS)
    assert lengths(target) == {OTHER}
