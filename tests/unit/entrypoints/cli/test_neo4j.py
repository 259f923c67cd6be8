"""`graphmem neo4j`: what it asks of the server's control, and what it says; the control is a pretended one."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.entrypoints.cli import neo4j
from graphmem.tooling.neo4j import DEFAULT_VERSION, ServerStatus, State, Stopped
from tests.unit.entrypoints.cli.conftest import Run
from tests.unit.entrypoints.cli.pretended_neo4j import PASSWORD, Control, pretend, user_folders


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of the server's programs, and the user's others, all of them new."""
    return user_folders(monkeypatch, tmp_path)


@pytest.fixture
def control(folders: Path, monkeypatch: pytest.MonkeyPatch) -> Control:
    """The pretended control in place of the real one."""
    return pretend(monkeypatch, folders)


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits there and can be asked."""
    monkeypatch.setattr(neo4j, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))


def test_what_is_there_is_not_fetched_again(run: Run, control: Control, folders: Path) -> None:
    ended = run("neo4j", "install")
    assert (ended.code, ended.err) == (0, "")
    assert ended.lines[0] == f"Neo4j 5.26.29 was installed already, in {folders / 'server-5.26.29'}"
    assert run("neo4j", "install", "--json").data == {
        "version": "5.26.29",
        "folder": str(folders / "server-5.26.29"),
        "fresh": False,
    }


def test_the_licence_is_accepted_by_an_option(run: Run, control: Control) -> None:
    control.versions.clear()
    ended = run("neo4j", "install", "--version", "2026", "--accept-license")
    assert (ended.code, ended.err) == (0, "")
    assert control.asked == [("install", ("2026.09.0", True))]
    assert ended.lines[0].startswith("Neo4j 2026.09.0 is installed in ")
    assert ended.lines[1] == "Start it: graphmem neo4j start"


@pytest.mark.usefixtures("at_terminal")
def test_a_person_is_asked_for_the_licence(run: Run, control: Control) -> None:
    control.versions.clear()
    ended = run("neo4j", "install", text="y\n")
    assert (ended.code, control.asked) == (0, [("install", (DEFAULT_VERSION, True))])
    assert "GNU General Public License, version 3" in ended.err
    assert "Do you accept this licence?" in ended.err


@pytest.mark.usefixtures("at_terminal")
def test_a_licence_that_is_not_accepted_fetches_nothing(run: Run, control: Control) -> None:
    control.versions.clear()
    ended = run("neo4j", "install", text="n\n")
    assert (ended.code, control.asked) == (1, [])


def test_without_a_terminal_the_licence_is_told_and_nothing_fetched(run: Run, folders: Path) -> None:
    ended = run("neo4j", "install")  # of the real control
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("graphmem: --accept-license: the licence is not accepted. Neo4j Community")
    assert ended.err.endswith("(--accept-license)\n")
    assert not folders.exists()


def test_start_says_how_to_use_the_server_and_not_its_password(
    run: Run, control: Control, folders: Path, tmp_path: Path
) -> None:
    ended = run("neo4j", "start", "--bolt-port", "25000", "--http-port", "25001", "--heap", "2g")
    assert (ended.code, ended.err) == (0, "")
    assert ended.lines == [
        "Neo4j 5.26.29 runs (process 77)",
        "Bolt       bolt://127.0.0.1:25000",
        "HTTP       http://127.0.0.1:25001",
        "user       neo4j",
        f"password   kept in {folders / 'data' / 'kept'}",
        "to use it  --store bolt://127.0.0.1:25000",
    ]
    version, home, passwords, options = control.asked[-1][1]
    assert (version, home, passwords) == ("5.26.29", folders / "data", tmp_path / "config" / "graphmem")
    assert (options.bolt_port, options.http_port, options.heap) == (25000, 25001, "2g")
    assert options.authentication
    assert control.asked[0] == ("java", 17)
    data = run("neo4j", "start", "--json")
    assert data.data["store"] == data.data["bolt_uri"] == "bolt://127.0.0.1:25000"
    assert (data.data["user"], data.data["already"]) == ("neo4j", False)
    assert PASSWORD not in ended.out + data.out


def test_a_running_server_is_named_with_its_ports(run: Run, control: Control) -> None:
    control.already = True
    line = run("neo4j", "start").lines[0]
    assert line == "Neo4j 5.26.29 was running already (process 77), Bolt on port 25000, HTTP on port 25001"


def test_a_server_without_a_password_is_open_to_everybody(run: Run, control: Control) -> None:
    control.password = ""
    ended = run("neo4j", "start", "--no-auth")
    assert not control.asked[-1][1][3].authentication
    assert "password   none: everybody on this machine may read and write" in ended.lines
    assert not any(line.startswith("user") for line in ended.lines)
    data = run("neo4j", "start", "--no-auth", "--json").data
    assert (data["user"], data["password_file"]) == ("", "")


def test_the_version_is_that_of_the_data_unless_another_is_named(run: Run, control: Control) -> None:
    control.versions.add("2026.09.0")
    control.running("2026.09.0")
    for words in (("start",), ("dump", "x"), ("load", "x")):
        assert run("neo4j", *words).code == 0
        assert control.asked[-2:] == [("java", 21), (words[0], control.asked[-1][1])]
        assert control.asked[-1][1][0] == "2026.09.0"
    run("neo4j", "start", "--version", "5.26")
    assert control.asked[-1][1][0] == "5.26.29"


@pytest.mark.parametrize("words", [("start",), ("dump", "x"), ("load", "x")])
def test_a_server_that_is_not_installed_is_named_with_every_way(
    run: Run, control: Control, words: tuple[str, ...]
) -> None:
    control.versions.clear()
    ended = run("neo4j", *words)
    assert (ended.code, ended.out, control.asked) == (5, "", [])
    assert ended.err.startswith(
        "graphmem: neo4j: Neo4j 5.26.29 is not installed (graphmem neo4j install, or "
    )
    assert all(way in ended.err for way in ("NEO4J_URI", "docker run", "embedded store"))
    other = run("neo4j", "start", "--version", "2026")
    assert "graphmem neo4j install --version 2026.09.0, " in other.err


@pytest.mark.parametrize(
    ("words", "error", "code"),
    [
        (("install", "--accept-license"), UnavailableError("no Maven", field="mvn", remedy="get it"), 5),
        (("start",), UnavailableError("no Java", field="java", remedy="get it"), 5),
        (("start",), BadInputError("is taken", field="bolt_port", remedy="another"), 2),
        (("stop",), UnavailableError("has not ended", remedy="--force"), 5),
        (("dump", "x"), BadInputError("x exists already", field="archive", remedy="a new one"), 2),
        (("load", "x"), UnavailableError("the server runs", remedy="stop it"), 5),
    ],
)
def test_errors_are_one_line_and_an_exit_code(
    run: Run, control: Control, words: tuple[str, ...], error: Exception, code: int
) -> None:
    control.error = error
    ended = run("neo4j", *words)
    said = str(error).replace("bolt_port:", "--bolt-port:")
    assert (ended.code, ended.out, ended.err) == (code, "", f"graphmem: {said}\n")


@pytest.mark.parametrize(
    "words", [("--bolt-port", "70000"), ("--heap", "3x"), ("--version", "4.4"), ("--heap", "1m")]
)
def test_what_no_server_can_be_started_with_is_refused(
    run: Run, control: Control, words: tuple[str, ...]
) -> None:
    assert run("neo4j", "start", *words).code == 2
    assert [what for what, _ in control.asked if what == "start"] == []


@pytest.mark.parametrize(
    ("stopped", "said"),
    [
        (Stopped(True, 6.2), "Stopped after 6 s"),
        (Stopped(True, 61.0, killed=True), "Killed after 61 s; what was acknowledged is kept"),
        (Stopped(False), "It was not running"),
    ],
)
def test_stop_says_what_it_did(
    run: Run, control: Control, folders: Path, stopped: Stopped, said: str
) -> None:
    control.stopped = stopped
    assert run("neo4j", "stop", "--force").lines == [said]
    assert control.asked == [("stop", (folders / "data", True))]
    data = run("neo4j", "stop", "--json").data
    assert data == {"was_running": stopped.was_running, "seconds": stopped.seconds, "killed": stopped.killed}
    assert control.asked[-1][1][1] is False


def test_status_of_a_running_server(run: Run, control: Control) -> None:
    control.state = ServerStatus(State.RUNNING, control.running(), "it said\nso")
    ended = run("neo4j", "status")
    assert ended.lines[0] == "state      running"
    assert ended.lines[1] == "version    5.26.29"
    assert ended.lines[-2:] == ["to use it  --store bolt://127.0.0.1:25000", "it said    it said so"]
    data = run("neo4j", "status", "--json")
    assert (data.data["state"], data.data["detail"], data.data["pid"]) == ("running", "it said\nso", 77)
    assert PASSWORD not in ended.out + data.out


@pytest.mark.parametrize("state", [State.ABSENT, State.STOPPED, State.CRASHED])
def test_status_of_a_server_that_is_not_there(run: Run, control: Control, state: State) -> None:
    control.state = ServerStatus(state)
    ended = run("neo4j", "status")
    assert (ended.code, len(ended.lines), ended.lines[0][:5]) == (0, 1, "state")
    assert run("neo4j", "status", "--json").data == {"state": state.value, "detail": ""}


def test_the_real_status_changes_nothing(run: Run, folders: Path) -> None:
    assert run("neo4j", "status", "--json").data == {"state": "absent", "detail": ""}
    assert not folders.exists()


def test_data_are_copied_out_and_in(run: Run, control: Control, folders: Path) -> None:
    assert run("neo4j", "dump", "memory.dump").lines == ["4096 bytes written to memory.dump"]
    assert control.asked[-1] == ("dump", ("5.26.29", folders / "data", Path("memory.dump")))
    assert run("neo4j", "dump", "memory.dump", "--json").data == {"file": "memory.dump", "size": 4096}
    said = "Loaded from memory.dump. Start it: graphmem neo4j start"
    assert run("neo4j", "load", "memory.dump", "--replace").lines == [said]
    assert control.asked[-1] == ("load", ("5.26.29", folders / "data", Path("memory.dump"), True))
    assert run("neo4j", "load", "memory.dump", "--json").data == {"file": "memory.dump"}
    assert control.asked[-1][1][3] is False
    assert run("neo4j", "dump").code == 2


def test_json_may_stand_before_the_commands(run: Run, control: Control) -> None:
    for words in (("--json", "neo4j", "status"), ("neo4j", "--json", "status")):
        assert run(*words).data["state"] == "absent"
