"""What the driver is slow about is not asked of it: times of its own, and a row for each thing that is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from neo4j.time import DateTime

from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.domain.records import JobKind, JobState, RecordKind
from graphmem.ports.changes import JobFinish
from graphmem.ports.queries import Cursor, Direction, EdgeSelection, PageRequest, RecordSelection, Selection
from tests.builders import at, caused, fact, failure, job, pattern, record, request
from tests.contract.reading import put

pytestmark = pytest.mark.neo4j

READ = sorted((Path(__file__).parents[4] / "queries" / "read").glob("*.cypher"))


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """What the server answered, by the name of the statement."""
    run, answers = Session.run, dict[str, list[Any]]()

    def noted(self: Session, name: str, **parameters: Any) -> Any:
        found = run(self, name, **parameters)
        answers.setdefault(name, []).extend(row.data() for row in found)
        return found

    monkeypatch.setattr(Session, "run", noted)
    return answers


def leaves(value: Any) -> Iterator[Any]:
    """Every value that is no list and no map."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if parts is None:
        yield value
    else:
        for part in parts:
            yield from leaves(part)


def read_everything(store: Neo4jStore, name: str, ids: list[str]) -> None:
    """Ask in every way."""
    page = PageRequest()
    store.get(name, ids)
    assert store.damaged(name) == ()
    for selection in (Selection(), Selection(session_id="s"), Selection(task_id="t")):
        store.find(name, selection, page)
        store.find(name, selection, PageRequest(ascending=True))
    store.changes_since(name, Cursor(), 100)
    for direction in Direction:
        store.expand(name, ids, direction)
    for ends in (EdgeSelection(), EdgeSelection(from_ids=tuple(ids)), EdgeSelection(to_ids=tuple(ids))):
        store.edges(name, ends, page)
    for kind in (RecordKind.SERVED, RecordKind.REQUEST, RecordKind.ERASURE, RecordKind.JOB):
        store.records(name, kind, RecordSelection(), page)
        store.records(name, kind, RecordSelection(subject=ids[0]), page)
    store.records(name, RecordKind.SERVED, RecordSelection(newest=True), page)
    store.records(name, RecordKind.JOB, RecordSelection(open_jobs=JobKind.ANALYSE), page)
    store.records(name, RecordKind.JOB, RecordSelection(failed_jobs=True), page)


def test_no_time_is_read_as_the_driver_has_it(
    store: Neo4jStore, name: str, rows: dict[str, list[Any]]
) -> None:
    effect = failure(namespace=name, session_id="s", task_id="t")
    cause = fact(namespace=name, valid_from=at(-9), valid_to=at(9))
    lesson, gone = pattern(namespace=name, first_seen=at(-9), last_seen=at(9)), fact(namespace=name)
    waiting, given_up = job(JobKind.ANALYSE, subject=effect.id), job(JobKind.EMBED)
    put(
        store,
        *(effect, cause, lesson, gone),
        edges=(caused(effect, cause),),
        records=(record(RecordKind.SERVED, subject=effect.id),),
        requests=(request("k", effect), request("l", gone)),
        jobs=(given_up,),
    )
    held = store.claim(name, JobKind.EMBED, "w", at(1), at(2) - at(1))
    assert held is not None
    put(store, namespace=name, finish=JobFinish.of(held, JobState.FAILED), jobs=(waiting,), erase=(gone.id,))
    rows.clear()
    read_everything(store, name, [effect.id, cause.id, lesson.id])
    with_times = {f"read/{file.stem}" for file in READ if "toString" in file.read_text(encoding="utf-8")}
    assert {statement for statement, found in rows.items() if any(leaves(found))} >= with_times
    assert [statement for statement, found in rows.items() if DateTime in map(type, leaves(found))] == []


def test_many_memories_and_edges_come_in_one_row(
    store: Neo4jStore, name: str, rows: dict[str, list[Any]]
) -> None:
    cause, *effects = (failure(namespace=name, session_id="s", task_id="t") for _ in range(5))
    put(store, cause, *effects, edges=tuple(caused(effect, cause) for effect in effects))
    ids = [cause.id, *(effect.id for effect in effects)]
    rows.clear()
    assert len(store.get(name, ids)) == 5
    assert (
        len(store.expand(name, ids, Direction.CAUSES)) == len(store.expand(name, ids, Direction.EFFECTS)) == 4
    )
    for selection in (Selection(), Selection(session_id="s"), Selection(task_id="t")):
        assert len(store.find(name, selection, PageRequest()).items) == 5
    assert len(store.find(name, Selection(), PageRequest(ascending=True)).items) == 5
    assert len(store.changes_since(name, Cursor(), 100).rows) == 5
    told = {statement: len(found) for statement, found in rows.items() if statement != "read/namespace"}
    assert told == dict.fromkeys(told, 1)
    assert len(told) == 8
