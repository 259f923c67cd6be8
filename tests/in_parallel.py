"""How the tests are shared out where several processes run them (`pytest -n`): what must not meet goes to one process.

The tests of one file stay together, since they share what is dear to make; so do all tests on the shared Neo4j server,
some of which stop it or change its schema, and all laws on Neo4j, which empty their servers.
"""

from __future__ import annotations

import pytest

LAWS = "laws on neo4j"
SERVER = "shared neo4j server"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give each test its group; the long groups begin, so that no process waits for another at the end."""
    if not hasattr(config, "workerinput"):
        return
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group(item)))
    items.sort(key=lambda item: (group(item) not in (LAWS, SERVER), item.get_closest_marker("slow") is None))


def group(item: pytest.Item) -> str:
    """What a test has to stay together with."""
    needed = getattr(item, "fixturenames", ())
    own_server = "neo4j_kit" in needed and "neo4j_server" not in needed
    if item.get_closest_marker("neo4j") is None or (own_server and "neo4j_places" not in needed):
        return item.location[0]
    return LAWS if "neo4j_runs" in needed or "neo4j_places" in needed else SERVER
