"""Laws of correcting counts: only what is known to be current is believed, and a true state changes nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphmem.ports.queries import NamespaceState
from graphmem.ports.store import MemoryStore
from tests.builders import NS, caused, fact, failure, record
from tests.contract.reading import put, snapshot


def test_the_true_state_changes_nothing(store: MemoryStore) -> None:
    effect, cause = failure(), fact()
    put(store, effect, cause, edges=(caused(effect, cause),), records=(record(),))
    before = snapshot(store)
    assert store.correct(store.state(NS))
    assert snapshot(store) == before


@pytest.mark.parametrize("lag", [-1, 1])
def test_a_state_of_another_revision_is_not_believed(store: MemoryStore, lag: int) -> None:
    put(store, fact())
    put(store, fact())
    before, state = snapshot(store), store.state(NS)
    assert not store.correct(
        replace(state, revision=state.revision + lag, graph_digest=7, counts={"FACT": 9})
    )
    assert snapshot(store) == before


def test_nobody_s_namespace_is_not_made(store: MemoryStore) -> None:
    assert not store.correct(NamespaceState(namespace="nobody"))
    assert list(store.namespaces()) == []
