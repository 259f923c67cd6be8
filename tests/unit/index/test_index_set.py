"""The index is a cache: whatever is written, it says what one built from nothing says."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.analysis.tokens import language_of, tokenize
from graphmem.domain.causation import Edge
from graphmem.domain.errors import UnavailableError
from graphmem.domain.memories import Memory, MemoryKind, SearchField, State, searchable
from graphmem.index import following
from graphmem.index.index_set import IndexSet
from graphmem.index.namespace_index import NamespaceIndex
from graphmem.index.partition import PreparedQuery, Space
from graphmem.index.search import Candidate, Search, search
from graphmem.ports.changes import Update
from graphmem.ports.queries import Direction
from graphmem.ports.store import MemoryStore
from tests.builders import (
    NS,
    at,
    caused,
    changes,
    confirmed,
    experience,
    fact,
    failure,
    pattern,
    refuted,
    strategy,
)

EMBEDDER = HashingEmbedder(32)
SPACE = Space(EMBEDDER.parameters)
WORDS = ["disk", "full", "network", "down", "空数组", "异常", "copy", "report"]
QUERIES = ["disk full", "空数组 异常", "copy the report", "network"]


def space(_: str) -> Space | None:
    """The same for every namespace."""
    return SPACE


def furnished(memory: Memory) -> Memory:
    """The memory with its vectors."""
    texts = searchable(memory)
    vectors: dict[SearchField, bytes] = dict(zip(texts, EMBEDDER.embed(list(texts.values())), strict=True))
    return replace(memory, vectors=vectors)


def prepared(text: str) -> PreparedQuery:
    """A question as the services prepare it."""
    (data,) = EMBEDDER.embed([text])
    language = language_of(text)
    return PreparedQuery(text, tuple(tokenize(text)), language, SPACE.prepare(data, language))


def found(index: NamespaceIndex, kind: MemoryKind, text: str, **given: Any) -> list[Candidate]:
    """What a search says."""
    wanted: dict[str, Any] = {"concern": None, "keys": {"tool": "bash"}, "now": at(1000)}
    return search(index, Search(kind=kind, situation=prepared(text), **(wanted | given)))


def said(index: NamespaceIndex) -> Any:
    """Everything that an index says: answers, mirror, digest and counts."""
    ids = sorted(index.mirror.headers)
    edges = [
        sorted((edge.effect_id, edge.cause_id) for edge in index.mirror.expand(ids, way))
        for way in (Direction.CAUSES, Direction.EFFECTS)
    ]
    answers = [
        found(index, kind, text, concern=concern, include_archived=archived)
        for kind in MemoryKind
        for text in QUERIES
        for concern in (None, prepared("the disk is full"))
        for archived in (False, True)
    ]
    languages = {name: count for name, count in index.languages().items() if count}
    known = [(index.mirror.headers[name], sorted(index.mirror.failures_caused_by(name))) for name in ids]
    return answers, edges, known, index.digest, index.without_vectors(), index.bad_vectors(), languages


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
kinds = st.sampled_from(["fact", "failure", "success", "pattern", "strategy"])
places = st.integers(0, 30)
actions = st.one_of(
    st.tuples(st.just("create"), kinds, texts, st.booleans()),
    st.tuples(st.just("rewrite"), places, texts, st.booleans()),
    st.tuples(st.just("state"), places, st.sampled_from(list(State))),
    st.tuples(st.just("erase"), places),
    st.tuples(st.just("cause"), places, places),
    st.tuples(st.just("verdict"), places, places, st.booleans()),
)


def made(kind: str, text: str, bare: bool) -> Memory:
    """A new memory of a kind, without vectors if bare."""
    makers = {
        "fact": fact,
        "failure": failure,
        "success": experience,
        "pattern": pattern,
        "strategy": strategy,
    }
    own = {"tool": "bash", "correction": text[::-1]} if kind in ("failure", "success") else {}
    memory = makers[kind](text, occurred_at=at(len(text)), **own)
    return memory if bare else furnished(memory)


class Writer:
    """Carries random actions out on a store."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._ids: list[str] = []

    def do(self, action: tuple[Any, ...]) -> None:
        """One action; one that does not fit is passed over."""
        verb, *given = action
        if verb == "create":
            memory = made(*given)
            self._store.apply(changes(memory))
            self._ids.append(memory.id)
            return
        memories = [memory for memory in map(self._at, given[:2]) if memory]
        if len(memories) == 2 and verb in ("cause", "verdict"):
            self._join(memories[0], memories[1], (*given, None)[2])
        elif memories:
            getattr(self, f"_{verb}", lambda *_: None)(memories[0], *given[1:])

    def _at(self, place: Any) -> Memory | None:
        if not self._ids or not isinstance(place, int):
            return None
        name = self._ids[place % len(self._ids)]
        return self._store.get(NS, [name]).get(name)

    def _rewrite(self, memory: Memory, text: str, bare: bool) -> None:
        fields = {"FACT": "statement", "EXPERIENCE": "action", "PATTERN": "lesson", "STRATEGY": "guidance"}
        changed = replace(memory, vectors={}, **{fields[memory.kind]: text})
        self._update(changed if bare else furnished(changed))

    def _state(self, memory: Memory, state: State) -> None:
        self._update(replace(memory, state=state))

    def _update(self, memory: Memory) -> None:
        self._store.apply(changes(update=(Update(memory=memory, expected_version=memory.version),)))

    def _erase(self, memory: Memory) -> None:
        self._store.apply(changes(erase=(memory.id,)))

    def _join(self, effect: Memory, cause: Memory, confirms: bool | None) -> None:
        fits = effect.kind == "EXPERIENCE" and cause.kind in ("EXPERIENCE", "FACT") and effect.id != cause.id
        if fits:
            verdicts = () if confirms is None else (confirmed() if confirms else refuted(),)
            edge: Edge = caused(effect, cause, verdicts=verdicts)
            self._store.apply(changes(edges=(edge,)))


@contextmanager
def on_disk() -> Iterator[SqliteStore]:
    """A store of its own for one example."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "memory.db")
        store.migrate()
        try:
            yield store
        finally:
            store.close()


@settings(deadline=None, max_examples=40)
@given(st.lists(actions, max_size=25), st.lists(st.booleans(), min_size=25, max_size=25), st.integers(1, 5))
def test_after_any_writes_it_equals_one_built_from_nothing(
    written: list[tuple[Any, ...]], looks: list[bool], page: int
) -> None:
    with on_disk() as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr(following, "PAGE", page)
        grown, writer = IndexSet(store, space), Writer(store)
        for action, look in zip(written, looks, strict=False):
            writer.do(action)
            if look:
                with grown.current(NS):
                    pass
        with grown.current(NS) as old, IndexSet(store, space).current(NS) as new:
            assert said(old) == said(new)
            assert old.digest == store.state(NS).graph_digest


def test_two_index_sets_over_one_store_see_each_others_writes(store: SqliteStore, path: Path) -> None:
    elsewhere = SqliteStore(path)
    try:
        here, there = IndexSet(store, space), IndexSet(elsewhere, space)
        for number, writer in enumerate([store, elsewhere, store]):
            writer.apply(changes(furnished(fact(f"disk {number}"))))
            for indexes in (here, there):
                with indexes.current(NS) as index:
                    assert len(found(index, MemoryKind.FACT, "disk")) == number + 1
    finally:
        elsewhere.close()


def test_a_removal_elsewhere_is_seen(store: SqliteStore) -> None:
    indexes = IndexSet(store, space)
    memory = furnished(fact("disk"))
    store.apply(changes(memory))
    with indexes.current(NS) as index:
        assert found(index, MemoryKind.FACT, "disk")
    store.apply(changes(erase=(memory.id,)))
    with indexes.current(NS) as index:
        assert found(index, MemoryKind.FACT, "disk") == []
        assert index.digest == 0


def test_a_tampered_index_is_detected_once_and_built_anew(store: SqliteStore) -> None:
    indexes = IndexSet(store, space)
    memory = furnished(fact("disk"))
    store.apply(changes(memory))
    with indexes.current(NS) as index:
        index._forget(memory.id)
    assert not indexes.verify(NS)
    with indexes.current(NS) as index:
        assert found(index, MemoryKind.FACT, "disk")
    assert indexes.verify(NS)


def test_an_index_of_nothing_is_in_order(store: SqliteStore) -> None:
    assert IndexSet(store, space).verify("nobody")


def test_another_history_is_read_from_the_start(store: SqliteStore, tmp_path: Path) -> None:
    """The file was replaced by an older copy: the index stands further than the store."""
    indexes = IndexSet(store, space)
    for number in range(3):
        store.apply(changes(furnished(fact(f"disk {number}"))))
    with indexes.current(NS):
        pass
    older = SqliteStore(tmp_path / "older.db")
    older.migrate()
    older.apply(changes(furnished(fact("network"))))
    try:
        indexes._indexes._store = older
        with indexes.current(NS) as index:
            assert found(index, MemoryKind.FACT, "disk") == []
            assert len(found(index, MemoryKind.FACT, "network")) == 1
    finally:
        older.close()


def test_it_waits_for_no_revision_that_is_not_there(store: SqliteStore) -> None:
    store.apply(changes(fact("disk")))
    indexes = IndexSet(store, space)
    with indexes.current(NS, 1) as index:
        assert index.cursor.revision == 1
    with pytest.raises(UnavailableError) as caught, indexes.current(NS, 2):
        pass
    assert (caught.value.field, bool(caught.value.remedy)) == ("min_revision", True)


def test_new_parameters_make_a_new_index(store: SqliteStore) -> None:
    spaces: list[Space | None] = [None]
    indexes = IndexSet(store, lambda _: spaces[0])
    store.apply(changes(furnished(fact("disk"))))
    with indexes.current(NS) as index:
        assert found(index, MemoryKind.FACT, "disk")[0].deviation is None
    spaces[0] = SPACE
    store.apply(changes(parameters_version=2))
    with indexes.current(NS) as index:
        assert found(index, MemoryKind.FACT, "disk")[0].deviation is not None


def test_a_look_at_nothing_keeps_nothing(store: SqliteStore) -> None:
    indexes = IndexSet(store, space)
    for number in range(100):
        with indexes.current(f"nobody-{number}") as index:
            assert index.cursor.revision == 0
    assert indexes._indexes._followers == {}
    assert not indexes._indexes.holds("nobody-1")
