"""Unit tests of graphmem.domain.errors."""

from __future__ import annotations

import pytest

from graphmem.domain import errors
from graphmem.domain.errors import (
    AmbiguousError,
    BadInputError,
    ConflictError,
    ForgottenError,
    GraphmemError,
    NotFoundError,
    StaleError,
    TooLargeError,
    UnauthenticatedError,
    UnavailableError,
)

CODES = {
    BadInputError: "BAD_INPUT",
    TooLargeError: "TOO_LARGE",
    NotFoundError: "NOT_FOUND",
    ConflictError: "CONFLICT",
    StaleError: "CONFLICT",
    ForgottenError: "CONFLICT",
    UnauthenticatedError: "UNAUTHENTICATED",
    UnavailableError: "UNAVAILABLE",
}


@pytest.mark.parametrize(("kind", "code"), CODES.items())
def test_every_error_has_its_code(kind: type[GraphmemError], code: str) -> None:
    error = kind("is wrong")
    assert (error.code, error.message, error.field, error.remedy) == (code, "is wrong", "", "")
    assert isinstance(error, GraphmemError)


@pytest.mark.parametrize(
    ("field", "remedy", "expected"),
    [
        ("", "", "is wrong"),
        ("tags[1]", "", "tags[1]: is wrong"),
        ("", "send another", "is wrong (send another)"),
        ("key", "send another", "key: is wrong (send another)"),
    ],
)
def test_an_error_says_where_what_and_what_to_do(field: str, remedy: str, expected: str) -> None:
    assert str(BadInputError("is wrong", field=field, remedy=remedy)) == expected


def test_an_ambiguous_reference_lists_its_candidates() -> None:
    error = AmbiguousError("fits two", field="causedBy[0].text", candidates=("E-1", "E-2"))
    assert error.candidates == ("E-1", "E-2")
    assert error.code == "BAD_INPUT"
    assert str(error) == "causedBy[0].text: fits two (name one of E-1, E-2)"


def test_special_conflicts_are_conflicts() -> None:
    assert issubclass(StaleError, ConflictError)
    assert issubclass(ForgottenError, ConflictError)
    assert not issubclass(StaleError, ForgottenError)


def test_the_table_of_the_module_is_complete() -> None:
    listed = errors.__doc__ or ""
    named = [name for name, item in vars(errors).items() if isinstance(item, type)]
    assert [name for name in named if name not in listed] == []
