"""Where the Neo4j server of this user lies, and how a running one is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphmem.config import config_dir, process_environment, server_home
from graphmem.domain.errors import UnavailableError
from graphmem.entrypoints.cli import progress
from graphmem.entrypoints.cli.words import say
from graphmem.tooling import neo4j as control
from graphmem.tooling.neo4j import (
    DEFAULT_VERSION,
    OTHER_WAYS,
    Installation,
    Java,
    RunningServer,
    ServerOptions,
    release,
)
from graphmem.tooling.neo4j.records import read_record


@dataclass(frozen=True, slots=True)
class Place:
    """The environment, and three folders: the server's programs, its data, and the user's settings (passwords)."""

    environment: Mapping[str, str]
    programs: Path
    home: Path
    passwords: Path

    def version(self, wanted: str) -> str:
        """The full version that is wanted; '' means the one that last used the data, at first the default."""
        record = read_record(self.home)
        return release(wanted or (record.version if record else DEFAULT_VERSION)).version

    def password_file(self) -> str:
        """Where the password of the last start is kept; '' without one."""
        record = read_record(self.home)
        return record.password_file if record else ""


def user_place() -> Place:
    """The folders that the environment names."""
    environment = process_environment()
    home = server_home(environment)
    return Place(environment, home.parent, home, config_dir(environment))


def programs(place: Place, wanted: str = "") -> tuple[Installation, Java]:
    """The installed server and the Java that it runs on. Raises UnavailableError that says how to get them."""
    version = place.version(wanted)
    installation = control.installed(place.programs, version)
    if installation is None:
        named = "" if version == DEFAULT_VERSION else f" --version {version}"
        raise UnavailableError(
            f"Neo4j {version} is not installed",
            field="neo4j",
            remedy=f"graphmem neo4j install{named}, {OTHER_WAYS}",
        )
    return installation, control.find_java(place.environment, release(version).java)


def started(place: Place, options: ServerOptions, version: str = "") -> RunningServer:
    """The server, started unless it runs. Raises as programs, and as start."""
    installation, java = programs(place, version)
    progress.show(say("neo4j.starting", version=installation.version))
    try:
        return control.start(
            installation,
            place.home,
            java=java,
            environment=place.environment,
            passwords=place.passwords,
            options=options,
        )
    finally:
        progress.show("")


def address_of(server: RunningServer, place: Place) -> dict[str, Any]:
    """How a server is reached, for scripts: everything but the password."""
    kept = place.password_file()
    return {
        "version": server.version,
        "pid": server.pid,
        "bolt_uri": server.bolt_uri,
        "http_uri": server.http_uri,
        "user": server.user if kept else "",
        "password_file": kept,
        "store": server.bolt_uri,
    }


def access_to(server: RunningServer, place: Place) -> list[list[str]]:
    """How a server is reached, for a person: rows of a name and what it is."""
    kept = place.password_file()
    cells = [["Bolt", server.bolt_uri], ["HTTP", server.http_uri]]
    if kept:
        cells.append([say("neo4j.user"), server.user])
    cells.append([say("neo4j.password"), say("neo4j.kept", file=kept) if kept else say("neo4j.open")])
    return [*cells, [say("neo4j.store"), f"--store {server.bolt_uri}"]]
