"""What is written down beside the data of a server, so that every process can find and judge it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from graphmem.domain.errors import UnavailableError
from graphmem.tooling.neo4j.processes import identity

RECORD = "server.json"
LOCK = "server.lock"
USER = "neo4j"


@dataclass(frozen=True, kw_only=True)
class Record:
    """The last start of a server: ports stay when it stops, pid becomes 0.

    born marks the process (see Identity), password_file is '' without authentication, password_set says that the
    data knows the password, ready that the server has answered since.
    """

    version: str
    bolt_port: int
    http_port: int
    password_file: str = ""
    password_set: bool = False
    pid: int = 0
    born: str = ""
    ready: bool = False

    @property
    def authenticated(self) -> bool:
        """Whether the server asks for a password."""
        return bool(self.password_file)

    def stopped(self) -> Record:
        """The same without a process."""
        return replace(self, pid=0, born="", ready=False)


@dataclass(frozen=True, kw_only=True)
class RunningServer:
    """A server that runs: where it answers, as what user, and where that is written down.

    password is '' without authentication. already says that it was running before the call.
    """

    bolt_uri: str
    http_uri: str
    pid: int
    version: str
    state_file: Path
    user: str = USER
    password: str = field(default="", repr=False)
    already: bool = False


def read_record(home: Path) -> Record | None:
    """The record of a data folder; None when no server was started there.

    Raises UnavailableError when it cannot be understood.
    """
    file = home / RECORD
    try:
        return Record(**json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise UnavailableError(
            f"{file} cannot be read: {error}",
            remedy="end the server by hand if it runs, then remove that file",
        ) from error


def write_record(home: Path, record: Record) -> None:
    """Replace the record in one step, readable by its owner only."""
    draft = home / f".{RECORD}.{os.getpid()}"
    draft.write_text(json.dumps(asdict(record), indent=1), encoding="utf-8")
    draft.chmod(0o600)
    draft.replace(home / RECORD)


def home_argument(home: Path) -> str:
    """The argument that marks a server as the one of this data folder."""
    return f"--home-dir={home}"


def is_alive(record: Record, home: Path) -> bool:
    """Whether the recorded process is there and is this server: a reused number does not count."""
    found = identity(record.pid) if record.pid else None
    return found is not None and found.born == record.born and home_argument(home) in found.command


def running(record: Record, home: Path, *, password: str, already: bool) -> RunningServer:
    """What a caller gets to know of a recorded server."""
    return RunningServer(
        bolt_uri=f"bolt://127.0.0.1:{record.bolt_port}",
        http_uri=f"http://127.0.0.1:{record.http_port}",
        pid=record.pid,
        version=record.version,
        state_file=home / RECORD,
        password=password,
        already=already,
    )
