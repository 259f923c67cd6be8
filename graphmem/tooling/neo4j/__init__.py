"""A Neo4j server of the user's own: fetched by their Maven, run on their Java, loopback only.

`find_java`, `install` and `installed`; `start`, `stop` and `status` of the server of one data folder; `dump` and
`load` of its data while it is stopped; `rows` of a statement; `browser_address`. Everything that is missing or fails is
an error of the GraphmemError tree whose remedy names the other ways to a server.
"""

from graphmem.tooling.neo4j.archives import dump, load
from graphmem.tooling.neo4j.asking import rows
from graphmem.tooling.neo4j.browser import BrowserAddress, browser_address
from graphmem.tooling.neo4j.configuring import ServerOptions
from graphmem.tooling.neo4j.control import ServerStatus, State, Stopped, start, status, stop
from graphmem.tooling.neo4j.installing import Installation, install, installed
from graphmem.tooling.neo4j.java import Java, find_java
from graphmem.tooling.neo4j.records import RunningServer
from graphmem.tooling.neo4j.releases import DEFAULT_VERSION, OTHER_WAYS, licence, release

__all__ = [
    "DEFAULT_VERSION",
    "OTHER_WAYS",
    "BrowserAddress",
    "Installation",
    "Java",
    "RunningServer",
    "ServerOptions",
    "ServerStatus",
    "State",
    "Stopped",
    "browser_address",
    "dump",
    "find_java",
    "install",
    "installed",
    "licence",
    "load",
    "release",
    "rows",
    "start",
    "status",
    "stop",
]
