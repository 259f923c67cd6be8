"""Which Neo4j server is fetched, under which licence, and what else a user can do instead."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphmem.domain.errors import BadInputError

DEFAULT_VERSION = "5.26.29"
BROWSER_VERSION = "5.24.0"
SHORT_NAMES = {"5.26": DEFAULT_VERSION, "2026": "2026.09.0", "2026.x": "2026.09.0"}

OTHER_WAYS = (
    "or do without: set NEO4J_URI (and NEO4J_USERNAME, NEO4J_PASSWORD) to a server that runs already, start one with "
    "Docker (docker run --publish=127.0.0.1:7687:7687 --publish=127.0.0.1:7474:7474 neo4j:5.26-community), "
    "or stay with the embedded store, which needs no server"
)

_VERSION = re.compile(r"(5\.26|20\d\d\.\d{1,2})\.\d+")


@dataclass(frozen=True)
class Release:
    """A version of the server: java is the lowest Java (major number) that it runs on."""

    version: str
    java: int

    @property
    def age(self) -> tuple[int, ...]:
        """Orders versions: a newer one compares higher."""
        return tuple(int(part) for part in self.version.split("."))


def release(version: str = DEFAULT_VERSION) -> Release:
    """The release of a full version ('5.26.29', '2026.09.0') or a short name ('5.26', '2026').

    Raises BadInputError for anything else: older lines lack what the store's statements need.
    """
    full = SHORT_NAMES.get(version, version)
    if not _VERSION.fullmatch(full):
        raise BadInputError(
            f"{version!r} is no Neo4j version that graphmem can run",
            field="version",
            remedy=f"{DEFAULT_VERSION} (any 5.26.n), or 2025 and newer, e.g. {SHORT_NAMES['2026']}",
        )
    return Release(full, java=17 if full.startswith("5.") else 21)


def licence(version: str = DEFAULT_VERSION) -> str:
    """What a user accepts before the server is fetched."""
    return (
        f"Neo4j Community Edition {release(version).version} and Neo4j Browser {BROWSER_VERSION} are published by "
        "Neo4j, Inc. under the GNU General Public License, version 3 "
        "(https://www.gnu.org/licenses/gpl-3.0.html); the libraries that they use come under licences of their own, "
        "named in their files. They are no part of graphmem: your own Maven fetches them into your data folder, and "
        "graphmem talks to them as a separate program."
    )
