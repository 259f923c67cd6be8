"""What a namespace's vectors are to the running embedder."""

from __future__ import annotations

import pytest

from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.answers import ReembedProgress
from graphmem.services.spaces import Spaces
from graphmem.wiring import Services
from tests.builders import NS
from tests.contract.reading import put
from tests.services import DIMENSION, remembered, services_over
from tests.unit.services.spaces import OTHER, after, batch, before, store

__all__ = ["after", "batch", "before", "store"]


def spaces(store: SqliteStore, dimension: int) -> Spaces:
    """What a process with this embedder sees."""
    return Spaces(store, HashingEmbedder(dimension).parameters)


def test_the_own_space(store: SqliteStore, before: Services) -> None:
    own = spaces(store, DIMENSION)
    standing = own.standing(NS)
    assert (standing.version, standing.fits, standing.compared) == (1, True, True)
    assert own.of(NS) is not None
    assert own.settled(NS) == standing.stored


def test_another_space(store: SqliteStore, before: Services) -> None:
    """Nothing of ours is written or compared; what is stored can still be compared with itself."""
    other = spaces(store, OTHER)
    standing = other.standing(NS)
    assert (standing.fits, standing.compared, other.of(NS)) == (False, False, None)
    assert other.settled(NS) == standing.stored


def test_no_embedder(store: SqliteStore, before: Services) -> None:
    none = Spaces(store, None)
    assert (none.standing(NS).fits, none.of(NS)) == (False, None)
    assert none.settled(NS) is not None


def test_a_space_that_is_being_made(store: SqliteStore, after: Services) -> None:
    """The new embedder's vectors are written and nothing is compared, also not failures with failures."""
    seen: list[tuple[object, ...]] = []

    def look(_: ReembedProgress) -> None:
        for dimension in (DIMENSION, OTHER):
            here = spaces(store, dimension)
            standing = here.standing(NS)
            seen.append((standing.fits, standing.compared, here.of(NS), here.settled(NS)))

    after.reembed.reembed(NS, look)
    assert set(seen) == {(False, False, None, None), (True, False, None, None)}
    assert spaces(store, OTHER).standing(NS).version == 3


def test_what_is_known_is_not_read_again(store: SqliteStore, before: Services) -> None:
    """Until it is told to; what does not fit is read each time, for it may fit again."""
    own, other = spaces(store, DIMENSION), spaces(store, OTHER)
    assert (own.standing(NS).version, other.standing(NS).version) == (1, 1)
    put(store, parameters_version=7)
    assert (own.standing(NS).version, other.standing(NS).version) == (1, 7)
    own.forget(NS)
    assert own.standing(NS).version == 7


def test_two_that_begin_at_once_do_not_mix(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two processes with two embedders that write the first memory, the second one learns of the first."""
    first, second = _services(store, DIMENSION), _services(store, OTHER)
    standing = Spaces.standing

    def interrupted(self: Spaces, namespace: str) -> object:
        found = standing(self, namespace)
        if not raced:
            raced.append(True)
            remembered(first, "by the first")
        return found

    raced: list[bool] = []
    monkeypatch.setattr(Spaces, "standing", interrupted)
    assert not remembered(second, "by the second").embedded
    assert raced
    assert second.store.state(NS).parameters_version == 1


def _services(store: SqliteStore, dimension: int) -> Services:
    return services_over(store, embedder=HashingEmbedder(dimension), seed=dimension)
