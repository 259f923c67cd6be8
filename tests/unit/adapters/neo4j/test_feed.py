"""The feed beside writers: nothing is lost, however piecemeal a commit becomes visible."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from threading import Event, Thread
from typing import Any

import pytest

from graphmem.adapters.neo4j import feed
from graphmem.adapters.neo4j.grouping import MOST
from graphmem.adapters.neo4j.properties import properties_of
from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.ports.queries import Cursor
from graphmem.tooling.neo4j import RunningServer
from tests.builders import changes, fact
from tests.contract.reading import Reader, at_once, graph
from tests.neo4j_fixture import patient_store

ROWS = 50
WRITERS = 4


class SlowlyApplied:
    """A server on which the last commit shows its revision first, and its rows when its lock was waited for.

    group: how many revisions it is of.
    """

    def __init__(self, revisions: list[int], group: int = 1) -> None:
        self.held = [
            (revision, fact(id=f"{number:03}", revision=revision))
            for number, revision in enumerate(revisions)
        ]
        self.revision = max(revisions)
        self.whole = self.revision - group
        self.waited = 0
        self.applied = False

    def deadline(self) -> float:
        return 10.0

    def read(self, work: Callable[[Any], Any], *, deadline: float) -> Any:
        assert deadline == self.deadline()
        return work(self)

    def write(self, work: Callable[[Any], Any], *, commit: bool, deadline: float) -> Any:
        assert (commit, deadline) == (False, self.deadline())
        return work(self)

    def run(self, name: str, **asked: Any) -> list[dict[str, Any]]:
        if name == "read/namespace":
            return [{"namespace": {"revision": self.revision}}]
        if name == "write/await-commits":
            self.waited += 1
            self.applied = True
            return []
        raise AssertionError(f"nobody asks for {name} row by row")

    def rows(self, name: str, **asked: Any) -> list[dict[str, Any]]:
        assert name == "read/changes"
        shown = [
            {"revision": revision, "id": memory.id, "memory": properties_of(memory, 0), "edges": []}
            for revision, memory in self.held
            if (asked["after"], asked["after_id"]) < (revision, memory.id)
            and revision <= asked["upto"]
            and (self.applied or revision <= self.whole or memory.id.endswith("5"))
        ]
        return shown[: asked["limit"]]


def read_all(
    server: Any, settled: feed.Settled, limit: int, after: Cursor | None = None
) -> tuple[list[str], Cursor]:
    ids: list[str] = []
    cursor = after or Cursor()
    for _ in range(100):
        answer = feed.changes_since(server, settled, "main", cursor, limit)
        ids += [row.memory.id for row in answer.rows]
        cursor = answer.next
        if answer.complete:
            return ids, cursor
    raise AssertionError("the feed has no end")


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
@pytest.mark.parametrize(
    "revisions", [[1] * 7, [1, 2, 2, 2, 2, 2, 2], [1, 3, 7, 7, 7, 9, 9], [5] * 3 + [6] * 12]
)
def test_a_commit_that_becomes_visible_piecemeal_is_read_whole(revisions: list[int], limit: int) -> None:
    """Rows of the last commit are shown once all of them are there; no row is shown twice."""
    server = SlowlyApplied(revisions)
    ids, _ = read_all(server, feed.Settled(), limit)
    assert ids == [memory.id for _, memory in server.held]
    assert server.waited == 1


@pytest.mark.parametrize("limit", [1, 3, 100])
@pytest.mark.parametrize("group", [1, 2, MOST])
@pytest.mark.parametrize("after", [0, 1, 5, 20])
def test_a_group_that_becomes_visible_piecemeal_is_read_whole(limit: int, group: int, after: int) -> None:
    """Several actions were committed at once: none of them is passed by, wherever the reader stands."""
    server = SlowlyApplied([*range(1, 40)], group)
    begin = Cursor(after, "~")
    ids, _ = read_all(server, feed.Settled(), limit, begin)
    assert ids == [memory.id for revision, memory in server.held if revision > after]
    assert server.waited == 1


def test_older_commits_are_read_without_waiting() -> None:
    """While there is older news, nobody waits for the lock that writers take."""
    server = SlowlyApplied([*range(1, MOST + 5)])
    answer = feed.changes_since(server, feed.Settled(), "main", Cursor(), 100)  # type: ignore[arg-type]
    assert [row.memory.revision for row in answer.rows] == [1, 2, 3, 4]
    assert (server.waited, answer.complete, answer.next) == (0, False, Cursor(5))


def test_who_is_up_to_date_waits_for_nobody() -> None:
    server = SlowlyApplied([1, 2])
    settled = feed.Settled()
    _, cursor = read_all(server, settled, 10)
    assert server.waited == 1
    for known in (settled, feed.Settled()):
        answer = feed.changes_since(server, known, "main", cursor, 10)  # type: ignore[arg-type]
        assert (answer.rows, answer.complete, answer.next, server.waited) == ((), True, cursor, 1)


def test_own_commits_are_known_to_be_there() -> None:
    server, settled = SlowlyApplied([1, 2, 2]), feed.Settled()
    server.applied = True
    settled.note("main", 2)
    ids, _ = read_all(server, settled, 10)
    assert (len(ids), server.waited) == (3, 0)


def test_what_is_known_of_another_history_is_forgotten() -> None:
    """A database that was set back and went on to the same revision is waited for again."""
    server, settled = SlowlyApplied([1, 2, 2 + MOST]), feed.Settled()
    settled.note("main", 7 + MOST)
    assert not feed.changes_since(server, settled, "main", Cursor(), 10).complete  # type: ignore[arg-type]
    assert settled.of("main") == 0
    read_all(server, settled, 10)
    assert server.waited == 1


@pytest.mark.neo4j
def test_no_row_is_lost_beside_writers(neo4j_server: RunningServer, store: Neo4jStore, name: str) -> None:
    """Four writers of fifty rows a commit, and readers that poll all the time in a store of their own."""
    done = Event()
    with closing(patient_store(neo4j_server.bolt_uri)) as other:
        readers = [Reader(other, name) for _ in range(2)]

        def follow(reader: Reader) -> None:
            while not done.is_set():
                reader.step(60)

        def write(number: int) -> None:
            for index in range(5):
                store.apply(
                    changes(*(fact(f"{number}-{index}-{row}", namespace=name) for row in range(ROWS)))
                )

        threads = [Thread(target=follow, args=(reader,)) for reader in readers]
        for thread in threads:
            thread.start()
        at_once(write, WRITERS, threads=WRITERS)
        done.set()
        for thread in threads:
            thread.join()
        whole = graph(other, name)
        assert len(whole) == WRITERS * 5 * ROWS
        for reader in readers:
            assert reader.catch_up(1000).graph == whole
            assert reader.digest == store.state(name).graph_digest
