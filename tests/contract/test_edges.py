"""Laws of edges: their ends are there and fit, evidence adds up, and one hop is one hop."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graphmem.domain.causation import Edge, EdgeKind, Grade, VerdictKind, merge_edges
from graphmem.domain.errors import BadInputError, NotFoundError
from graphmem.domain.memories import Memory
from graphmem.ports.queries import Direction
from graphmem.ports.store import MemoryStore
from tests.builders import (
    NS,
    at,
    caused,
    changed,
    changes,
    confirmed,
    evidence,
    experience,
    fact,
    failure,
    generalizes,
    pattern,
    refuted,
    strategy,
    supersedes,
    verdict,
)
from tests.contract.reading import by_ends, counts, edges_of, put, refused

Join = Callable[[Memory, Memory], Edge]
MAKERS = (fact, experience, pattern, strategy)
FITTING = {
    (caused, experience, experience),
    (caused, experience, fact),
    (generalizes, pattern, experience),
    (generalizes, strategy, pattern),
    (supersedes, fact, fact),
}
PAIRS = [(join, a, b) for join in (caused, generalizes, supersedes) for a in MAKERS for b in MAKERS]


@pytest.mark.parametrize(("join", "source", "target"), PAIRS)
def test_only_fitting_kinds_are_joined(
    store: MemoryStore, join: Join, source: Callable[[], Memory], target: Callable[[], Memory]
) -> None:
    """Each relation joins the kinds that the design lists and refuses all others."""
    ends = put(store, source(), target())
    action = changes(edges=(join(*ends),))
    if (join, source, target) in FITTING:
        store.apply(action)
        assert edges_of(store) == [join(*ends)]
    else:
        refused(store, BadInputError, action)


@pytest.mark.parametrize(("join", "make"), [(caused, failure), (supersedes, fact)])
def test_nothing_is_joined_to_itself(store: MemoryStore, join: Join, make: Callable[[], Memory]) -> None:
    """A self-loop is refused."""
    (memory,) = put(store, make())
    refused(store, BadInputError, changes(edges=(join(memory, memory),)))


def test_both_ends_must_exist(store: MemoryStore) -> None:
    """An edge to or from a memory that is unknown or was erased is refused as not found."""
    effect, cause, gone = put(store, failure(), fact(), fact())
    put(store, erase=(gone.id,))
    for bad in (caused(effect, fact()), caused(failure(), cause), caused(effect, gone)):
        refused(store, NotFoundError, changes(fact(), edges=(caused(effect, cause), bad)))


def test_ends_may_be_made_in_the_same_action(store: MemoryStore) -> None:
    """An edge may join memories that its own action creates, in any order, and older ones."""
    (old,) = put(store, fact())
    first, second = failure(), failure()
    edges = (caused(second, first), caused(first, old))
    put(store, second, first, edges=edges)
    assert by_ends(edges_of(store)) == by_ends(edges)


def test_evidence_adds_up(store: MemoryStore) -> None:
    """Written again, a pair keeps one edge its first time and lag, and all evidence once."""
    effect, cause = put(store, failure(), fact())
    first = caused(effect, cause, lag_ms=5, evidence=(evidence(0.5, note="a"), evidence(0.6, note="b")))
    second = caused(
        effect, cause, recorded_at=at(9), evidence=(evidence(0.6, note="b"), evidence(0.9, note="c"))
    )
    put(store, edges=(first,))
    put(store, edges=(second,))
    assert edges_of(store) == [merge_edges(first, second)]
    assert [item.note for item in merge_edges(first, second).evidence] == ["a", "b", "c"]  # type: ignore[attr-defined]


def test_a_pair_twice_in_one_action_is_one_edge(store: MemoryStore) -> None:
    """Two edges of one pair in one action are merged like two actions."""
    effect, cause = put(store, failure(), fact())
    first, second = caused(effect, cause), caused(effect, cause, evidence=(evidence(0.9, note="more"),))
    put(store, edges=(first, second))
    assert edges_of(store) == [merge_edges(first, second)]
    assert counts(store)["CAUSED_BY"] == 1


def test_both_directions_are_two_edges(store: MemoryStore) -> None:
    """Edges a -> b and b -> a live beside each other: a cycle is data, not an error."""
    a, b = put(store, failure(), failure())
    edges = caused(a, b), caused(b, a)
    put(store, edges=edges)
    assert by_ends(edges_of(store)) == by_ends(edges)
    assert store.expand(NS, [a.id], Direction.CAUSES) == [edges[0]]


def test_a_refuted_edge_is_kept(store: MemoryStore) -> None:
    """A refuted edge stays, inactive, in every answer, and a later confirmation brings it back."""
    effect, cause = put(store, failure(), fact())
    put(store, edges=(caused(effect, cause),))
    put(store, edges=(caused(effect, cause, evidence=(), verdicts=(refuted(1),)),))
    (edge,) = store.expand(NS, [effect.id], Direction.CAUSES)
    assert (edge.active, edge.grade, counts(store)["CAUSED_BY"]) == (False, None, 1)
    assert edges_of(store) == [edge]
    put(store, edges=(caused(effect, cause, evidence=(), verdicts=(confirmed(2),)),))
    (edge,) = store.expand(NS, [cause.id], Direction.EFFECTS)
    assert (edge.active, edge.grade, len(edge.verdicts)) == (True, Grade.CONFIRMED, 2)


def test_the_latest_verdict_counts(store: MemoryStore) -> None:
    """Verdicts that arrive out of order are kept in the order of their times."""
    effect, cause = put(store, failure(), fact())
    put(store, edges=(caused(effect, cause, verdicts=(verdict(VerdictKind.REFUTE, 5),)),))
    put(store, edges=(caused(effect, cause, verdicts=(verdict(VerdictKind.CONFIRM, 3),)),))
    (edge,) = store.expand(NS, [effect.id], Direction.CAUSES)
    assert [item.at for item in edge.verdicts] == [at(3), at(5)]
    assert not edge.active


def test_a_late_cause_is_stored(store: MemoryStore) -> None:
    """A cause later than its effect is for the doors to refuse: the store keeps it with its negative lag."""
    effect, cause = put(store, failure(), failure(occurred_at=at(3600)))
    put(store, edges=(caused(effect, cause, lag_ms=-3_600_000),))
    (edge,) = store.expand(NS, [effect.id], Direction.CAUSES)
    assert edge.lag_ms == -3_600_000


def test_edges_outlive_updates(store: MemoryStore) -> None:
    """An update of either end keeps the edges between them."""
    effect, cause = put(store, failure(), fact())
    put(store, edges=(caused(effect, cause),))
    put(store, update=(changed(effect, tags=("t",)), changed(cause, statement="new")))
    assert edges_of(store) == [caused(effect, cause)]


def chain(store: MemoryStore) -> tuple[Memory, ...]:
    """c <- b <- a and d <- b: a was caused by b, b by c and d; plus edges of other kinds."""
    a, b, c, d, lesson, newer = put(store, failure(), failure(), failure(), fact(), pattern(), fact())
    put(store, edges=(caused(a, b), caused(b, c), caused(b, d), generalizes(lesson, b), supersedes(newer, d)))
    return a, b, c, d, lesson, newer


def test_one_hop_goes_one_hop(store: MemoryStore) -> None:
    """expand answers the cause edges of the frontier in the direction asked, and goes no further."""
    a, b, c, d, *_ = chain(store)
    assert store.expand(NS, [a.id], Direction.CAUSES) == [caused(a, b)]
    assert by_ends(store.expand(NS, [b.id], Direction.CAUSES)) == by_ends([caused(b, c), caused(b, d)])
    assert store.expand(NS, [b.id], Direction.EFFECTS) == [caused(a, b)]
    assert store.expand(NS, [d.id], Direction.EFFECTS) == [caused(b, d)]
    assert store.expand(NS, [c.id], Direction.CAUSES) == []


def test_a_wide_frontier_is_one_hop(store: MemoryStore) -> None:
    """A frontier of many ids, unknown and repeated ones among them, answers each edge once."""
    a, b, c, d, *_ = chain(store)
    frontier = [a.id, b.id, c.id, a.id, fact().id]
    expected = by_ends([caused(a, b), caused(b, c), caused(b, d)])
    assert by_ends(store.expand(NS, frontier, Direction.CAUSES)) == expected
    many = [failure().id for _ in range(1200)]
    assert by_ends(store.expand(NS, [*many, d.id], Direction.EFFECTS)) == [caused(b, d)]
    assert store.expand(NS, [], Direction.CAUSES) == []


def test_edges_are_selected_by_kind_and_end(store: MemoryStore) -> None:
    """edges() gives those that fulfil every part of the selection."""
    a, b, c, d, lesson, newer = chain(store)
    assert edges_of(store, kinds=(EdgeKind.GENERALIZES,)) == [generalizes(lesson, b)]
    assert by_ends(edges_of(store, from_ids=(b.id,))) == by_ends([caused(b, c), caused(b, d)])
    assert by_ends(edges_of(store, to_ids=(d.id,))) == by_ends([caused(b, d), supersedes(newer, d)])
    assert edges_of(store, to_ids=(d.id,), kinds=(EdgeKind.CAUSED_BY,)) == [caused(b, d)]
    assert edges_of(store, from_ids=(a.id, b.id), to_ids=(b.id, c.id), kinds=()) == edges_of(
        store, from_ids=(a.id, b.id), to_ids=(c.id, b.id)
    )
    assert edges_of(store, from_ids=(a.id,), to_ids=(c.id,)) == []
    assert len(edges_of(store)) == 5


def test_edges_come_oldest_first_in_pages(store: MemoryStore) -> None:
    """Edges are ordered by the time they were recorded, then by their ends, and pages cover each once."""
    effect, *causes = put(store, failure(), *(fact() for _ in range(7)))
    edges = [caused(effect, item, recorded_at=at(-(index // 2))) for index, item in enumerate(causes)]
    put(store, edges=tuple(edges))
    expected = sorted(edges, key=lambda edge: (edge.recorded_at, edge.from_id, edge.to_id))
    for first in (1, 2, 3, 100):
        assert edges_of(store, first=first) == expected
