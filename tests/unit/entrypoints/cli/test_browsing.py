"""`graphmem neo4j browser`: what it brings about, what it prints; the server's control is a pretended one."""

from __future__ import annotations

import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from graphmem.entrypoints.cli import browsing
from graphmem.tooling.neo4j import RunningServer, ServerStatus, State
from tests.unit.entrypoints.cli.conftest import Run
from tests.unit.entrypoints.cli.pretended_neo4j import Control, pretend, user_folders

ROOT = {"root": "E-4", "error_type": "Unhandled", "title": "空输入", "hops": 2, "hours_before": 0.5}
CHAIN = {"The latest failure": [{"ref": "E-6"}], "02 Root causes": [ROOT]}
BARE = "http://127.0.0.1:25001/browser/?dbms=bolt%3A%2F%2Fneo4j%40127.0.0.1%3A25000"


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of the server's programs."""
    return user_folders(monkeypatch, tmp_path)


@pytest.fixture
def control(folders: Path, monkeypatch: pytest.MonkeyPatch) -> Control:
    """The pretended control, of a server that runs."""
    made = pretend(monkeypatch, folders)
    made.state = ServerStatus(State.RUNNING, made.running())
    return made


def editor(url: str) -> list[str]:
    """The lines that an address puts into the editor."""
    asked = parse_qs(urlsplit(url).query)
    assert asked.get("cmd", ["edit"]) == ["edit"]
    return asked.get("arg", [])


def test_the_address_opens_with_the_latest_failure(run: Run, control: Control, folders: Path) -> None:
    control.answers = CHAIN
    ended = run("neo4j", "browser", "-n", "mine")
    said, head, root, look, url, asks = ended.lines
    assert said == "Root causes of E-6, asked by queries/explore/02-root-causes.cypher:"
    assert head.split() == ["root", "error_type", "title", "hops", "hours_before"]
    assert root.split() == ["E-4", "Unhandled", "空输入", "2", "0.5"]
    assert look == "The chain in Neo4j Browser (run the query that stands in its editor):"
    assert editor(url)[1] == 'MATCH (f:Memory {namespace: "mine", ref: "E-6"})'
    assert asks == f"The page asks for the password of user neo4j; it is in {folders / 'data' / 'kept'}"
    asked = [how for what, how in control.asked if what == "rows"]
    assert [values for _, values in asked] == [{"namespace": "mine"}, {"namespace": "mine", "ref": "E-6"}]


def test_a_failure_can_be_named(run: Run, control: Control) -> None:
    control.answers = {"02 Root causes": [ROOT]}
    data = run("neo4j", "browser", "--ref", "E-9", "--json").data
    assert (data["ref"], data["namespace"], data["roots"]) == ("E-9", "main", [ROOT])
    assert 'ref: "E-9"' in editor(data["url"])[1]
    assert (data["connects"], data["user"]) == (False, "neo4j")


def test_a_memory_without_chains_opens_as_it_is(run: Run, control: Control) -> None:
    ended = run("neo4j", "browser")
    assert ended.lines[:2] == ["Nothing to draw in namespace main: no failure has a cause", BARE]
    named = run("neo4j", "browser", "--ref", "E-9")
    assert named.lines[:2] == ["Nothing to draw in namespace main: no cause is known of E-9", BARE]
    assert run("neo4j", "browser", "--json").data["url"] == BARE


def test_an_open_server_connects_by_itself(run: Run, control: Control) -> None:
    control.password = ""
    control.state = ServerStatus(State.RUNNING, control.running())
    assert len(run("neo4j", "browser").lines) == 2
    data = run("neo4j", "browser", "--json").data
    assert (data["connects"], data["user"], data["password_file"]) == (True, "", "")


@pytest.mark.parametrize("state", [State.ABSENT, State.CRASHED, State.STOPPED, State.STARTING])
def test_a_server_that_does_not_run_is_started(run: Run, control: Control, state: State) -> None:
    control.state = ServerStatus(state, control.running() if state is State.STARTING else None)
    ended = run("neo4j", "browser")
    assert (ended.code, ended.lines[1]) == (0, BARE)
    assert [what for what, _ in control.asked] == ["java", "start", "rows"]


def test_a_server_that_is_not_installed_is_named(run: Run, control: Control) -> None:
    control.state = ServerStatus(State.ABSENT)
    control.versions.clear()
    ended = run("neo4j", "browser")
    assert ended.code == 5
    assert "Neo4j 5.26.29 is not installed (graphmem neo4j install, or do without" in ended.err


def test_a_server_that_does_not_answer_is_no_server(run: Run, control: Control) -> None:
    control.state = ServerStatus(State.NOT_ANSWERING, control.running())
    ended = run("neo4j", "browser")
    assert (ended.code, ended.out) == (5, "")
    assert "the server is not ready" in ended.err
    assert control.asked == []


def test_a_lost_password_is_not_taken_for_none(run: Run, control: Control) -> None:
    server = control.running()
    lost = RunningServer(**{**vars(server), "password": ""})
    control.state = ServerStatus(State.RUNNING, lost, "password: gone (put it back)")
    ended = run("neo4j", "browser")
    assert (ended.code, ended.out, ended.err) == (5, "", "graphmem: password: gone (put it back)\n")


def test_a_source_that_is_not_there_is_named_before_anything_is_copied(run: Run, control: Control) -> None:
    ended = run("neo4j", "browser", "--from", "sqlite:///missing.db")
    assert ended.code == 3
    assert "from: there is no file" in ended.err


def test_the_kit_is_served_until_the_caller_stops(
    run: Run, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    control.answers = CHAIN
    seen: dict[str, Any] = {}

    def until_stopped(seconds: float) -> None:
        with urllib.request.urlopen(seen["at"] + "/graphmem.html", timeout=10) as answer:
            seen["guide"] = answer.read().decode()
        raise KeyboardInterrupt

    serving = browsing.serving

    def noting(make: Any, port: int) -> Any:
        return serving(lambda at: seen.update(at=at) or make(at), port)

    monkeypatch.setattr(browsing, "serving", noting)
    monkeypatch.setattr(browsing.time, "sleep", until_stopped)
    ended = run("neo4j", "browser", "--serve")
    assert ended.code == 0
    guide, style, queries = ended.lines[-4:-1]
    assert parse_qs(urlsplit(guide).query)["arg"] == [seen["at"] + "/graphmem.html"]
    assert style == f"Colours: run :style {seen['at']}/graphmem.grass"
    assert seen["at"] + "/graphmem-queries.zip" in queries
    assert f":style {seen['at']}/graphmem.grass" in seen["guide"]
    assert ":param ref =&gt; &quot;E-6&quot;" in seen["guide"]
