"""Addresses that can be called, and those that are refused without being repeated."""

from __future__ import annotations

import pytest

from graphmem.domain.addresses import check_http
from graphmem.domain.errors import BadInputError


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8080/v1", "https://h.example.org", "https://h.org/x?mail=a@b"]
)
def test_an_address_is_taken_as_it_is(url: str) -> None:
    assert check_http(url, "URL", "e.g. this") == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "h.example.org",
        "ftp://h.org",
        "https://",
        "https://h.org:0",
        "https://h.org:99999",
        "https://user:s3cret@h.org",
        "https://h.org/a b",
        "https://h.org/\r\nx: s3cret",
        "https://[h",
        "https://例子.org",
    ],
)
def test_anything_else_is_refused(url: str) -> None:
    with pytest.raises(BadInputError) as caught:
        check_http(url, "URL", "e.g. this")
    assert (caught.value.field, caught.value.remedy) == ("URL", "e.g. this")
    assert "s3cret" not in str(caught.value)
