"""The small parts: options and configuration, ports, processes, locks, passwords, addresses."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.tooling.neo4j import processes
from graphmem.tooling.neo4j.administering import AdminTool
from graphmem.tooling.neo4j.browser import browser_address
from graphmem.tooling.neo4j.configuring import ServerOptions, megabytes, server_command, write_configuration
from graphmem.tooling.neo4j.locking import locked
from graphmem.tooling.neo4j.passwords import make_password, password_file, read_password
from graphmem.tooling.neo4j.probing import Answer, ask, choose_ports, is_free, shakes_hands
from graphmem.tooling.neo4j.processes import identity, launch, send, wait_for_exit
from graphmem.tooling.neo4j.records import RunningServer
from tests.unit.tooling.neo4j.machine import Machine


@contextmanager
def listening() -> Iterator[int]:
    """A port that is taken, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"heap": "512"}, "heap"),
        ({"heap": "0m"}, "heap"),
        ({"heap": "95m"}, "heap"),
        ({"heap": "1g -XX:OnError=x"}, "heap"),
        ({"page_cache": "64 m"}, "page_cache"),
        ({"bolt_port": -1}, "bolt_port"),
        ({"http_port": 65_536}, "http_port"),
    ],
)
def test_options_that_make_no_sense_are_refused(given: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInputError) as caught:
        ServerOptions(**given)
    assert caught.value.field == field
    assert caught.value.remedy


def test_sizes() -> None:
    assert [megabytes(size) for size in ("96m", "512m", "2g")] == [96, 512, 2048]
    with pytest.raises(ValueError, match="nonsense"):
        megabytes("nonsense")


def test_the_configuration_keeps_to_this_machine_and_tells_nobody(tmp_path: Path) -> None:
    write_configuration(tmp_path, (17_687, 17_474), ServerOptions(authentication=False, page_cache="32m"))
    lines = (tmp_path / "conf/neo4j.conf").read_text().splitlines()
    assert {
        "server.default_listen_address=127.0.0.1",
        "server.bolt.listen_address=:17687",
        "server.bolt.advertised_address=127.0.0.1:17687",
        "server.http.listen_address=:17474",
        "server.https.enabled=false",
        "server.memory.pagecache.size=32m",
        "dbms.security.auth_enabled=false",
        "dbms.usage_report.enabled=false",
        "client.allow_telemetry=false",
    } <= set(lines)
    assert not any("0.0.0.0" in line for line in lines)
    [policy] = [line for line in lines if "content_security_policy" in line]
    assert "default-src 'self'" in policy
    assert "https:" not in policy


def test_a_small_heap_starts_small(machine: Machine) -> None:
    command = server_command(machine.install(), machine.home, machine.java, "128m")
    assert {"-Xms128m", "-Xmx128m", f"--home-dir={machine.home}", "--console-mode"} <= set(command)
    assert "org.neo4j.server.CommunityEntryPoint" in command


def test_ports_are_kept_chosen_or_refused() -> None:
    first = choose_ports((0, 0), (0, 0))
    assert len({*first}) == 2
    assert all(20_000 <= port < 32_000 and is_free(port) for port in first)
    assert choose_ports((0, 0), first) == first
    assert choose_ports((first[1], 0), first)[0] == first[1]
    assert choose_ports((first[1], 0), first)[1] not in first
    with pytest.raises(BadInputError, match="for Bolt and for HTTP"):
        choose_ports((first[0], first[0]), (0, 0))
    with listening() as taken:
        assert not is_free(taken)
        assert choose_ports((0, 0), (taken, first[1]))[0] != taken
        for wanted, field in (((taken, 0), "bolt_port"), ((0, taken), "http_port")):
            with pytest.raises(BadInputError, match="in use") as caught:
                choose_ports(wanted, (0, 0))
            assert caught.value.field == field


def test_when_no_port_is_free_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.tooling.neo4j.probing.is_free", lambda port: False)
    with pytest.raises(UnavailableError, match="no free port"):
        choose_ports((0, 0), (0, 0))


def test_what_does_not_speak_bolt_is_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.tooling.neo4j.probing._ANSWER_S", 0.2)
    assert not shakes_hands(1)
    with listening() as silent:
        assert not shakes_hands(silent)
        assert ask(silent, silent, "neo4j", "").answer is Answer.NONE


def test_bolt_without_http_is_not_ready(machine: Machine) -> None:
    bolt = int(machine.start(authentication=False).bolt_uri.rpartition(":")[2])
    reply = ask(bolt, 1, "neo4j", "")
    assert reply.answer is Answer.NONE
    assert "HTTP does not" in reply.said


def test_a_launched_process_is_nobodys_child_and_known_again(tmp_path: Path) -> None:
    pid = launch(["/bin/sleep", "60"], log=tmp_path / "log", folder=tmp_path, environment={})
    found = identity(pid)
    assert found is not None
    assert "sleep" in found.command
    assert not send(pid, "another birth", signal.SIGTERM)
    assert not wait_for_exit(pid, found.born, 0.2)
    assert send(pid, found.born, signal.SIGTERM)
    assert wait_for_exit(pid, found.born, 10)
    assert not send(pid, found.born, signal.SIGTERM)


def test_a_process_that_ended_but_was_not_collected_is_gone() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    end = time.monotonic() + 10
    while identity(child.pid) is not None and time.monotonic() < end:
        time.sleep(0.01)
    assert identity(child.pid) is None
    child.wait()


def test_without_proc_a_process_is_known_by_ps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with subprocess.Popen(["/bin/sleep", "60"]) as child:
        monkeypatch.setattr(processes, "_PROC", tmp_path)
        found = identity(child.pid)
        child.kill()
        assert found is not None
        assert found.command == "/bin/sleep 60"
        assert found.born.count(":") == 2
    assert identity(child.pid) is None


def test_what_cannot_be_launched_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot be started"):
        launch(["x"], log=tmp_path / "log", folder=tmp_path / "nowhere", environment={})


def test_a_lock_is_lifted_when_its_holder_dies(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from graphmem.tooling.neo4j.locking import locked\n"
        "with locked(Path(sys.argv[1]), 1, 'testing'): print('held', flush=True); input()"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "lock")]
    root = Path(__file__).parents[4]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with (
            pytest.raises(UnavailableError, match="another process is testing"),
            locked(tmp_path / "lock", 0.1, "testing"),
        ):
            pass
        holder.kill()
    with locked(tmp_path / "lock", 5, "testing"):
        pass


def test_passwords_are_kept_apart_and_never_replaced(tmp_path: Path) -> None:
    files = [password_file(tmp_path, home) for home in (Path("/a/data"), Path("/b/data"))]
    first, second = (make_password(file) for file in files)
    assert first != second
    assert make_password(files[0]) == first == read_password(files[0])
    files[0].write_text("\n")
    with pytest.raises(UnavailableError, match="is empty"):
        read_password(files[0])


def test_a_password_is_on_no_command_line(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    run = subprocess.run

    def watched(command: list[str], **given: Any) -> Any:
        seen.append([str(word) for word in command])
        return run(command, **given)

    monkeypatch.setattr(subprocess, "run", watched)
    password = machine.start().password
    assert any(word.startswith("@") for command in seen for word in command)
    assert not any(password in word for command in seen for word in command)


def test_the_tool_is_bounded_in_time(machine: Machine) -> None:
    machine.home.mkdir()
    gone = AdminTool(machine.install(), machine.home, machine.java, machine.environment)
    with pytest.raises(UnavailableError, match="database dump did not end"):
        gone.run("database", "dump", "neo4j", "--to-path=/", limit_s=0.0001)


@pytest.mark.parametrize(
    ("password", "query", "connects"),
    [
        ("", "dbms=bolt%3A%2F%2F127.0.0.1%3A7001&preselectAuthMethod=NO_AUTH", True),
        ("secret", "dbms=bolt%3A%2F%2Fneo4j%40127.0.0.1%3A7001", False),
    ],
)
def test_the_browsers_address(password: str, query: str, connects: bool) -> None:
    server = RunningServer(
        bolt_uri="bolt://127.0.0.1:7001",
        http_uri="http://127.0.0.1:7002",
        pid=1,
        version="5.26.29",
        state_file=Path("server.json"),
        password=password,
    )
    address = browser_address(server)
    assert (address.url, address.connects) == (f"http://127.0.0.1:7002/browser/?{query}", connects)
    assert "secret" not in address.url
