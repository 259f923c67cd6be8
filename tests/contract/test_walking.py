"""A question about causes is answered alike by the mirror and by the store's own walk, which loads nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from graphmem.analysis.walks import MAX_HOPS
from graphmem.domain.causation import Grade
from graphmem.domain.drafts import CauseLink, CauseRef
from graphmem.domain.explanations import Explanation
from graphmem.index.index_set import IndexSet
from graphmem.ports.store import MemoryStore
from graphmem.services import sources
from graphmem.services.sources import MirrorSource, Sources, StoreSource
from graphmem.wiring import Services
from tests.builders import NS, T0, at
from tests.contract.stores import REAL, parameters
from tests.planted import planted, write
from tests.services import failed, opened

ASKED = 6
REAL_ONES = pytest.mark.parametrize("open_store", parameters(REAL), indirect=True)
"""Enough history for habits is much for the model, which is made to be simple."""


@pytest.fixture
def cold(store: MemoryStore) -> Iterator[Services]:
    """Services with enough history for habits, and no index in memory; every edge is inferred at the same time."""
    with opened(store, words_only=True, clock=lambda: at(9)) as services:
        write(services, planted())
        yield services


def explained(services: Services) -> list[Explanation]:
    """Why each of some tasks failed, at every depth and grade that walks differently."""
    asked = [episode.asked for episode in planted().episodes[:ASKED]]
    return [services.explain.explain(NS, name, MAX_HOPS) for name in asked] + [
        services.explain.explain(NS, asked[0], 1),
        services.explain.explain(NS, asked[1], min_grade=Grade.TRACED),
        services.explain.explain(NS, asked[2], as_of=T0),
    ]


@REAL_ONES
def test_the_store_tells_what_the_mirror_tells(cold: Services) -> None:
    root = planted().episodes[0].root
    walked = [*explained(cold), cold.explain.impact(NS, root)]
    cold.overview.priorities(NS)  # loads the index
    mirrored = [*explained(cold), cold.explain.impact(NS, root)]
    assert walked == mirrored
    assert any(edge.grade is Grade.INFERRED for found in walked for edge in found.edges)
    assert all(not found.not_inferred for found in walked[:-1] if isinstance(found, Explanation))


def test_both_sources_tell_of_episodes_and_lessons_alike(store: MemoryStore) -> None:
    with opened(store, words_only=True) as services:
        by_task, by_session, alone = (
            failed(services, "a step", **named).memory
            for named in ({"task_id": "x"}, {"session_id": "x"}, {})
        )
        services.link.link(NS, CauseLink(effect=alone.id, cause=CauseRef(id=by_task.id)))
        indexes = IndexSet(store, lambda _: None)
        with indexes.current(NS):
            pass
        ids = [by_task.id, by_session.id, alone.id]
        with (
            Sources(store, indexes).of(NS) as mirror,
            Sources(store, IndexSet(store, lambda _: None)).of(NS) as own,
        ):
            assert (type(mirror), type(own)) == (MirrorSource, StoreSource)
            assert own.revision == mirror.revision
            episodes = own.episodes(ids)
            assert episodes == mirror.episodes(ids) == {"x", alone.id}
            for names in ([], ["x"], [alone.id], ["none"], sorted(episodes)):
                assert own.members(names) == mirror.members(names)
            assert own.latest(2) == mirror.latest(2)
            assert own.generals(ids) == mirror.generals(ids) == []


@REAL_ONES
def test_a_walk_reads_each_memory_and_the_edges_at_it_once(
    cold: Services, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = planted().episodes[0].asked
    cold.explain.explain(NS, asked)  # learns the habits
    read: dict[str, list[str]] = {"get": [], "expand": []}
    for verb in read:
        monkeypatch.setattr(store, verb, noting(getattr(store, verb), read[verb]))
    found = cold.explain.explain(NS, asked)
    assert len(found.nodes) > 1
    walked = Counter(node.id for node in found.nodes)
    assert {name: Counter(read["get"])[name] for name in walked} == walked + Counter([asked])
    assert {name: Counter(read["expand"])[name] for name in walked} == walked


def noting(verb: Callable[..., Any], names: list[str]) -> Callable[..., Any]:
    """The verb of a store, with the ids that it is asked for noted."""

    def noted(namespace: str, ids: Sequence[str], *rest: Any, **given: Any) -> Any:
        names.extend(ids)
        return verb(namespace, ids, *rest, **given)

    return noted


@REAL_ONES
def test_too_many_episodes_to_read_are_said(cold: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_EPISODES", 0)
    asked = planted().episodes[0].asked
    found = cold.explain.explain(NS, asked)
    assert found.not_inferred
    assert all(edge.grade is not Grade.INFERRED for edge in found.edges)
    assert not cold.explain.explain(NS, asked, min_grade=Grade.TRACED).not_inferred
