"""Ranking the rows of one kind: small, large, with bad vectors and with none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.analysis.fusion import LISTED_DEVIATIONS
from graphmem.analysis.tokens import language_of, tokenize
from graphmem.domain.memories import Memory, MemoryKind, SearchField, State, searchable
from graphmem.domain.records import SpaceParameters
from graphmem.index.namespace_index import NamespaceIndex
from graphmem.index.partition import PreparedQuery, Space
from graphmem.index.search import RANKED, Candidate, Search, search
from graphmem.ports.queries import ChangeFeed, Cursor, FeedRow
from tests.builders import Ids, at, experience, fact, failure, pattern, vector

EMBEDDER = HashingEmbedder(32)
SPACE = Space(EMBEDDER.parameters)


def furnished(memory: Memory) -> Memory:
    """The memory with its vectors."""
    words = searchable(memory)
    vectors: dict[SearchField, bytes] = dict(zip(words, EMBEDDER.embed(list(words.values())), strict=True))
    return replace(memory, vectors=vectors)


def index_of(*memories: Memory, space: Space | None = SPACE) -> NamespaceIndex:
    """An index over the memories, put in this order."""
    index = NamespaceIndex(space)
    put(index, *memories)
    return index


def put(index: NamespaceIndex, *memories: Memory) -> None:
    """Let the feed bring the memories."""
    rows = tuple(FeedRow(memory=memory, edges=(), digest=1) for memory in memories)
    index.take(ChangeFeed(rows=rows, tombstones=(), next=Cursor(1), complete=True))


def remove(index: NamespaceIndex, *memories: Memory) -> None:
    """Let the feed bring tombstones."""
    graves = tuple(memory.id for memory in memories)
    index.take(ChangeFeed(rows=(), tombstones=graves, next=Cursor(2), complete=True))


def prepared(text: str, *, words_only: bool = False) -> PreparedQuery:
    """A question as the services prepare it."""
    (data,) = EMBEDDER.embed([text])
    language = language_of(text)
    found = None if words_only else SPACE.prepare(data, language)
    return PreparedQuery(text, tuple(tokenize(text)), language, found)


def found(
    index: NamespaceIndex, text: str, kind: MemoryKind = MemoryKind.FACT, **given: Any
) -> list[Candidate]:
    """What a search says."""
    wanted: dict[str, Any] = {"concern": None, "keys": {}, "now": at(0), "situation": prepared(text)}
    return search(index, Search(kind=kind, **(wanted | given)))


def ids(hits: Sequence[Candidate]) -> list[str]:
    """The ids of the hits."""
    return [hit.id for hit in hits]


def test_an_empty_index_finds_nothing() -> None:
    assert found(index_of(), "anything") == []


def test_a_text_without_a_word_is_no_error() -> None:
    assert found(index_of(furnished(fact("!?..."))), "disk") == []


@pytest.mark.parametrize("others", [[], ["network down"], ["network down", "router up"], ["disk fine"]])
def test_a_word_counts_in_an_index_of_any_size(others: list[str]) -> None:
    """In rank_bm25 a word that half of the documents hold scores 0, and one document scores below 0."""
    disk = furnished(fact("disk full on node a"))
    hits = found(index_of(disk, *[furnished(fact(text)) for text in others]), "disk full")
    assert hits[0].id == disk.id
    assert hits[0].lexical > 0
    assert all(math.isfinite(hit.ranking) for hit in hits)


def test_what_shares_no_word_has_no_lexical_part() -> None:
    network = furnished(fact("network down"))
    assert network.id not in ids(found(index_of(furnished(fact("disk full")), network), "disk"))


def test_equal_texts_are_ordered_by_id_wherever_they_lie() -> None:
    new_id = Ids(7)
    facts = [furnished(fact("the disk is full on node a", id=new_id())) for _ in range(61)]
    straight, mixed = index_of(*facts), index_of(*facts[::-1])
    gone = [furnished(fact("the disk is full on node a")) for _ in range(13)]
    put(mixed, *gone)
    remove(mixed, *gone, *facts[::3])
    put(mixed, *facts[::3])
    expected = sorted(memory.id for memory in facts)
    assert ids(found(straight, "disk full")) == ids(found(mixed, "disk full")) == expected[:RANKED]


def test_of_more_than_can_be_kept_the_first_by_id_are_kept() -> None:
    new_id = Ids(7)
    facts = [furnished(fact("the disk is full", id=new_id())) for _ in range(RANKED + 50)]
    expected = sorted(memory.id for memory in facts)[:RANKED]
    assert ids(found(index_of(*facts[::-1]), "disk")) == expected
    assert ids(found(index_of(*facts), "disk")) == expected


def test_many_successes_leave_room_for_the_failures() -> None:
    own = [furnished(failure("copy the file")) for _ in range(3)]
    many = [furnished(experience("copy the file")) for _ in range(RANKED + 50)]
    hits = found(index_of(*many, *own), "copy the file", MemoryKind.EXPERIENCE)
    assert {memory.id for memory in own} <= set(ids(hits))
    assert len(hits) == RANKED + 3


def test_many_copies_leave_room_for_the_witnesses() -> None:
    """Whose words fit less, since the copies were made of the very question."""
    own = [furnished(failure("copy the file to the archive on Friday")) for _ in range(3)]
    copies = [furnished(failure("copy the file", informed_by=("shown",))) for _ in range(RANKED + 50)]
    hits = found(index_of(*copies, *own), "copy the file", MemoryKind.EXPERIENCE)
    assert {hit.id for hit in hits if hit.witness} == {memory.id for memory in own}
    assert len(hits) == RANKED + 3


@pytest.mark.parametrize("silent", [RANKED - 1, RANKED + 50, 5 * RANKED])
def test_what_is_not_said_takes_no_place_of_what_may_be_said(silent: int) -> None:
    own = [furnished(failure(f"copy the file to the archive on day {day}")) for day in range(RANKED)]
    muted = [furnished(failure("copy the file")) for _ in range(silent)]
    names = {memory.id for memory in muted}
    hits = found(index_of(*muted, *own), "copy the file", MemoryKind.EXPERIENCE, is_silent=names.__contains__)
    assert {hit.id for hit in hits if not hit.silent} == {memory.id for memory in own}
    assert ids(hits)[0] in names


BAD = [vector(*[math.nan] * 32), b"", vector(*[1.0] * 20), vector(*[0.0] * 32), vector(*[math.inf] * 32)]


@pytest.mark.parametrize("data", BAD)
def test_a_bad_vector_is_found_by_words_only_and_counted(data: bytes) -> None:
    good = [furnished(fact(f"the disk is full {number}")) for number in range(7)]
    bad = [fact(f"the disk is full {number}", vectors={SearchField.TEXT: data}) for number in range(3)]
    index = index_of(*good, *bad)
    hits = {hit.id: hit for hit in found(index, "disk full")}
    assert index.bad_vectors() == 3
    assert len(hits) == 10
    assert all(hits[memory.id].deviation is None and hits[memory.id].lexical > 0 for memory in bad)
    assert all(hits[memory.id].deviation is not None for memory in good)
    assert ids(found(index, "disk full"))[:1] != [bad[0].id]
    assert all(math.isfinite(hit.ranking) for hit in hits.values())


def test_a_bad_vector_that_is_replaced_is_no_longer_counted() -> None:
    memory = fact("disk", vectors={SearchField.TEXT: b""})
    index = index_of(memory)
    put(index, furnished(memory))
    assert index.bad_vectors() == 0


def test_memories_without_vectors_are_counted_once_each() -> None:
    index = index_of(failure("copy", correction="x"), fact("disk"), furnished(fact("network")))
    assert index.without_vectors() == 2


def test_a_namespace_of_another_space_is_searched_by_words() -> None:
    index = index_of(furnished(fact("the disk is full")), space=None)
    (hit,) = found(index, "disk", situation=prepared("disk", words_only=True))
    assert hit.deviation is None
    assert hit.lexical > 0


def test_a_question_without_a_vector_is_answered_by_words() -> None:
    index = index_of(furnished(fact("the disk is full")))
    (hit,) = found(index, "disk", situation=prepared("disk", words_only=True))
    assert hit.deviation is None
    assert hit.relevance == pytest.approx(hit.lexical / (hit.lexical + 8))


def test_near_in_meaning_is_listed_without_a_shared_word() -> None:
    near = prepared("disks")
    assert near.vector is not None
    memory = fact("xyz", vectors={SearchField.TEXT: near.vector.tobytes()})
    (hit,) = found(index_of(memory), "disks")
    assert hit.lexical == 0
    assert hit.deviation is not None
    assert hit.deviation >= LISTED_DEVIATIONS


def test_the_means_of_a_language_are_taken_away() -> None:
    mean = {"en": tuple([0.5] * 32), "zh": tuple([-0.5] * 32)}
    centred = Space(SpaceParameters(space=EMBEDDER.space, mu=0.0, sd=0.1, mean=mean))
    (data,) = EMBEDDER.embed(["disk"])
    one, other = centred.prepare(data, "en"), centred.prepare(data, "zh")
    assert one is not None
    assert other is not None
    assert one.tolist() != other.tolist()
    assert centred.prepare(data, "fr") is not None


@pytest.mark.parametrize(("deviation", "cosine"), [(0, 0.0), (100, 1.0), (-100, -1.0)])
def test_a_deviation_is_shown_as_a_cosine(deviation: float, cosine: float) -> None:
    assert SPACE.cosine(deviation) == cosine


def test_only_rows_of_the_period_are_listed() -> None:
    facts = [furnished(fact(f"disk {number}", occurred_at=at(number))) for number in range(4)]
    hits = found(index_of(*facts), "disk", start=at(1), end=at(3))
    assert set(ids(hits)) == {facts[1].id, facts[2].id}


def test_archived_rows_are_listed_on_demand() -> None:
    index = index_of(furnished(fact("disk", state=State.SUPERSEDED)))
    assert found(index, "disk") == []
    assert len(found(index, "disk", include_archived=True)) == 1


def test_the_younger_of_two_equals_comes_first() -> None:
    old, new = (furnished(fact("disk", occurred_at=at(days * 86_400))) for days in (-400, -1))
    assert ids(found(index_of(old, new), "disk")) == [new.id, old.id]


def test_a_future_memory_weighs_no_more_than_one_of_now() -> None:
    future, now = (furnished(fact("disk", occurred_at=at(days * 86_400))) for days in (400, 0))
    assert [hit.decay for hit in found(index_of(future, now), "disk")] == [1.0, 1.0]


def test_a_row_that_was_freed_takes_over_nothing() -> None:
    index = index_of(furnished(failure("copy the disk", tool="bash", correction="disk disk")))
    remove(index, *[failure("x", id=index.shelves[MemoryKind.EXPERIENCE].ids[0])])
    put(index, furnished(experience("copy the disk")))
    (hit,) = found(index, "copy the disk", MemoryKind.EXPERIENCE, keys={"tool": "bash"})
    assert hit.equal_keys == ()


def test_an_experience_without_an_outcome_is_judged_by_its_situation() -> None:
    bare, told = furnished(experience("copy the disk")), furnished(failure("copy the disk", correction="zzz"))
    hits = {hit.id: hit for hit in found(index_of(bare, told), "copy the disk", MemoryKind.EXPERIENCE)}
    assert hits[bare.id].relevance > hits[told.id].relevance > 0


def test_each_equal_key_adds_as_much() -> None:
    memory = furnished(failure("copy", tool="bash", agent="a1", task_type="etl"))
    keys = {"tool": "bash", "agent": "a1", "task_type": "other"}
    plain = found(index_of(memory), "copy", MemoryKind.EXPERIENCE)[0]
    keyed = found(index_of(memory), "copy", MemoryKind.EXPERIENCE, keys=keys)[0]
    assert keyed.relevance == pytest.approx(plain.relevance + 0.2)
    assert keyed.equal_keys == ("tool", "agent")


@pytest.mark.parametrize(("key", "lists"), [("tool", True), ("agent", False), ("task_type", False)])
def test_of_the_keys_only_the_very_tool_lists_something_by_itself(key: str, lists: bool) -> None:
    index = index_of(furnished(failure("copy", **{key: "x"})))
    assert bool(found(index, "network", MemoryKind.EXPERIENCE, keys={key: "x"})) is lists


@pytest.mark.parametrize("archived", [False, True])
def test_a_row_that_is_free_is_never_listed_for_its_tool(archived: bool) -> None:
    gone = furnished(failure("copy", tool="bash"))
    keys = {"tool": "bash"}
    index = index_of(gone, furnished(failure("fly")))
    remove(index, gone)
    assert found(index, "network", MemoryKind.EXPERIENCE, keys=keys, include_archived=archived) == []


def test_where_languages_mix_words_weigh_less() -> None:
    english = [furnished(fact(f"the disk is full {number}")) for number in range(9)]
    pure = found(index_of(*english), "disk")[0]
    mixed = found(index_of(*english, furnished(fact("磁盘已满"))), "disk")[0]
    assert pure.deviation is not None
    assert pure.relevance == pytest.approx(0.5 * pure.lexical / (pure.lexical + 8) + 0.5 * pure.deviation / 6)
    assert mixed.deviation is not None
    assert mixed.relevance == pytest.approx(
        0.3 * mixed.lexical / (mixed.lexical + 8) + 0.7 * mixed.deviation / 6
    )


def test_a_page_that_is_applied_twice_changes_nothing() -> None:
    memories = [furnished(fact("disk")), furnished(pattern("disk"))]
    once, twice = index_of(*memories), index_of(*memories)
    put(twice, *memories)
    assert found(once, "disk") == found(twice, "disk")
    assert once.digest == twice.digest


def test_many_changes_of_one_memory_leave_one() -> None:
    memory = furnished(fact("disk full"))
    index = index_of(memory)
    for number in range(50):
        put(index, furnished(replace(memory, statement=f"disk {number}")))
    assert len(found(index, "disk")) == 1
    assert found(index, "full") == []
    assert index.languages() == {"en": 1}
