"""Whatever call of the store fails: nothing or everything is written, and the same call again succeeds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.causation import VerdictKind
from graphmem.domain.drafts import CauseLink, CauseRef, CauseReview, ExperienceDraft, MemoryUpdate
from graphmem.domain.errors import UnavailableError
from graphmem.domain.memories import Result
from graphmem.wiring import Services
from tests.builders import NS, at
from tests.failing_store import FailingStore
from tests.services import FlakyEmbedder, asked, failed, opened, remembered, services_over, state

Call = Callable[[Services], Any]

EXPORT = [
    '{"format":1,"graphmem":"export","revision":1,"source":"x"}',
    '{"id":"a","kind":"FACT","namespace":"x","occurred_at":"2026-01-01T00:00:00.000000+00:00",'
    '"recorded_at":"2026-01-01T00:00:00.000000+00:00","ref":"F-1","statement":"imported"}',
    '{"action":"fly","id":"b","kind":"EXPERIENCE","namespace":"x","occurred_at":"2026-01-02T00:00:00.000000+00:00",'
    '"recorded_at":"2026-01-01T00:00:00.000000+00:00","ref":"E-1","result":"FAILURE"}',
    '{"evidence":[],"from_id":"b","kind":"CAUSED_BY","recorded_at":"2026-01-01T00:00:00.000000+00:00","to_id":"a"}',
]


def _many(services: Services) -> Any:
    first = ExperienceDraft(key="m1", action="a", result=Result.FAILURE)
    second = ExperienceDraft(key="m2", action="b", result=Result.FAILURE, caused_by=(CauseRef(key="m1"),))
    return services.remember.many(NS, [first, second])


VERBS: dict[str, Call] = {
    "fact": lambda s: remembered(s, "new", key="k", supersedes=("F-1",)),
    "experience": lambda s: failed(s, "new", key="k", caused_by=(CauseRef(id="F-1"), CauseRef(key="old"))),
    "text": lambda s: failed(s, "new", key="k", task_id="t", caused_by=(CauseRef(text="first"),)),
    "many": _many,
    "update": lambda s: s.revise.update(NS, MemoryUpdate(id="F-1", text="new", add_tags=("a",))),
    "link": lambda s: s.link.link(NS, CauseLink(effect="E-2", cause=CauseRef(id="E-1"))),
    "review": lambda s: s.link.review(NS, CauseReview(effect="E-1", cause="F-1", verdict=VerdictKind.REFUTE)),
    "forget": lambda s: s.forget.forget(NS, "E-1"),
}
"""Verbs that write in one action."""


def seed(services: Services) -> None:
    """A fact, a failure because of it, and one without a cause."""
    remembered(services, "old fact")
    failed(services, "first", key="old", task_id="t", occurred_at=at(0), caused_by=(CauseRef(id="F-1"),))
    failed(services, "second", occurred_at=at(9))


def calls_of(path: Path, verb: Call) -> int:
    """How many calls of the store a verb makes, on a store of its own."""
    with SqliteStoreAt(path) as store:
        seed(services_over(store))
        counted = FailingStore(store)
        services = services_over(counted, seed=1)
        before = len(counted.calls)
        verb(services)
        return len(counted.calls) - before


class SqliteStoreAt(SqliteStore):
    """A store that closes at the end of a with-block."""

    def __enter__(self) -> SqliteStore:
        self.migrate()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def fails_once(path: Path, verb: Call, number: int, *, after: bool) -> tuple[Any, Any, Any]:
    """States before, after the call that failed at its number-th call of the store, and after the next try."""
    with SqliteStoreAt(path) as store:
        seed(services_over(store))
        failing = FailingStore(store)
        services = services_over(failing, seed=1)
        before = store.state(NS)
        failing.arm(number, after=after)
        with suppress(UnavailableError):
            verb(services)
            assert store.state(NS) != before, (
                "a call that ends well has written, whatever fails after its commit"
            )
        between = store.state(NS)
        failing.arm(0)
        verb(services)
        return before, between, store.state(NS)


ONCE = [name for name in VERBS if name not in ("link", "review")]
"""Verbs that leave the same when they are called twice; a statement made twice is evidence twice."""


@pytest.mark.parametrize("name", ONCE)
def test_a_call_that_fails_before_it_is_done_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    verb = VERBS[name]
    for number in range(1, calls_of(tmp_path / "count.db", verb) + 1):
        before, between, end = fails_once(tmp_path / f"{number}.db", verb, number, after=False)
        assert between in (before, end)
        assert end.revision == before.revision + 1


@pytest.mark.parametrize("name", ONCE)
def test_a_call_whose_answer_is_lost_is_repeated_without_harm(tmp_path: Path, name: str) -> None:
    verb = VERBS[name]
    for number in range(1, calls_of(tmp_path / "count.db", verb) + 1):
        before, between, end = fails_once(tmp_path / f"{number}.db", verb, number, after=True)
        assert between in (before, end)
        assert end.revision == before.revision + 1


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("name", "edges"), [("link", 2), ("review", 1)])
def test_a_statement_that_failed_is_one_edge_when_it_is_made_again(
    tmp_path: Path, name: str, edges: int, after: bool
) -> None:
    verb = VERBS[name]
    for number in range(1, calls_of(tmp_path / "count.db", verb) + 1):
        before, between, end = fails_once(tmp_path / f"{number}.db", verb, number, after=after)
        assert between.revision in (before.revision, before.revision + 1)
        assert end.counts["CAUSED_BY"] == edges


@pytest.mark.parametrize("after", [False, True])
def test_an_import_that_fails_is_finished_by_the_next_one(tmp_path: Path, after: bool) -> None:
    def verb(services: Services) -> Any:
        return services.transfer.import_lines(NS, EXPORT)

    for number in range(1, calls_of(tmp_path / "count.db", verb) + 1):
        before, _, end = fails_once(tmp_path / f"{number}.db", verb, number, after=after)
        assert end.counts["FACT"] == before.counts["FACT"] + 1
        assert end.counts["EXPERIENCE"] == before.counts["EXPERIENCE"] + 1
        assert end.counts["CAUSED_BY"] == before.counts["CAUSED_BY"] + 1


@pytest.mark.parametrize("after", [False, True])
def test_vectors_that_were_not_made_are_made_after_the_lease(tmp_path: Path, after: bool) -> None:
    for number in (1, 2, 3, 4):
        with SqliteStoreAt(tmp_path / f"{number}.db") as store:
            embedder = FlakyEmbedder()
            embedder.broken = UnavailableError("away")
            remembered(services_over(store, embedder=embedder), "the disk is full")
            embedder.broken = None
            failing = FailingStore(store)
            services = services_over(failing, embedder=embedder, seed=1)
            failing.arm(number, after=after)
            with pytest.raises(UnavailableError):
                services.maintain.embed_pending(NS)
            failing.arm(0)
            services.maintain._clock = lambda: at(10_000)
            services.maintain.embed_pending(NS)
            assert store.get(NS, ["F-1"])["F-1"].vectors


READS: dict[str, Call] = {
    "ask": lambda s: asked(s, "old fact"),
    "explain": lambda s: s.explain.explain(NS, "E-1"),
    "impact": lambda s: s.explain.impact(NS, "F-1"),
    "suggest": lambda s: s.link.suggest(NS, "E-1"),
    "memory": lambda s: s.browse.memory(NS, "F-1"),
    "status": lambda s: s.inspect.status(NS),
    "export": lambda s: list(s.transfer.export(NS)),
    "plan": lambda s: s.forget.forget(NS, "F-1", dry_run=True),
}


@pytest.mark.parametrize("name", READS)
def test_a_read_that_fails_says_so_and_never_looks_empty(tmp_path: Path, name: str) -> None:
    verb = READS[name]
    for number in range(1, calls_of(tmp_path / "count.db", verb) + 1):
        before, between, end = fails_once(tmp_path / f"{number}.db", verb, number, after=False)
        assert before == between == end


def test_after_an_outage_everything_is_answered_again(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as services:
        seed(services)
        whole = asked(services, "old fact")
    with SqliteStoreAt(tmp_path / "a.db") as store:
        failing = FailingStore(store)
        again = services_over(failing, seed=1)
        for number in range(1, 4):
            failing.arm(number)
            with pytest.raises(UnavailableError):
                asked(again, "old fact")
        failing.arm(0)
        assert [hit.memory for hit in asked(again, "old fact").facts] == [hit.memory for hit in whole.facts]
        assert state(again).revision == 3
