"""What a person edited in the file is said, what can be made again is made again, and the rest goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from time import sleep

import pytest

from graphmem.domain.drafts import MemoryUpdate
from graphmem.domain.errors import TooLargeError
from graphmem.domain.memories import Memory
from graphmem.domain.records import RecordKind
from graphmem.ports.queries import EdgeSelection, PageRequest, RecordSelection, Selection, pages
from graphmem.services.inspect import NAMED
from graphmem.wiring import Services
from tests.builders import NS
from tests.services import (
    DOWN,
    FlakyEmbedder,
    asked,
    because,
    by_hand,
    failed,
    opened,
    remembered,
    state,
    texts,
)

FIRST = "(SELECT id FROM memories ORDER BY id LIMIT 1)"


def spoil(path: Path, services: Services) -> None:
    """Two facts; the vector of the first becomes too short."""
    remembered(services, "the disk is full")
    remembered(services, "the network is down")
    by_hand(path, f"UPDATE vectors SET vector = x'0000' WHERE memory_id = {FIRST}")


def wrong(services: Services) -> list[str]:
    """What the doctor finds out of order."""
    return [item.what for item in services.inspect.doctor(NS, None, services.recall) if not item.ok]


def test_a_spoilt_vector_is_found_and_made_again(path: Path, services: Services) -> None:
    spoil(path, services)
    (spoilt,) = services.repair.unusable(NS)
    assert services.repair.embed(NS, [spoilt]) == 1
    assert services.repair.unusable(NS) == []
    assert asked(services, "the disk is full").facts[0].similarity == pytest.approx(1.0, abs=1e-5)
    assert state(services).counts["FACT"] == 2
    assert services.inspect.status(NS).digest_matches


def test_the_doctor_looks_at_the_file_and_not_at_what_is_held(path: Path, services: Services) -> None:
    remembered(services, "the disk is full")
    remembered(services, "the network is down")
    assert wrong(services) == []
    by_hand(path, "UPDATE vectors SET vector = x'0000'")
    (said,) = wrong(services)
    assert "2 memories without a usable vector" in said


def test_nothing_is_made_where_the_embedder_is_away(
    path: Path, flaky: Services, embedder: FlakyEmbedder
) -> None:
    spoil(path, flaky)
    before, (spoilt,) = state(flaky), flaky.repair.unusable(NS)
    embedder.broken = DOWN
    flaky.embedding._cache.clear()
    assert flaky.repair.embed(NS, [spoilt]) == 0
    assert state(flaky) == before
    embedder.broken = None
    assert flaky.repair.embed(NS, [spoilt]) == 1


def test_a_repair_waits_for_a_slow_embedder(
    path: Path, flaky: Services, embedder: FlakyEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for its answer in a hurry: vectors that wait, those that were spoilt, and what the doctor says."""
    spoil(path, flaky)
    embedder.broken = DOWN
    remembered(flaky, "the printer is out of paper")
    embedder.broken = None
    monkeypatch.setattr(flaky.embedding, "_budget_s", 0.0)
    monkeypatch.setattr(flaky.embedding, "_waits_s", 0.0)
    monkeypatch.setattr(embedder, "embed", slowly(embedder.embed))
    flaky.embedding._cache.clear()
    assert flaky.maintain.embed_pending(NS) == 0
    assert flaky.maintain.embed_pending(NS, patient=True) == 1
    assert flaky.repair.embed(NS, flaky.repair.unusable(NS)) == 1
    assert wrong(flaky) == []


def slowly(embed: Callable[[Sequence[str]], list[bytes]]) -> Callable[[Sequence[str]], list[bytes]]:
    """The same after a moment."""

    def after_a_moment(texts: Sequence[str]) -> list[bytes]:
        sleep(0.1)
        return embed(texts)

    return after_a_moment


def test_vectors_of_another_space_are_left_alone(path: Path, services: Services) -> None:
    spoil(path, services)
    with opened(path, embedder=FlakyEmbedder(model="m2"), seed=1) as other:
        assert other.repair.unusable(NS) == []
        assert other.repair.embed(NS, ["F-1"]) == 0


def test_too_many_at_once_are_refused(services: Services) -> None:
    ids = [remembered(services, f"fact {number}").memory.id for number in range(501)]
    with pytest.raises(TooLargeError):
        services.repair.embed(NS, ids)


def test_unknown_ids_are_nothing_to_do(services: Services) -> None:
    assert services.repair.embed(NS, ["nobody"]) == 0


def test_what_was_removed_by_hand_is_said_and_counted_out(path: Path, services: Services) -> None:
    doomed = remembered(services, "the disk is full").memory
    failed(services, "copy", caused_by=because(doomed.id))
    remembered(services, "the network is down")
    for table in ("edges WHERE to_id = ?", "vectors WHERE memory_id = ?", "memories WHERE id = ?"):
        by_hand(path, f"DELETE FROM {table}", doomed.id)
    assert wrong(services) == ["the store counts 3 memories, and holds 2: edited by hand"]
    (advice,) = [item.remedy for item in services.inspect.doctor(NS, None, services.recall) if not item.ok]
    assert advice.startswith("put back what you miss, then run 'graphmem doctor --repair'")
    assert services.repair.balance(NS)
    assert wrong(services) == []
    found = state(services)
    assert (found.counts["FACT"], found.counts["CAUSED_BY"], found.revision) == (1, 0, 3)
    assert not services.repair.balance(NS)
    assert texts(asked(services, "disk network").facts) == ["the network is down"]
    assert [item.ref for item in services.explain.explain(NS, "E-1").nodes] == ["E-1"]


def test_the_last_one_removed_by_hand_leaves_no_revision_that_is_never_reached(
    path: Path, services: Services
) -> None:
    remembered(services, "the disk is full")
    written = remembered(services, "the network is down")
    for table in ("vectors WHERE memory_id = ?", "memories WHERE id = ?"):
        by_hand(path, f"DELETE FROM {table}", written.memory.id)
    with opened(path, seed=1) as restarted:
        assert texts(asked(restarted, "disk", min_revision=written.revision).facts) == ["the disk is full"]
        assert wrong(restarted) == ["the store counts 2 memories, and holds 1: edited by hand"]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (
            "body = '{'",
            "body is no JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        ("body = '[1]'", "[1] is no JSON object"),
        ("body = json_set(body, '$.kind', 'PLAN')", "kind is 'PLAN'"),
        ("body = json_remove(body, '$.kind')", "kind is missing"),
        ("body = json_remove(body, '$.statement')", "statement is missing"),
        ("body = json_set(body, '$.statement', 7)", "statement is 7"),
        ("body = json_set(body, '$.tags', 'disk')", "tags is 'disk'"),
        ("body = json_set(body, '$.state', 'GONE')", "state is 'GONE'"),
        (
            "body = json_set(body, '$.occurred_at', '2026-01-01T00:00:00')",
            "occurred_at is '2026-01-01T00:00:00'",
        ),
        ("body = json_set(body, '$.mood', 'bad')", "mood is no field"),
        ("body = json_set(body, '$.id', 'x')", "id is 'x'"),
        ("body = x'00'", "body is no JSON: Expecting value: line 1 column 1 (char 0)"),
        ("digest = 'none'", "digest is 'none'"),
        ("revision = 'new'", "revision is 'new'"),
    ],
)
def test_a_row_that_cannot_be_read_is_named_and_in_nobody_s_way(
    path: Path, services: Services, edit: str, said: str
) -> None:
    doomed = remembered(services, "the zebra disk").memory
    remembered(services, "the zebra network")
    failed(services, "copy", caused_by=because(doomed.id))
    by_hand(path, "CREATE TABLE before AS SELECT * FROM memories")
    by_hand(path, f"UPDATE memories SET {edit} WHERE ref = 'F-1'")
    with opened(path, seed=1) as restarted:
        assert texts(asked(restarted, "zebra").facts) == ["the zebra network"]
        assert [item.ref for item in restarted.explain.explain(NS, "E-1").nodes] == ["E-1"]
        assert [item.ref for item in pages_of_one(restarted)] == ["F-2", "E-1"]
        found = wrong(restarted)
        assert found == [
            "the store counts 3 memories, and holds 2: edited by hand",
            f"F-1 cannot be read: {said}",
        ]
        assert restarted.repair.balance(NS)
        assert wrong(restarted) == [f"F-1 cannot be read: {said}"]
        assert remembered(restarted, "the zebra printer").memory.ref == "F-3"
        by_hand(
            path,
            "UPDATE memories SET (body, digest, revision) = "
            "(SELECT body, digest, revision FROM before WHERE ref = 'F-1') WHERE ref = 'F-1'",
        )
        assert wrong(restarted) == ["the store counts 3 memories, and holds 4: edited by hand"]
        assert restarted.repair.balance(NS)
        assert wrong(restarted) == []


def pages_of_one(services: Services) -> list[Memory]:
    """All memories, oldest first, a page each."""
    page = PageRequest(first=1, ascending=True)
    return [
        item
        for found in pages(lambda asked: services.store.find(NS, Selection(), asked), page)
        for item in found.items
    ]


def test_an_edge_that_cannot_be_read_is_named(path: Path, services: Services) -> None:
    cause = remembered(services, "the disk is full").memory
    failed(services, "copy", caused_by=because(cause.id))
    by_hand(path, "UPDATE edges SET body = json_set(body, '$.evidence[0].grade', 'SURE')")
    assert "E-1 CAUSED_BY F-1 cannot be read: evidence is [{'at': '2026-0" in "\n".join(wrong(services))
    assert [item.ref for item in services.explain.explain(NS, "E-1").nodes] == ["E-1"]
    assert services.store.edges(NS, EdgeSelection(), PageRequest()).items == ()
    by_hand(path, "UPDATE edges SET body = replace(body, to_id, 'x')")
    assert "E-1 CAUSED_BY F-1 cannot be read" in "\n".join(wrong(services))


def test_records_and_jobs_that_cannot_be_read_stop_nothing(path: Path, services: Services) -> None:
    for action in ("copy", "move"):
        failed(services, action)
    services.revise.update(NS, MemoryUpdate(id="E-1", correction="free the disk"))
    by_hand(path, "UPDATE records SET body = '{'")
    by_hand(path, "UPDATE jobs SET body = '{' WHERE created_at = (SELECT min(created_at) FROM jobs)")
    for kind in RecordKind:
        services.store.records(NS, kind, RecordSelection(), PageRequest())
    assert services.analyse.claim(NS, "agent") is not None


def test_more_than_can_be_named_is_said(path: Path, services: Services) -> None:
    for number in range(NAMED + 2):
        remembered(services, f"fact {number}")
    by_hand(path, "UPDATE memories SET body = '{'")
    _, *found, more = [item for item in wrong(services) if "embedder" not in item]
    assert len(found) == NAMED
    assert more == "there is more that cannot be read"


def test_an_empty_namespace_is_balanced(services: Services) -> None:
    assert not services.repair.balance(NS)
    assert list(services.store.namespaces()) == []
