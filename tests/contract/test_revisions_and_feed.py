"""Laws of revisions and the feed: who reads on from a cursor ends with what the store holds."""

from __future__ import annotations

import pytest

from graphmem.domain.causation import Edge
from graphmem.domain.encoding import edge_digest, memory_digest
from graphmem.domain.memories import Memory, SearchField
from graphmem.domain.records import RecordKind
from graphmem.ports.changes import Changes
from graphmem.ports.queries import Cursor
from graphmem.ports.store import MemoryStore
from tests.builders import (
    NS,
    caused,
    changed,
    changes,
    confirmed,
    evidence,
    experience,
    fact,
    failure,
    full_memories,
    generalizes,
    job,
    pattern,
    record,
    refuted,
    strategy,
    supersedes,
    vector,
)
from tests.contract.reading import Reader, at_once, by_ends, graph, one, put


def busy(store: MemoryStore) -> tuple[Memory, ...]:
    """Write a small history of every kind of change."""
    old, new, cause, first, second, lesson, advice = put(
        store, fact(), fact(), fact(), failure(), failure(), pattern(), strategy()
    )
    put(store, edges=(caused(first, cause), caused(second, first), supersedes(new, old)))
    put(store, edges=(generalizes(lesson, first), generalizes(lesson, second), generalizes(advice, lesson)))
    put(store, update=(changed(one(store, cause), statement="corrected", tags=("t",)),))
    put(store, edges=(caused(first, cause, evidence=(evidence(0.5, note="seen"),), verdicts=(refuted(),)),))
    put(store, *full_memories(), erase=(new.id,))
    return old, cause, first, second, lesson, advice


def test_every_action_moves_the_revision_by_one(store: MemoryStore) -> None:
    """An action that touches memories or edges moves the revision by exactly one, whatever its size."""
    effect, cause = failure(), fact()
    actions: tuple[Changes, ...] = (
        changes(effect, cause, *(fact() for _ in range(20)), edges=(caused(effect, cause),)),
        changes(update=(changed(cause, statement="new"), changed(effect, tags=("t",)))),
        changes(edges=(caused(effect, cause, verdicts=(refuted(),)),)),
        changes(erase=(effect.id, cause.id)),
    )
    assert [store.apply(item).revision for item in actions] == [1, 2, 3, 4]
    assert store.state(NS).revision == 4


def test_service_records_move_nothing(store: MemoryStore) -> None:
    """Records, jobs and parameters alone leave the revision and the feed where they are."""
    put(store, fact())
    for action in (
        changes(records=(record(RecordKind.AUDIT), record(RecordKind.EXPOSURE))),
        changes(jobs=(job(),)),
        changes(parameters_version=2, records=(record(RecordKind.SPACE),)),
        changes(),
    ):
        assert store.apply(action).revision == 1
    reader = Reader(store).catch_up()
    assert reader.cursor.revision == 1
    assert store.state(NS).revision == 1


def test_what_was_touched_carries_the_revision(store: MemoryStore) -> None:
    """Created and updated memories carry the revision of their action; all others keep theirs."""
    still, moved = put(store, fact("still"), fact("moved"))
    put(store, update=(changed(moved, statement="new"),))
    (third,) = put(store, fact("third"))
    assert [one(store, item).revision for item in (still, moved, third)] == [1, 2, 3]


@pytest.mark.parametrize("kind", ["caused by", "caused by a fact", "generalizes", "supersedes"])
def test_an_edge_moves_its_owner(store: MemoryStore, kind: str) -> None:
    """An edge moves the effect, the specific or the older end, not the other, and no version."""
    ends: dict[str, tuple[Memory, Memory, type]] = {
        "caused by": (failure(), experience(), caused),
        "caused by a fact": (failure(), fact(), caused),
        "generalizes": (strategy(), pattern(), generalizes),
        "supersedes": (fact(), fact(), supersedes),
    }
    source, target, join = ends[kind]
    put(store, source, target)
    edge: Edge = join(source, target)
    put(store, edges=(edge,))
    other = ({source.id, target.id} - {edge.owner_id}).pop()
    stored = store.get(NS, [edge.owner_id, other])
    assert (stored[edge.owner_id].revision, stored[other].revision) == (2, 1)
    assert (stored[edge.owner_id].version, stored[other].version) == (1, 1)


@pytest.mark.parametrize("verdict", [refuted(1), confirmed(1)])
def test_a_verdict_moves_the_effect(store: MemoryStore, verdict: object) -> None:
    """A verdict is a change of an edge: the effect comes through the feed again with it."""
    effect, cause = put(store, failure(), fact())
    put(store, edges=(caused(effect, cause),))
    reader = Reader(store).catch_up()
    put(store, edges=(caused(effect, cause, evidence=(), verdicts=(verdict,)),))
    (row,) = store.changes_since(NS, reader.cursor, 10).rows
    assert row.memory.id == effect.id
    assert row.edges == (caused(effect, cause, verdicts=(verdict,)),)


def test_an_erasure_leaves_a_tombstone(store: MemoryStore) -> None:
    """Who has seen a memory is told that it was erased, and so is who starts anew."""
    kept, gone = put(store, fact(), fact())
    reader = Reader(store).catch_up()
    put(store, erase=(gone.id,))
    feed = store.changes_since(NS, reader.cursor, 10)
    assert (feed.rows, feed.tombstones) == ((), (gone.id,))
    assert set(graph(store)) == {kept.id}


def test_an_erased_cause_changes_its_effect(store: MemoryStore) -> None:
    """Erasing one end of an edge sends the memory that owned the edge again, without it."""
    effect, cause, older, newer = put(store, failure(), fact(), fact(), fact())
    put(store, edges=(caused(effect, cause), supersedes(newer, older)))
    reader = Reader(store).catch_up()
    put(store, erase=(cause.id, newer.id))
    feed = store.changes_since(NS, reader.cursor, 10)
    assert {row.memory.id: row.edges for row in feed.rows} == {effect.id: (), older.id: ()}
    assert {one(store, effect).revision, one(store, older).revision} == {3}


def test_a_row_is_a_memory_with_its_edges(store: MemoryStore) -> None:
    """A feed row holds the memory with its vectors, and all edges that it owns and no other."""
    effect, cause = put(store, failure(vectors={SearchField.SITUATION: vector(0.5)}), failure())
    lesson = pattern()
    put(store, lesson, edges=(caused(effect, cause), generalizes(lesson, effect)))
    shown = graph(store)
    assert shown[effect.id][0] == one(store, effect)
    assert shown[effect.id][1] == by_ends([caused(effect, cause), generalizes(lesson, effect)])
    assert shown[cause.id] == (cause, [])
    assert shown[lesson.id] == (one(store, lesson), [])


def test_the_feed_is_ordered(store: MemoryStore) -> None:
    """Rows come in the order of (revision, id), each memory once, with its last change."""
    busy(store)
    feed = store.changes_since(NS, Cursor(), 100)
    places = [(row.memory.revision, row.memory.id) for row in feed.rows]
    assert places == sorted(places)
    assert len({row.memory.id for row in feed.rows}) == len(places)
    assert feed.complete


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_pages_add_up_to_the_whole(store: MemoryStore, limit: int) -> None:
    """The feed read in pages of any size equals the feed read at once."""
    busy(store)
    reader = Reader(store).catch_up(limit)
    assert reader.graph == graph(store)


@pytest.mark.parametrize("limit", [1, 2])
def test_a_slow_reader_misses_nothing(store: MemoryStore, limit: int) -> None:
    """A reader that is overtaken by writes between its pages ends with what the store holds."""
    old, cause, first, _, lesson, _ = busy(store)
    reader = Reader(store)
    reader.step(limit)
    put(store, erase=(old.id,))
    reader.step(limit)
    put(store, fact("late"), update=(changed(one(store, first), tags=("late",)),))
    reader.step(limit)
    put(store, erase=(cause.id, lesson.id))
    assert reader.catch_up(limit).graph == graph(store)
    assert reader.tombstones >= {old.id, cause.id, lesson.id}


def test_a_reader_that_is_up_to_date_gets_nothing(store: MemoryStore) -> None:
    """After the last page there are no rows, the cursor stays, and the feed is complete."""
    busy(store)
    cursor = Reader(store).catch_up().cursor
    feed = store.changes_since(NS, cursor, 10)
    assert (feed.rows, feed.tombstones, feed.next, feed.complete, feed.reset) == ((), (), cursor, True, False)


def test_a_cut_page_says_that_there_is_more(store: MemoryStore) -> None:
    """complete is False on every page but the last, also inside one large action."""
    put(store, *(fact() for _ in range(5)))
    reader = Reader(store)
    assert [reader.step(2), reader.step(2), reader.step(2)] == [False, False, True]
    assert len(reader.rows) == 5


def test_a_cursor_of_another_history_is_told(store: MemoryStore) -> None:
    """A cursor beyond the revision, as after a restored backup, is answered with reset."""
    put(store, fact())
    assert store.changes_since(NS, Cursor(7, "x"), 10).reset
    assert store.changes_since("never written", Cursor(1, "x"), 10).reset
    assert not store.changes_since(NS, Cursor(), 10).reset


def test_every_answer_names_the_parameters(store: MemoryStore) -> None:
    """state and every feed answer tell the last parameters_version, which other actions leave alone."""
    assert store.state(NS).parameters_version == 0
    store.apply(changes(parameters_version=4))
    put(store, fact())
    assert store.state(NS).parameters_version == 4
    assert store.changes_since(NS, Cursor(), 10).parameters_version == 4
    assert store.changes_since(NS, Cursor(1, "z"), 10).parameters_version == 4


def test_row_digests_cover_memory_and_edges(store: MemoryStore) -> None:
    """A row's digest is the sum of the digests of its memory and its edges modulo 2**64."""
    busy(store)
    for row in store.changes_since(NS, Cursor(), 100).rows:
        assert row.digest == (memory_digest(row.memory) + sum(map(edge_digest, row.edges))) % 2**64


def test_the_digests_of_all_rows_make_the_graph_digest(store: MemoryStore) -> None:
    """Who has applied the whole feed can check by its digests that nothing is missing."""
    assert store.state(NS).graph_digest == 0
    busy(store)
    assert Reader(store).catch_up().digest == store.state(NS).graph_digest != 0


def test_the_digest_covers_records_but_no_audit(store: MemoryStore) -> None:
    """Records change digest and not graph_digest; AUDIT records, jobs and keys change neither."""
    put(store, fact())
    empty = store.state(NS)
    store.apply(changes(records=(record(RecordKind.AUDIT),)))
    assert store.state(NS).digest == empty.digest
    store.apply(changes(records=(record(RecordKind.SPACE),)))
    assert store.state(NS).digest != empty.digest
    assert store.state(NS).graph_digest == empty.graph_digest


def test_concurrent_actions_are_in_one_order(store: MemoryStore) -> None:
    """Actions of many threads get the revisions 1..n without gap, and a reader beside them ends complete."""
    reader = Reader(store)

    def work(number: int) -> int:
        if number % 8 == 7:
            store.changes_since(NS, Cursor(), 3)
        return store.apply(changes(fact(f"fact {number}"))).revision

    revisions = at_once(work, 64)
    assert sorted(revisions) == list(range(1, 65))
    assert reader.catch_up(5).graph == graph(store)
    assert sorted(item.ref for item, _ in reader.graph.values()) == sorted(f"F-{n}" for n in range(1, 65))


def test_a_reader_beside_writers_ends_complete(store: MemoryStore) -> None:
    """A reader that polls while others write never skips a change that is committed later."""
    reader = Reader(store)

    def work(number: int) -> None:
        if number % 4 == 0:
            for _ in range(5):
                Reader(store).catch_up(2)
        else:
            put(store, fact(f"fact {number}"))

    def follow(number: int) -> None:
        if number == 0:
            for _ in range(40):
                reader.step(3)
        else:
            work(number)

    at_once(follow, 40)
    assert reader.catch_up(3).graph == graph(store)
    assert len(reader.rows) == 30
