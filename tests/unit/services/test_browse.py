"""Direct reads."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.domain.errors import BadInputError, NotFoundError
from graphmem.domain.memories import MemoryKind
from graphmem.domain.rules import MAX_PAGE
from graphmem.ports.queries import PageRequest, Selection
from graphmem.wiring import Services
from tests.builders import NS, at
from tests.services import failed, recorded, refusal, remembered


def test_every_id_that_was_answered_is_found_at_once(services: Services) -> None:
    for number in range(5):
        written = recorded(services, f"step {number}")
        assert services.browse.memory(NS, written.memory.id) == written.memory


@pytest.mark.parametrize("name", ["", "E-99", "no-such-id", "\ud800", "a\0b"])
def test_what_is_not_there_is_said_to_be_so(services: Services, name: str) -> None:
    error = refusal(lambda: services.browse.memory(NS, name), services)
    assert isinstance(error, NotFoundError)
    assert error.field == "id"


def test_a_foreign_id_looks_like_an_unknown_one(services: Services) -> None:
    foreign = remembered(services, "x", "bob").memory
    unknown = refusal(lambda: services.browse.memory("alice", "no-such-id"), services)
    other = refusal(lambda: services.browse.memory("alice", foreign.id), services)
    assert (str(other), type(other)) == (str(unknown), type(unknown))


def test_pages_go_from_the_newest_to_the_oldest(services: Services) -> None:
    for number in (2, 0, 1):
        recorded(services, str(number), occurred_at=at(number))
    first = services.browse.memories(NS, Selection(), PageRequest(first=2))
    rest = services.browse.memories(NS, Selection(), PageRequest(first=2, after=first.next))
    assert [item.text for item in (*first.items, *rest.items)] == ["2", "1", "0"]
    assert rest.next == ""


def test_only_what_was_selected_is_shown(services: Services) -> None:
    remembered(services, "x")
    failed(services, "y", tags=("a",))
    found = services.browse.memories(NS, Selection(kinds=(MemoryKind.EXPERIENCE,), tag="a"), PageRequest())
    assert [item.text for item in found.items] == ["y"]


@pytest.mark.parametrize("first", [0, -1, MAX_PAGE + 1, 10**6])
def test_a_page_has_a_size_within_limits(services: Services, first: int) -> None:
    error = refusal(lambda: services.browse.memories(NS, Selection(), PageRequest(first=first)), services)
    assert isinstance(error, BadInputError)
    assert error.field == "first"


def test_a_cursor_that_is_none_is_refused(services: Services) -> None:
    call = lambda: services.browse.memories(NS, Selection(), PageRequest(after="x"))  # noqa: E731
    assert isinstance(refusal(call, services), BadInputError)


def test_a_naive_time_is_refused(services: Services) -> None:
    selection = Selection(occurred_from=at().replace(tzinfo=None))
    error = refusal(lambda: services.browse.memories(NS, selection, PageRequest()), services)
    assert error.field == "occurred_from"


@pytest.mark.parametrize("name", ["", None, 1, "x" * 129])
def test_a_bad_namespace_is_refused(services: Services, name: Any) -> None:
    for call in (
        lambda: services.browse.memory(name, "E-1"),
        lambda: services.browse.memories(name, Selection(), PageRequest()),
    ):
        assert refusal(call, services).field == "namespace"
