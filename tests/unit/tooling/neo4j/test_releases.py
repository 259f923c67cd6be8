"""Which versions are known, what they need, and what is said about them."""

from __future__ import annotations

import pytest

from graphmem.domain.errors import BadInputError
from graphmem.tooling.neo4j.releases import OTHER_WAYS, licence, release


@pytest.mark.parametrize(
    ("asked", "version", "java"),
    [
        ("5.26.29", "5.26.29", 17),
        ("5.26", "5.26.29", 17),
        ("5.26.1", "5.26.1", 17),
        ("2026", "2026.09.0", 21),
        ("2026.x", "2026.09.0", 21),
        ("2025.01.0", "2025.01.0", 21),
    ],
)
def test_versions_are_known_by_full_and_short_names(asked: str, version: str, java: int) -> None:
    assert (release(asked).version, release(asked).java) == (version, java)


@pytest.mark.parametrize(
    "asked", ["", "5", "4.4.12", "5.25.1", "5.26.x", "latest", "5.26.29</version>", "../5.26.29"]
)
def test_other_versions_are_refused(asked: str) -> None:
    with pytest.raises(BadInputError, match="no Neo4j version") as caught:
        release(asked)
    assert caught.value.field == "version"
    assert "5.26.29" in caught.value.remedy


def test_the_licence_names_what_is_fetched_and_its_terms() -> None:
    text = licence("2026")
    assert all(
        part in text for part in ("2026.09.0", "Browser 5.24.0", "GNU General Public License, version 3")
    )


def test_releases_are_ordered() -> None:
    ages = [release(version).age for version in ("5.26.1", "5.26.29", "2025.12.1", "2026.01.0", "2026.09.0")]
    assert ages == sorted(ages)


def test_the_other_ways_name_a_running_server_docker_and_the_embedded_store() -> None:
    assert all(way in OTHER_WAYS for way in ("NEO4J_URI", "docker run", "embedded store"))
    assert "127.0.0.1:7687" in OTHER_WAYS  # a published port is open to the world otherwise
