"""Starting, stopping and looking after a server, from one process or several, in order and out of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.tooling.neo4j.control import State, last_words, start, status, stop
from graphmem.tooling.neo4j.locking import locked
from graphmem.tooling.neo4j.processes import identity
from graphmem.tooling.neo4j.records import read_record, write_record
from tests.unit.tooling.neo4j.machine import Machine, put_java

ROOT = Path(__file__).parents[4]


def kill(machine: Machine) -> None:
    """End the server as a crash would."""
    record = read_record(machine.home)
    assert record is not None
    os.kill(record.pid, signal.SIGKILL)
    end = time.monotonic() + 5
    while identity(record.pid) is not None and time.monotonic() < end:
        time.sleep(0.01)


def test_a_life(machine: Machine) -> None:
    assert status(machine.home).state is State.ABSENT
    server = machine.start()
    assert (server.already, server.version, server.user) == (False, "5.26.29", "neo4j")
    now = status(machine.home)
    assert (now.state, now.detail) == (State.RUNNING, "")
    assert now.server == replace(server, already=True)
    done = stop(machine.home)
    assert (done.was_running, done.killed) == (True, False)
    assert identity(server.pid) is None
    assert status(machine.home).state is State.STOPPED


def test_starting_a_running_one_says_so(machine: Machine) -> None:
    first, second = machine.start(), machine.start()
    assert (first.already, second.already) == (False, True)
    assert replace(first, already=True) == second


@pytest.mark.parametrize("often", [1, 2])
def test_stopping_what_does_not_run_is_no_error(machine: Machine, often: int) -> None:
    assert not stop(machine.home).was_running
    assert not machine.home.exists()
    machine.start()
    stop(machine.home)
    for _ in range(often):
        assert not stop(machine.home).was_running


def test_the_ports_stay_over_a_restart(machine: Machine) -> None:
    first = machine.start()
    stop(machine.home)
    second = machine.start()
    assert (first.bolt_uri, first.http_uri) == (second.bolt_uri, second.http_uri)


def test_a_password_is_made_once_and_kept_for_its_owner(machine: Machine) -> None:
    first = machine.start()
    stop(machine.home)
    second = machine.start()
    assert first.password == second.password
    assert len(first.password) >= 32
    [file] = (machine.passwords / "neo4j").iterdir()
    assert file.read_text().strip() == first.password
    assert file.stat().st_mode & 0o777 == 0o600
    assert first.password not in repr(first)
    assert first.password not in (machine.home / "server.json").read_text()


def test_authentication_can_be_off_and_be_switched_on_later(machine: Machine) -> None:
    assert machine.start(authentication=False).password == ""
    assert not machine.passwords.exists()
    stop(machine.home)
    assert machine.start().password


def test_a_lost_password_is_said_before_anything_starts(machine: Machine) -> None:
    machine.start()
    stop(machine.home)
    [file] = (machine.passwords / "neo4j").iterdir()
    file.unlink()
    with pytest.raises(UnavailableError, match="password") as caught:
        machine.start()
    assert caught.value.remedy
    assert status(machine.home).state is State.STOPPED


def test_a_changed_password_is_said(machine: Machine) -> None:
    machine.start()
    [file] = (machine.passwords / "neo4j").iterdir()
    file.write_text("another one\n")
    assert "does not accept" in status(machine.home).detail
    with pytest.raises(UnavailableError, match="does not accept the password"):
        machine.start()
    file.unlink()
    now = status(machine.home)
    assert now.state is State.RUNNING
    assert "cannot be read" in now.detail
    assert stop(machine.home).was_running


def test_secrets_of_ours_are_not_passed_on(machine: Machine) -> None:
    machine.start()
    names = (machine.home / "environment").read_text().splitlines()
    assert "PATH" in names
    assert "SECRET_KEY" not in names


def test_a_crash_is_seen_and_a_start_repairs(machine: Machine) -> None:
    machine.start()
    kill(machine)
    assert status(machine.home).state is State.CRASHED
    assert not machine.start().already
    kill(machine)
    assert not stop(machine.home).was_running
    assert status(machine.home).state is State.STOPPED


def test_a_number_that_another_process_has_now_is_not_taken_for_the_server(machine: Machine) -> None:
    machine.start()
    kill(machine)
    record = read_record(machine.home)
    assert record is not None
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        reused = identity(stranger.pid)
        assert reused is not None
        for born in (record.born, reused.born):  # a reused number; and our mark, but not our command line
            write_record(machine.home, replace(record, pid=stranger.pid, born=born))
            assert status(machine.home).state is State.CRASHED
            assert not stop(machine.home).was_running
        assert stranger.poll() is None
        stranger.communicate(b"\n")


def test_one_that_ends_while_starting_is_told_with_its_words(machine: Machine) -> None:
    machine.mood("die")
    with pytest.raises(UnavailableError, match="Failed to start Neo4j: port taken") as caught:
        machine.start()
    assert "NEO4J_URI" in caught.value.remedy
    assert "console.log" in caught.value.remedy
    assert status(machine.home).state is State.STOPPED
    machine.mood("fine")
    assert not machine.start().already


@pytest.mark.parametrize(("mood", "said"), [("mute", "Bolt does not answer"), ("down", "database is away")])
def test_one_that_does_not_answer_in_time_is_left_starting(machine: Machine, mood: str, said: str) -> None:
    machine.mood(mood)
    with pytest.raises(UnavailableError, match=said):
        machine.start(timeout_s=1.0)
    now = status(machine.home)
    assert now.state is State.STARTING
    assert said in now.detail
    with pytest.raises(UnavailableError, match="does not answer after"):
        machine.start(timeout_s=0.3)
    assert stop(machine.home).was_running


def test_one_that_fell_silent_is_told_from_one_that_starts(machine: Machine) -> None:
    server = machine.start()
    os.kill(server.pid, signal.SIGSTOP)
    try:
        record = read_record(machine.home)
        assert record is not None
        write_record(machine.home, replace(record, bolt_port=1))  # nobody listens there: spares the waiting
        assert status(machine.home).state is State.NOT_ANSWERING
    finally:
        os.kill(server.pid, signal.SIGCONT)


def test_one_that_does_not_end_is_killed_only_by_force(machine: Machine) -> None:
    machine.mood("deaf")
    server = machine.start()
    with pytest.raises(UnavailableError, match="has not ended") as caught:
        stop(machine.home, timeout_s=0.3)
    assert "--force" in caught.value.remedy
    assert identity(server.pid) is not None
    assert stop(machine.home, timeout_s=0.3, force=True).killed
    assert identity(server.pid) is None


def test_a_named_port_that_is_taken_is_refused_and_nothing_starts(machine: Machine) -> None:
    taken = int(machine.start().bolt_uri.rpartition(":")[2])
    second = Machine(machine.folder / "second")
    with pytest.raises(BadInputError, match="in use") as caught:
        second.start(bolt_port=taken)
    assert caught.value.field == "bolt_port"
    assert status(second.home).state is State.ABSENT


def test_a_remembered_port_that_is_taken_gives_way(machine: Machine) -> None:
    machine.start()
    second = Machine(machine.folder / "second")
    second.start()
    stop(second.home)
    mine, theirs = read_record(machine.home), read_record(second.home)
    assert mine is not None
    assert theirs is not None
    write_record(second.home, replace(theirs, bolt_port=mine.bolt_port))
    moved = second.start()
    assert moved.bolt_uri != f"bolt://127.0.0.1:{mine.bolt_port}"
    assert moved.http_uri == f"http://127.0.0.1:{theirs.http_port}"
    stop(second.home)


def test_data_of_a_newer_version_are_not_opened(machine: Machine) -> None:
    put_java(machine.java_path.parent.parent, "21.0.2")
    machine.start(version="2026")
    stop(machine.home)
    with pytest.raises(BadInputError, match=r"2026\.09\.0, newer than 5\.26\.29"):
        machine.start()


def test_of_two_threads_that_start_at_once_one_wins(machine: Machine) -> None:
    machine.install()
    with ThreadPoolExecutor(2) as pool:
        servers = list(pool.map(lambda _: machine.start(), range(2)))
    assert sorted(server.already for server in servers) == [False, True]
    assert len({server.pid for server in servers}) == 1


def test_of_two_processes_that_start_at_once_one_wins_and_a_third_can_stop_it(machine: Machine) -> None:
    machine.install()
    script = (
        "import sys; from pathlib import Path; from tests.unit.tooling.neo4j.machine import Machine; "
        "machine = Machine.__new__(Machine); machine.folder = Path(sys.argv[1]); "
        "machine.environment = {'PATH': sys.argv[2]}; machine.find(); print(machine.start().already)"
    )
    command = [sys.executable, "-c", script, str(machine.folder), machine.environment["PATH"]]
    both = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert sorted(each.communicate(timeout=60)[0].strip() for each in both) == ["False", "True"]
    assert status(machine.home).state is State.RUNNING
    assert stop(machine.home).was_running


def test_waiting_for_another_process_is_bounded(machine: Machine) -> None:
    machine.start()
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(machine.home / "server.lock", 1, "testing"):
            held.set()
            release.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(5)
    for action in (lambda: stop(machine.home, timeout_s=0.2), lambda: machine.start(timeout_s=0.2)):
        with pytest.raises(UnavailableError, match="another process is starting, stopping or copying"):
            action()
    release.set()
    holder.join()


def test_a_broken_record_is_said(machine: Machine) -> None:
    machine.home.mkdir()
    (machine.home / "server.json").write_text('{"version": ')
    for action in (lambda: status(machine.home), lambda: stop(machine.home), machine.start):
        with pytest.raises(UnavailableError, match="cannot be read") as caught:
            action()
    assert "remove that file" in caught.value.remedy


def test_last_words_prefer_errors_and_leave_stacks_out(machine: Machine) -> None:
    assert last_words(machine.home) == ""
    machine.home.mkdir()
    log = machine.home / "console.log"
    log.write_text("INFO one\nINFO two\n")
    assert last_words(machine.home) == "INFO one | INFO two"
    log.write_text("ERROR it failed\n\tat a.B(C.java:1)\nCaused by: full\nINFO bye\n")
    assert last_words(machine.home) == "ERROR it failed | Caused by: full"


def test_a_java_that_is_gone_is_said(machine: Machine) -> None:
    gone = replace(machine.java, path=machine.folder / "nowhere" / "java")
    with pytest.raises(UnavailableError, match="ended while starting"):
        start(
            machine.install(),
            machine.home,
            java=gone,
            environment=machine.environment,
            passwords=machine.passwords,
            options=machine.options(authentication=False),
        )
