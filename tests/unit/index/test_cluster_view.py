"""The clusters in memory agree with the store, and come to the same in every process."""

from __future__ import annotations

import pytest

from graphmem.domain.memories import Experience, Memory, State
from graphmem.index.cluster_view import ClusterView
from graphmem.ports.queries import ChangeFeed, Cursor, FeedRow
from tests.builders import changed, experience, failure, generalizes, pattern

PARSER = "the parser broke on an empty price cell"
NETWORK = "the network of the third region was gone"


def told(text: str, **fields: object) -> Experience:
    """A failure that tells what went wrong."""
    return failure(manifestation=text, **fields)


def feed(*memories: Memory, edges: tuple[object, ...] = (), gone: tuple[str, ...] = ()) -> ChangeFeed:
    """A page with these rows; edges go to the memory that owns them."""
    rows = tuple(
        FeedRow(memory=memory, edges=tuple(e for e in edges if e.owner_id == memory.id), digest=1)  # type: ignore[attr-defined, misc]
        for memory in memories
    )
    return ChangeFeed(rows=rows, tombstones=gone, next=Cursor(1, "z"), complete=True)


def view_of(*memories: Memory, edges: tuple[object, ...] = ()) -> ClusterView:
    """A view that compares by words."""
    view = ClusterView(None)
    view.take(feed(*memories, edges=edges))
    return view


def test_like_failures_come_into_the_cluster_of_the_first() -> None:
    first, other, second = told(PARSER), told(NETWORK), told(f"{PARSER} again")
    view = view_of(first, other, second)
    assert view.place(second.id) == first.id
    assert view.place(other.id) == other.id
    assert [failure.id for failure in view.members(first.id)] == [first.id, second.id]


def test_a_failure_alone_is_not_saved() -> None:
    lone = told(PARSER)
    view = view_of(lone)
    assert view.place(lone.id) == lone.id
    assert view.unsaved(lone.id) == []


def test_what_the_store_does_not_say_yet_is_unsaved() -> None:
    first, second = told(PARSER), told(PARSER)
    view = view_of(first, second)
    cluster = view.place(second.id)
    assert view.unsaved(cluster) == [first.id, second.id]
    view.take(feed(changed(first, cluster_id=cluster).memory))
    assert view.unsaved(cluster) == [second.id]
    assert view.stored() == {first.id: [first.id], second.id: [second.id]}


def test_earlier_failures_are_placed_first() -> None:
    """Whoever asks for the latest, in whatever process, finds the same cluster."""
    first, second, third = told(PARSER), told(PARSER), told(PARSER)
    whole, late = view_of(first, second, third), view_of(third, second, first)
    assert [whole.place(item.id) for item in (first, second, third)] == [first.id] * 3
    assert late.place(third.id) == first.id
    assert late.place(second.id) == first.id


def test_a_later_failure_is_not_placed_by_the_way() -> None:
    first, later = told(PARSER), told(PARSER)
    view = view_of(first, later)
    view.place(first.id)
    assert [failure.id for failure in view.members(first.id)] == [first.id]


def test_a_stored_cluster_keeps_its_name() -> None:
    first, second = told(PARSER, cluster_id="c9"), told(PARSER, cluster_id="c9")
    third = told(PARSER)
    assert view_of(first, second, third).place(third.id) == "c9"


def test_a_failure_moved_by_another_process_is_moved_here() -> None:
    first, second = told(PARSER), told(PARSER)
    view = view_of(first, second)
    view.place(second.id)
    view.take(feed(changed(first, cluster_id="other").memory, changed(second, cluster_id="other").memory))
    assert view.place(second.id) == "other"
    assert view.members(first.id) == ()


def test_the_name_of_a_cluster_is_not_given_twice() -> None:
    """A failure whose id names a cluster that went on without it starts one of another name."""
    left, stayed = told(NETWORK), told(PARSER)
    taken = told(PARSER, cluster_id=left.id)
    view = view_of(left, taken, stayed)
    assert view.place(left.id) == f"{left.id}-2"
    assert view.place(stayed.id) == left.id


@pytest.mark.parametrize("state", [State.RETRACTED, State.QUARANTINED])
def test_what_counts_no_more_leaves(state: State) -> None:
    first, second = told(PARSER), told(PARSER)
    view = view_of(first, second)
    view.place(second.id)
    view.take(feed(changed(first, state=state).memory))
    assert view.failures.keys() == {second.id}
    assert view.place(second.id) == second.id


def test_an_erased_failure_leaves() -> None:
    first, second = told(PARSER), told(PARSER)
    view = view_of(first, second)
    view.place(second.id)
    view.take(feed(gone=(first.id,)))
    assert view.place(second.id) == second.id


def test_a_failure_that_reads_otherwise_is_placed_anew() -> None:
    first, second = told(NETWORK), told(PARSER)
    view = view_of(first, second)
    assert view.place(second.id) == second.id
    view.take(feed(changed(first, manifestation=PARSER).memory))
    assert view.place(second.id) == first.id


def test_successes_are_in_no_cluster() -> None:
    view = view_of(experience(manifestation=PARSER), told(PARSER))
    assert len(view.failures) == 1


def test_patterns_are_seen_over_their_members() -> None:
    lesson, member, other = pattern(), told(PARSER), told(NETWORK)
    view = view_of(lesson, member, other, edges=(generalizes(lesson, member),))
    assert view.over == {member.id: (lesson.id,), other.id: ()}
    assert view.under(lesson.id) == [member.id]
    view.take(feed(gone=(lesson.id,)))
    assert view.patterns == {}


def test_vectors_of_an_unknown_space_are_not_compared() -> None:
    first = told(PARSER)
    assert view_of(first).failures[first.id].vector is None


def test_placements_that_were_not_stored_can_be_taken_back() -> None:
    first, second = told(PARSER), told(PARSER)
    view = view_of(first, second)
    view.place(second.id)
    view.reset()
    assert view.place(first.id) == first.id
    assert view.members(first.id)[0].id == first.id
