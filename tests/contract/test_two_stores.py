"""The same random actions on SQLite and on Neo4j: equal answers, equal dumps, equal digests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.records import RecordKind
from graphmem.ports.queries import Cursor
from graphmem.ports.store import MemoryStore
from tests.builders import NS, changes, full_experience, full_fact, full_pattern, full_strategy, record
from tests.contract import test_random_histories
from tests.contract.neo4j_places import NEO4J, SLOWLY, open_neo4j
from tests.contract.reading import counts, edges_of, found, graph, records_of
from tests.contract.stores import FEW_HISTORIES, FOR_HOURS
from tests.contract.test_random_histories import Histories, names
from tests.contract.test_restoring import batches, unrevised, written

with_neo4j = pytest.mark.parametrize("name", [pytest.param(NEO4J, marks=SLOWLY)])


class Twins(Histories):
    """The random histories, with SQLite in the place of the model."""

    @initialize()
    def start(self) -> None:
        """Begin with memories of which every field is filled."""
        Histories.start(self)
        full = (make(namespace="a") for make in (full_fact, full_experience, full_pattern, full_strategy))
        self.do(changes(*full, records=(record(),)))

    @rule(name=names, step=st.integers(1, 4))
    def page(self, name: str, step: int) -> None:
        """Pages of any size hold the same."""
        assert found(self.store, name, step) == found(self.model, name, step)
        assert edges_of(self.store, name, step) == edges_of(self.model, name, step)

    @invariant()
    def the_dumps_are_equal(self) -> None:
        """Revisions, digests, memories and the feed are the same, to the last bit."""
        name = self.last
        assert self.store.state(name) == self.model.state(name)
        assert found(self.store, name) == found(self.model, name)
        assert self.store.changes_since(name, Cursor(), 1000) == self.model.changes_since(
            name, Cursor(), 1000
        )


@pytest.fixture
def open_twin() -> Iterator[Callable[[], SqliteStore]]:
    """Opens new SQLite stores, as the model is made."""
    opened: list[tuple[TemporaryDirectory[str], SqliteStore]] = []

    def open_one() -> SqliteStore:
        folder = TemporaryDirectory()
        store = SqliteStore(Path(folder.name) / "twin.db")
        store.migrate()
        opened.append((folder, store))
        return store

    yield open_one
    for folder, store in opened:
        store.close()
        folder.cleanup()


@FOR_HOURS
@with_neo4j
def test_random_actions_lead_to_equal_stores(
    open_twin: Callable[[], SqliteStore], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After every step of a random history both stores hold and answer the same."""
    monkeypatch.setattr(test_random_histories, "ModelStore", open_twin)
    monkeypatch.setattr(test_random_histories, "Histories", Twins)
    test_random_histories.compare(open_neo4j, FEW_HISTORIES[name])


@with_neo4j
@pytest.mark.parametrize("forth", [True, False], ids=["into neo4j", "into sqlite"])
def test_a_copy_into_the_other_store_is_equal(name: str, forth: bool, tmp_path: Path) -> None:
    """What one store held, restored into the other one, has equal memories, edges, counts and digests."""
    with (
        closing(SqliteStore(tmp_path / "copy.db")) as embedded,
        closing(open_neo4j(tmp_path / "store")) as served,
    ):
        stores: list[MemoryStore] = [embedded, served]
        source, target = stores if forth else stores[::-1]
        for store in stores:
            store.migrate()
        written(source)
        for batch in batches(source, 20):
            target.restore(batch)
        assert unrevised(target) == unrevised(source)
        assert counts(target) == counts(source)
        assert {id: edges for id, (_, edges) in graph(target).items()} == {
            id: edges for id, (_, edges) in graph(source).items()
        }
        assert [records_of(target, kind) for kind in RecordKind] == [
            records_of(source, kind) for kind in RecordKind
        ]
        there, here = target.state(NS), source.state(NS)
        assert (there.digest, there.graph_digest) == (here.digest, here.graph_digest)
