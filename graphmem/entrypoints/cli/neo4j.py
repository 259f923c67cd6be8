"""Commands of a Neo4j server of the user's own."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from graphmem.entrypoints.cli import progress
from graphmem.entrypoints.cli.browsing import Browser, browser
from graphmem.entrypoints.cli.calling import Call, Printing, Run, Shared, argument, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.neo4j_place import access_to, address_of, programs, started, user_place
from graphmem.entrypoints.cli.terminal import plain, rows
from graphmem.entrypoints.cli.words import say
from graphmem.tooling import neo4j as control
from graphmem.tooling.neo4j import DEFAULT_VERSION, ServerOptions, licence, release


@dataclass(frozen=True, kw_only=True)
class Neo4j(Printing):
    """Options of all of them."""


@dataclass(frozen=True, kw_only=True)
class Install(Neo4j):
    """Options of install."""

    version: Annotated[str, option("--version", text="server_version")] = ""
    accept_license: Annotated[bool, option("--accept-license")] = False


@dataclass(frozen=True, kw_only=True)
class Start(Neo4j):
    """Options of start."""

    version: Annotated[str, option("--version", text="server_version")] = ""
    bolt_port: Annotated[int, option("--bolt-port", min=0, max=65_535)] = 0
    http_port: Annotated[int, option("--http-port", min=0, max=65_535)] = 0
    no_auth: Annotated[bool, option("--no-auth")] = False
    heap: Annotated[str, option("--heap")] = ServerOptions.heap


@dataclass(frozen=True, kw_only=True)
class Stop(Neo4j):
    """Options of stop."""

    force: Annotated[bool, option("--force")] = False


@dataclass(frozen=True, kw_only=True)
class Dump(Neo4j):
    """Options of dump."""

    file: Annotated[str, argument("NEW_DUMP")]


@dataclass(frozen=True, kw_only=True)
class Load(Neo4j):
    """Options of load."""

    file: Annotated[str, argument("DUMP")]
    replace: Annotated[bool, option("--replace")] = False


def install(call: Call, options: Install) -> None:
    """Fetch the server, once its licence is accepted."""
    place = user_place()
    version = release(options.version or DEFAULT_VERSION).version
    accepted = options.accept_license
    if not accepted and control.installed(place.programs, version) is None:
        accepted = _accepts(version)
    progress.show(say("neo4j.installing", version=version))
    try:
        found = control.install(place.programs, place.environment, version=version, accept_license=accepted)
    finally:
        progress.show("")
    if call.json:
        call.terminal.json({"version": found.version, "folder": str(found.folder), "fresh": found.fresh})
        return
    key = "neo4j.installed" if found.fresh else "neo4j.there"
    call.terminal.line(say(key, version=found.version, folder=found.folder))
    call.terminal.line(say("neo4j.then"))


def start(call: Call, options: Start) -> None:
    """Start the server and say how to use it."""
    place = user_place()
    wanted = ServerOptions(
        bolt_port=options.bolt_port,
        http_port=options.http_port,
        authentication=not options.no_auth,
        heap=options.heap,
    )
    server = started(place, wanted, options.version)
    if call.json:
        call.terminal.json({**address_of(server, place), "already": server.already})
        return
    key = "neo4j.running" if server.already else "neo4j.started"
    ports = {"bolt": server.bolt_uri.rpartition(":")[2], "http": server.http_uri.rpartition(":")[2]}
    call.terminal.line(say(key, version=server.version, pid=server.pid, **ports))
    call.terminal.lines(rows(access_to(server, place)))


def stop(call: Call, options: Stop) -> None:
    """End the server."""
    progress.show(say("neo4j.stopping"))
    try:
        done = control.stop(user_place().home, force=options.force)
    finally:
        progress.show("")
    if call.json:
        call.terminal.json(as_data(done))
        return
    key = "killed" if done.killed else "stopped" if done.was_running else "not_running"
    call.terminal.line(say(f"neo4j.{key}", seconds=f"{done.seconds:.0f}"))


def status(call: Call, options: Neo4j) -> None:
    """Say how the server is and where it answers."""
    place = user_place()
    found = control.status(place.home)
    address = address_of(found.server, place) if found.server else {}
    if call.json:
        call.terminal.json({"state": found.state.value, **address, "detail": found.detail})
        return
    cells = [[say("neo4j.state"), say(f"server.{found.state.name}")]]
    if found.server:
        cells += [[say("neo4j.version"), found.server.version], *access_to(found.server, place)]
    if found.detail:
        cells.append([say("neo4j.detail"), plain(found.detail)])
    call.terminal.lines(rows(cells))


def dump(call: Call, options: Dump) -> None:
    """Write the data of the stopped server to a new file."""
    place = user_place()
    installation, java = programs(place)
    file = Path(options.file)
    size = control.dump(installation, place.home, file, java=java, environment=place.environment)
    if call.json:
        call.terminal.json({"file": str(file), "size": size})
    else:
        call.terminal.line(say("neo4j.dumped", size=size, file=plain(str(file))))


def load(call: Call, options: Load) -> None:
    """Make a dumped file the data of the stopped server."""
    place = user_place()
    installation, java = programs(place)
    file = Path(options.file)
    control.load(
        installation,
        place.home,
        file,
        java=java,
        environment=place.environment,
        replace_data=options.replace,
    )
    if call.json:
        call.terminal.json({"file": str(file)})
    else:
        call.terminal.line(say("neo4j.loaded", file=plain(str(file))))


COMMANDS: Mapping[str, tuple[Run, type[Shared]]] = {
    "install": (install, Install),
    "start": (start, Start),
    "status": (status, Neo4j),
    "browser": (browser, Browser),
    "stop": (stop, Stop),
    "dump": (dump, Dump),
    "load": (load, Load),
}
"""What stands behind `graphmem neo4j`: the function and the class of its options."""


def _accepts(version: str) -> bool:
    """Show the licence and ask; nobody is there to ask where standard input is no terminal."""
    if not sys.stdin.isatty():
        return False
    typer.echo(licence(version), err=True)
    return typer.confirm(say("neo4j.accept"), abort=True, err=True)
