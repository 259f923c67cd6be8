"""A pretended control of a Neo4j server, in place of the real one."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from graphmem.entrypoints.cli import browsing, neo4j, neo4j_place
from graphmem.tooling.neo4j import (
    DEFAULT_VERSION,
    Installation,
    Java,
    RunningServer,
    ServerStatus,
    State,
    Stopped,
    browser_address,
)
from graphmem.tooling.neo4j.records import Record, write_record

PASSWORD = "correct-horse"


@dataclass
class Control:
    """Answers as the control of a server would, and keeps what it was asked."""

    home: Path
    versions: set[str] = field(default_factory=lambda: {DEFAULT_VERSION})
    state: ServerStatus = field(default_factory=lambda: ServerStatus(State.ABSENT))
    asked: list[tuple[str, Any]] = field(default_factory=list)
    error: Exception | None = None
    password: str = PASSWORD
    already: bool = False
    answers: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    stopped: Stopped = field(default_factory=lambda: Stopped(True, 6.2))

    def installed(self, folder: Path, version: str) -> Installation | None:
        """Whether it was fetched."""
        place = Installation(version, folder / f"server-{version}")
        return place if version in self.versions else None

    def install(self, folder: Path, environment: Any, *, version: str, accept_license: bool) -> Installation:
        """Fetch it."""
        there = self.installed(folder, version)
        self._note("install", (version, accept_license))
        return there or Installation(version, folder / f"server-{version}", fresh=True)

    def find_java(self, environment: Any, at_least: int) -> Java:
        """The Java that is there."""
        self._note("java", at_least)
        return Java(Path("/usr/bin/java"), "21.0.8", 21, "PATH")

    def start(self, installation: Installation, home: Path, **given: Any) -> RunningServer:
        """Start it."""
        self._note("start", (installation.version, home, given["passwords"], given["options"]))
        return self.running(installation.version)

    def running(self, version: str = DEFAULT_VERSION) -> RunningServer:
        """A server that runs, with its record."""
        self.home.mkdir(parents=True, exist_ok=True)
        kept = str(self.home / "kept") if self.password else ""
        write_record(
            self.home, Record(version=version, bolt_port=25000, http_port=25001, password_file=kept, pid=77)
        )
        return RunningServer(
            bolt_uri="bolt://127.0.0.1:25000",
            http_uri="http://127.0.0.1:25001",
            pid=77,
            version=version,
            state_file=self.home / "server.json",
            password=self.password,
            already=self.already,
        )

    def stop(self, home: Path, *, force: bool) -> Stopped:
        """End it."""
        self._note("stop", (home, force))
        return self.stopped

    def status(self, home: Path) -> ServerStatus:
        """How it is."""
        return self.state

    def browser_address(self, server: RunningServer, command: str = "", arguments: Any = ()) -> Any:
        """Where its page is."""
        return browser_address(server, command, arguments)

    def rows(self, server: RunningServer, statement: str, values: Any) -> list[dict[str, Any]]:
        """What it answers to the first statement of answers that it knows by its title."""
        self._note("rows", (statement, values))
        return next((found for title, found in self.answers.items() if title in statement), [])

    def dump(self, installation: Installation, home: Path, archive: Path, **given: Any) -> int:
        """Copy the data out."""
        self._note("dump", (installation.version, home, archive))
        return 4096

    def load(
        self, installation: Installation, home: Path, archive: Path, *, replace_data: bool, **_: Any
    ) -> None:
        """Copy data in."""
        self._note("load", (installation.version, home, archive, replace_data))

    def _note(self, what: str, how: Any) -> None:
        self.asked.append((what, how))
        if self.error is not None:
            raise self.error


def user_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Give the user new folders for data and settings; returns the one of the server's programs."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "data" / "graphmem" / "neo4j"


def pretend(monkeypatch: pytest.MonkeyPatch, folders: Path) -> Control:
    """Put a pretended control in place of the real one."""
    made = Control(folders / "data")
    for module in (browsing, neo4j, neo4j_place):
        monkeypatch.setattr(module, "control", made)
    return made
