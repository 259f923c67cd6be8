"""The address of Neo4j Browser."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from graphmem.tooling.neo4j.records import RunningServer


@dataclass(frozen=True)
class BrowserAddress:
    """Where to look at the graph. connects: whether the page connects by itself, or asks for the password first."""

    url: str
    connects: bool


def browser_address(
    server: RunningServer, command: str = "", arguments: Iterable[str] = ()
) -> BrowserAddress:
    """The page of a running server, set to its Bolt address.

    command: what the page does once it is there: 'edit' puts the arguments as lines into its editor, 'play' opens
    the guide at the one argument.

    Without authentication it connects by itself. With it the page names the user and asks for the password: it takes
    none from an address, and an address is no place for one.
    """
    asked = f"&cmd={command}" if command else ""
    asked += "".join(f"&arg={quote(argument, safe='')}" for argument in arguments)
    host = server.bolt_uri.removeprefix("bolt://")
    if server.password:
        target = quote(f"bolt://{server.user}@{host}", safe="")
        return BrowserAddress(f"{server.http_uri}/browser/?dbms={target}{asked}", connects=False)
    target = quote(server.bolt_uri, safe="")
    return BrowserAddress(
        f"{server.http_uri}/browser/?dbms={target}&preselectAuthMethod=NO_AUTH{asked}", connects=True
    )
