"""The command that shows the graph in Neo4j Browser."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Annotated, Any

from graphmem.config import from_environment
from graphmem.domain.errors import ConflictError, UnavailableError
from graphmem.entrypoints.cli.calling import Call, Printing, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.moving import copied, source_of
from graphmem.entrypoints.cli.neo4j_place import Place, started, user_place
from graphmem.entrypoints.cli.terminal import plain, rows
from graphmem.entrypoints.cli.words import say
from graphmem.queries import path
from graphmem.tooling import neo4j as control
from graphmem.tooling.browser_kit import FIRST, GUIDE, QUERIES, STYLE, kit, prefilled
from graphmem.tooling.kit_server import serving
from graphmem.tooling.neo4j import BrowserAddress, RunningServer, ServerOptions, State
from graphmem.wiring import open_target

LATEST = "kit/latest-failure"
ROOTS = "explore/02-root-causes"
COLUMNS = ("root", "error_type", "title", "hops", "hours_before")
"""What is printed of the root causes."""


@dataclass(frozen=True, kw_only=True)
class Browser(Printing):
    """Options of browser."""

    source: Annotated[str, option("--from", text="from_store")] = ""
    ref: Annotated[str, option("--ref", text="failure_ref")] = ""
    serve: Annotated[bool, option("--serve", text="serve_kit")] = False
    port: Annotated[int, option("--port", text="kit_port", min=0, max=65_535)] = 0


def browser(call: Call, options: Browser) -> None:
    """Have the server running and the memory in it, and print the address that shows why something failed."""
    place = user_place()
    server = _running(place)
    if options.source:
        _bring(call, options.source, server)
    about = {"namespace": call.namespace, "ref": options.ref or _latest(server, call.namespace)}
    found = _roots(server, about) if about["ref"] else []
    lines = prefilled(FIRST, about) if found else []
    address = control.browser_address(server, "edit" if lines else "", lines)
    kept = place.password_file()
    if call.json:
        login = {"user": server.user if kept else "", "password_file": kept}
        call.terminal.json({**as_data(address), **login, **about, "roots": found})
        return
    _show(call, about, found)
    _print(call, address, server, kept)
    if options.serve:
        _serve(call, server, about, options.port)


def _running(place: Place) -> RunningServer:
    """The server, started if need be. Raises UnavailableError when it cannot be used."""
    found = control.status(place.home)
    if found.state is State.NOT_ANSWERING:
        raise UnavailableError(
            f"the server is not ready: {found.state.value}",
            field="neo4j",
            remedy="graphmem neo4j stop --force, then start",
        )
    if found.state is not State.RUNNING or found.server is None:
        return started(place, ServerOptions())
    if place.password_file() and not found.server.password:  # it cannot be read
        raise UnavailableError(found.detail)
    return found.server


def _bring(call: Call, source: str, server: RunningServer) -> None:
    """Copy the namespace of another store into the server; what is there already is left as it is.

    Raises ConflictError where the server holds something else under this name.
    """
    settings = replace(from_environment(store=server.bolt_uri), embedder="none")
    with closing(source_of(source, "from")) as services, closing(open_target(settings)) as target:
        try:
            copied(services, call.namespace, target)
        except ConflictError:
            states = [store.state(call.namespace) for store in (services.store, target)]
            if states[0].digest != states[1].digest:
                raise


def _latest(server: RunningServer, namespace: str) -> str:
    found = _asked(server, LATEST, {"namespace": namespace})
    return str(found[0]["ref"]) if found else ""


def _roots(server: RunningServer, about: dict[str, str]) -> list[dict[str, Any]]:
    return _asked(server, ROOTS, about)


def _asked(server: RunningServer, name: str, values: dict[str, str]) -> list[dict[str, Any]]:
    statement = path(f"{name}.cypher").read_text(encoding="utf-8")
    return control.rows(server, statement, values)


def _show(call: Call, about: dict[str, str], found: list[dict[str, Any]]) -> None:
    """The root causes as a table, or that there are none to show."""
    if not found:
        key = "neo4j.no_chain" if about["ref"] else "neo4j.no_failure"
        call.terminal.line(say(key, **{name: plain(value) for name, value in about.items()}))
        return
    call.terminal.line(say("neo4j.roots", query=f"{ROOTS}.cypher", ref=plain(about["ref"])))
    cells = [["", *COLUMNS]]
    cells += [["", *(plain(str(row[name] or "")) for name in COLUMNS)] for row in found]
    call.terminal.lines(rows(cells))
    call.terminal.line(say("neo4j.look"))


def _print(call: Call, address: BrowserAddress, server: RunningServer, kept: str) -> None:
    call.terminal.line(address.url)
    if not address.connects:
        call.terminal.line(say("neo4j.asks", user=server.user, file=kept))


def _serve(call: Call, server: RunningServer, about: dict[str, str], port: int) -> None:
    """Serve style, guide and queries until the caller stops it."""
    with serving(lambda at: kit(about, f"{at}/{STYLE}"), port) as at:
        guide = control.browser_address(server, "play", [f"{at}/{GUIDE}"])
        call.terminal.line(say("neo4j.guide"))
        call.terminal.line(guide.url)
        call.terminal.line(say("neo4j.style", style=f":style {at}/{STYLE}"))
        call.terminal.line(say("neo4j.queries", file=f"{at}/{QUERIES}"))
        call.terminal.line(say("neo4j.serving"))
        try:
            while True:
                time.sleep(3_600)
        except KeyboardInterrupt:
            return
