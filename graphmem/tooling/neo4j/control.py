"""Starting, stopping and looking after the server of one data folder, from any process."""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.tooling.neo4j.administering import AdminTool
from graphmem.tooling.neo4j.configuring import ServerOptions, server_command, write_configuration
from graphmem.tooling.neo4j.installing import Installation
from graphmem.tooling.neo4j.java import Java
from graphmem.tooling.neo4j.locking import locked
from graphmem.tooling.neo4j.passwords import make_password, password_file, read_password
from graphmem.tooling.neo4j.probing import Answer, ask, choose_ports
from graphmem.tooling.neo4j.processes import identity, launch, passed_on, send, wait_for_exit
from graphmem.tooling.neo4j.records import (
    LOCK,
    USER,
    Record,
    RunningServer,
    is_alive,
    read_record,
    running,
    write_record,
)
from graphmem.tooling.neo4j.releases import OTHER_WAYS, release

BUSY = "starting, stopping or copying this server"
CONSOLE = "console.log"

_POLL_S = 0.25
_KILL_S = 15.0
_ADMIN_S = 120.0


class State(Enum):
    """How a server is."""

    ABSENT = "absent"  # none was ever started in this data folder
    STOPPED = "stopped"
    CRASHED = "crashed"  # it is gone, and nobody stopped it; start repairs
    STARTING = "starting"
    RUNNING = "running"
    NOT_ANSWERING = "not answering"  # it is there and answered before


@dataclass(frozen=True)
class ServerStatus:
    """The state of a server, how to reach it while it is there, and what a person should know besides."""

    state: State
    server: RunningServer | None = None
    detail: str = ""


@dataclass(frozen=True)
class Stopped:
    """What stopping did: was_running is False when there was nothing to stop; killed, when it did not listen."""

    was_running: bool
    seconds: float = 0.0
    killed: bool = False


def start(
    installation: Installation,
    home: Path,
    *,
    java: Java,
    environment: Mapping[str, str],
    passwords: Path,
    options: ServerOptions | None = None,
) -> RunningServer:
    """Start the server of a data folder and wait until it answers; a running one is returned, `already` True.

    home holds everything of this server (data, logs, configuration, record) and is made when missing. environment
    is the environment of the process; the server gets only what it needs of it. passwords: the user's configuration
    folder. Of two processes that start at once one wins, the other waits for it. Raises BadInputError (a port is in
    use, the data are of a newer version) and UnavailableError (it ends while starting: with what it said; it does
    not answer in time: it is left starting).
    """
    options, home = options or ServerOptions(), home.expanduser().resolve()
    with locked(home / LOCK, options.timeout_s, BUSY):
        record = read_record(home)
        if record is not None and is_alive(record, home):
            return _await_answer(home, record, options.timeout_s, already=True)
        prepared = _prepare(installation, home, record, options, passwords)
        if prepared.authenticated and not prepared.password_set:
            tool = AdminTool(installation, home, java, environment)
            prepared = _set_password(tool, prepared)
        command = server_command(installation, home, java, options.heap)
        pid = launch(command, log=home / CONSOLE, folder=home, environment=passed_on(environment))
        started = identity(pid)
        prepared = replace(prepared, pid=pid, born=started.born if started else "gone")
        write_record(home, prepared)
        return _await_answer(home, prepared, options.timeout_s, already=False)


def stop(home: Path, *, timeout_s: float = 60.0, force: bool = False) -> Stopped:
    """End the server of a data folder and wait until it is gone; nothing to end is no error.

    Only the recorded process is ended, and only while it is this server. force: kill it when it has not ended after
    timeout_s (committed data survive that). Raises UnavailableError when it is still there.
    """
    home = home.expanduser().resolve()
    if read_record(home) is None:
        return Stopped(False)
    with locked(home / LOCK, timeout_s, BUSY):
        record = read_record(home)
        if record is None or not is_alive(record, home):
            if record is not None and record.pid:  # left behind by a crash
                write_record(home, record.stopped())
            return Stopped(False)
        began, killed = time.monotonic(), False
        send(record.pid, record.born, signal.SIGTERM)
        if not wait_for_exit(record.pid, record.born, timeout_s):
            if not force:
                raise UnavailableError(
                    f"the server (process {record.pid}) has not ended after {timeout_s:.0f} s",
                    remedy="stop again to go on waiting, or with --force to kill it",
                )
            killed = send(record.pid, record.born, signal.SIGKILL)
            if not wait_for_exit(record.pid, record.born, _KILL_S):
                raise UnavailableError(
                    f"process {record.pid} cannot be killed", remedy="ask the system's owner"
                )
        write_record(home, record.stopped())
        return Stopped(True, time.monotonic() - began, killed)


def status(home: Path) -> ServerStatus:
    """How the server of a data folder is now; changes nothing."""
    home = home.expanduser().resolve()
    record = read_record(home)
    if record is None:
        return ServerStatus(State.ABSENT)
    if not record.pid:
        return ServerStatus(State.STOPPED)
    if not is_alive(record, home):
        return ServerStatus(State.CRASHED, detail=last_words(home))
    try:
        password, detail = _password(record), ""
    except UnavailableError as error:
        password, detail = "", str(error)
    server = running(record, home, password=password, already=True)
    reply = ask(record.bolt_port, record.http_port, USER, password)
    if reply.answer is Answer.NONE:
        state = State.NOT_ANSWERING if record.ready else State.STARTING
        return ServerStatus(state, server, detail or reply.said)
    if reply.answer is Answer.REFUSED and not detail:
        detail = f"it does not accept the password in {record.password_file}"
    return ServerStatus(State.RUNNING, server, detail)


def last_words(home: Path, lines: int = 4) -> str:
    """The end of what the server of a data folder said, errors first."""
    try:
        said = (home / CONSOLE).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    told = [line.strip() for line in said if line.strip() and not line.startswith(("\tat ", "\t..."))]
    errors = [line for line in told if "ERROR" in line or "Caused by" in line or "Exception" in line]
    return " | ".join((errors or told)[-lines:])[-800:]


def _prepare(
    installation: Installation, home: Path, before: Record | None, options: ServerOptions, passwords: Path
) -> Record:
    """Everything that a start needs besides the process: ports, configuration and password."""
    if before is not None and release(before.version).age > release(installation.version).age:
        raise BadInputError(
            f"the data in {home} were last used by Neo4j {before.version}, newer than {installation.version}",
            field="version",
            remedy=f"start {before.version}, or use another data folder",
        )
    remembered = (before.bolt_port, before.http_port) if before else (0, 0)
    ports = choose_ports((options.bolt_port, options.http_port), remembered)
    for name in ("conf", "logs", "run", "plugins", "import", "data"):
        (home / name).mkdir(mode=0o700, exist_ok=True)
    write_configuration(home, ports, options)
    record = Record(
        version=installation.version,
        bolt_port=ports[0],
        http_port=ports[1],
        password_file=str(password_file(passwords, home)) if options.authentication else "",
        password_set=before is not None and before.password_set,
    )
    if record.authenticated and record.password_set:
        read_password(Path(record.password_file))  # before anything is started
    return record


def _set_password(tool: AdminTool, record: Record) -> Record:
    password = make_password(Path(record.password_file))
    tool.run("dbms", "set-initial-password", password, limit_s=_ADMIN_S)
    return replace(record, password_set=True)


def _password(record: Record) -> str:
    return read_password(Path(record.password_file)) if record.authenticated else ""


def _await_answer(home: Path, record: Record, limit_s: float, *, already: bool) -> RunningServer:
    """Wait until the recorded server answers, and write down that it did."""
    password, log = _password(record), home / CONSOLE
    end = time.monotonic() + limit_s
    while (reply := ask(record.bolt_port, record.http_port, USER, password)).answer is Answer.NONE:
        if not is_alive(record, home):
            write_record(home, record.stopped())
            raise UnavailableError(
                f"the server ended while starting: {last_words(home) or 'it said nothing'}",
                field="start",
                remedy=f"see {log}, {OTHER_WAYS}",
            )
        if time.monotonic() >= end:
            raise UnavailableError(
                f"the server (process {record.pid}) does not answer after {limit_s:.0f} s: {reply.said}",
                field="start",
                remedy=f"it is left running: start again to go on waiting, or stop it; see {log}, {OTHER_WAYS}",
            )
        time.sleep(_POLL_S)
    if reply.answer is Answer.REFUSED:
        raise UnavailableError(
            f"the server at bolt://127.0.0.1:{record.bolt_port} does not accept the password in {record.password_file}",
            field="password",
            remedy="write the one that you changed it to into that file",
        )
    if not record.ready:
        write_record(home, replace(record, ready=True))
    return running(record, home, password=password, already=already)
