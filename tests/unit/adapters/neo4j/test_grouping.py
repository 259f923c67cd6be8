"""The line before a namespace: who leads, whom it takes along, and that nobody is left standing. No server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Event

import pytest

from graphmem.adapters.neo4j.grouping import MOST, ROOM, Line
from graphmem.domain.errors import NotFoundError, UnavailableError
from tests.unit.adapters.neo4j.conftest import until_stands

PATIENCE_S = 10.0


class Callers:
    """Callers of one line, a thread each. groups: the items of every group, in the order in which they were led."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.line, self.groups, self._pool = Line[str, str](), list[list[str]](), pool
        self.answers: Callable[[str], str | None] = lambda item: f"{item} done"

    def send(self, item: str, size: int = 1, patience_s: float = PATIENCE_S) -> Future[str]:
        """Send a caller, and wait until it stands in the line, if it has the patience."""
        standing = len(self.line._behind)
        deadline = time.monotonic() + patience_s
        future = self._pool.submit(lambda: self.line.do(item, size, deadline, lambda: self.lead(item)))
        if patience_s:
            until_stands(self.line, standing + 1)
        return future

    def lead(self, item: str) -> str:
        """Act for all that may be acted for; those without an answer go on alone."""
        followers = self.line.followers()
        self.groups.append([item, *(place.item for place in followers)])
        for place in followers:
            if answer := self.answers(place.item):
                self.line.answer(place, answer)
        return f"{item} led"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Have the line while callers come."""
        arrived, left = Event(), Event()

        def hold() -> str:
            arrived.set()
            left.wait(PATIENCE_S)
            return "held"

        self._pool.submit(self.line.do, "first", 1, time.monotonic(), hold)
        arrived.wait(PATIENCE_S)
        try:
            yield
        finally:
            left.set()


@pytest.fixture
def callers() -> Iterator[Callers]:
    """Callers that have all come home in the end."""
    with ThreadPoolExecutor(40) as pool:
        yield Callers(pool)


def test_who_is_alone_leads_at_once(callers: Callers) -> None:
    line = callers.line
    assert line.do("a", 1, time.monotonic(), lambda: callers.lead("a")) == "a led"
    assert line.do("b", 1, time.monotonic(), lambda: callers.lead("b")) == "b led"
    assert callers.groups == [["a"], ["b"]]


def test_those_that_wait_are_taken_along_in_the_order_they_came(callers: Callers) -> None:
    with callers.held():
        told = [callers.send(item) for item in "abcd"]
    assert [each.result() for each in told] == ["a led", "b done", "c done", "d done"]
    assert callers.groups == [["a", "b", "c", "d"]]


def test_who_got_no_answer_goes_on_alone_before_newer_ones(callers: Callers) -> None:
    """Each in its turn, and none of them is taken along again, nor takes another along."""
    callers.answers = lambda item: f"{item} done" if item == "c" else None
    with callers.held():
        told = [callers.send(item) for item in "abcd"]
    assert [each.result() for each in told] == ["a led", "b led", "c done", "d led"]
    assert callers.groups == [["a", "b", "c", "d"], ["b"], ["d"]]


def test_a_group_is_of_few_callers(callers: Callers) -> None:
    with callers.held():
        told = [callers.send(f"{number}") for number in range(MOST + 3)]
    assert [each.result()[-3:] for each in told].count("led") == 2
    assert [len(group) for group in callers.groups] == [MOST, 3]


def test_a_group_is_of_few_rows(callers: Callers) -> None:
    """A large one ends the group, so that nobody overtakes it; it leads the next one, and takes nobody along."""
    with callers.held():
        told = [callers.send(item, size) for item, size in zip("abcd", (1, ROOM - 1, ROOM, 1), strict=True)]
    assert [each.result() for each in told] == ["a led", "b done", "c led", "d led"]
    assert callers.groups == [["a", "b"], ["c"], ["d"]]


def test_who_waited_too_long_is_told_and_missed_by_nobody(callers: Callers) -> None:
    with callers.held():
        late, other = callers.send("a", patience_s=0), callers.send("b")
        with pytest.raises(UnavailableError, match="in time"):
            late.result()
    assert other.result() == "b led"
    assert callers.groups == [["b"]]


def test_a_follower_that_waited_too_long_does_not_wait_for_its_leader(callers: Callers) -> None:
    """It is told that its outcome is not known; the leader's answer comes to nobody."""
    told: list[Future[str]] = []

    def answer(item: str) -> str:
        if item == "b":
            callers.line._behind[0].reached.set()  # as when its time is over
            wait(told[1:2])
        return f"{item} done"

    callers.answers = answer
    with callers.held():
        told += [callers.send(item) for item in "abc"]
    leader, late, other = told
    with pytest.raises(UnavailableError) as refusal:
        late.result()
    assert refusal.value.remedy == "retry with the same key"
    assert [leader.result(), other.result()] == ["a led", "c done"]
    assert callers.groups == [["a", "b", "c"]]
    assert callers.line.do("d", 1, time.monotonic(), lambda: callers.lead("d")) == "d led"


@pytest.mark.parametrize("error", [UnavailableError, KeyboardInterrupt])
def test_a_leader_that_fails_leaves_nobody_standing(callers: Callers, error: type[BaseException]) -> None:
    """Its error is its own; who came next leads."""

    def fail(item: str) -> str:
        if len(callers.groups) == 1:
            raise error("away")
        return f"{item} done"

    callers.answers = fail
    with callers.held():
        told = [callers.send(item) for item in "abc"]
    with pytest.raises(error):
        told[0].result()
    assert [each.result() for each in told[1:]] == ["b led", "c led"]
    assert callers.groups == [["a", "b", "c"], ["b"], ["c"]]


def test_the_error_of_who_goes_on_alone_is_its_own(callers: Callers) -> None:
    lead = callers.lead

    def refuse(item: str) -> str:
        answer = lead(item)
        if item == "b":
            raise NotFoundError("no cause")
        return answer

    callers.lead = refuse  # type: ignore[method-assign]
    callers.answers = lambda item: None if item == "b" else f"{item} done"
    with callers.held():
        told = [callers.send(item) for item in "abc"]
    assert [told[0].result(), told[2].result()] == ["a led", "c done"]
    with pytest.raises(NotFoundError):
        told[1].result()


def test_who_is_interrupted_while_it_waits_is_missed_by_nobody(
    callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by Ctrl-C in the thread of a caller: the line goes on without it."""

    def interrupted(self: Event, timeout: float | None = None) -> bool:
        raise KeyboardInterrupt

    with callers.held():
        monkeypatch.setattr(Event, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            callers.line.do("a", 1, time.monotonic() + PATIENCE_S, lambda: callers.lead("a"))
        monkeypatch.undo()
        other = callers.send("b")
    assert other.result() == "b led"
    assert callers.groups == [["b"]]
