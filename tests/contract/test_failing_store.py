"""The store that fails on purpose fails where it was told to, and nowhere else."""

from __future__ import annotations

import pytest

from graphmem.domain.errors import UnavailableError
from graphmem.ports.store import MemoryStore
from tests.builders import NS, changes, fact, request
from tests.contract.model_store import ModelStore
from tests.contract.reading import found, put, snapshot
from tests.contract.test_failures import CALLS
from tests.failing_store import FailingStore


@pytest.mark.parametrize("name", CALLS)
def test_the_chosen_call_fails(name: str) -> None:
    """A call that fails before it is done leaves the store as it was; the next one is answered."""
    inner = ModelStore()
    store: MemoryStore = FailingStore(inner, 1)
    before = snapshot(inner)
    with pytest.raises(UnavailableError):
        CALLS[name](store)
    assert snapshot(inner) == before
    CALLS[name](store)


def test_only_the_nth_call_fails() -> None:
    """Calls before and after the nth are passed on, and all are noted."""
    store = FailingStore(ModelStore(), 3)
    put(store, fact())
    store.state(NS)
    with pytest.raises(UnavailableError):
        put(store, fact())
    assert store.failed
    put(store, fact())
    assert store.calls == ["apply", "state", "apply", "apply"]
    assert len(found(store)) == 2


def test_an_answer_may_be_lost() -> None:
    """With after the call is done and its answer lost: the retry with the same key tells so."""
    store, new = FailingStore(ModelStore()), fact()
    store.arm(1, after=True)
    action = changes(new, requests=(request("k", new),))
    with pytest.raises(UnavailableError):
        store.apply(action)
    assert not store.apply(action).created
    assert len(found(store)) == 1
