"""How several processes share the tests out (`pytest -p tests.in_parallel -n 2`): by file, and by Neo4j server.

Each process has servers of its own. So that one is enough, all tests that share a server go to one process, and the
laws, which need two that are empty, to one. A test that is forgotten here costs a server more, and nothing else.
"""

from __future__ import annotations

import re

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

LAWS = "laws on neo4j"
SERVER = "shared neo4j server"
_ON_NEO4J = re.compile(r"neo4j|test_(browser|copy|demo_stores|explore|hand_edits|outages|two_processes)\b")
_OWN_SERVER = re.compile(r"test_(neo4j_kill|neo4j_server|two_services)\.py")
_AS_THE_LAWS = re.compile(r"tests/contract/|test_(article_story|demo_learn|mcp_story)\.py")


class ByServer(LoadScopeScheduling):
    """Groups of tests, each for one process; the next group goes to the process that has least to do."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)


@pytest.hookimpl
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByServer:
    """Share out as this file says, whatever `--dist` says."""
    return ByServer(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The long groups begin, so that no process waits for another at the end."""
    if hasattr(config, "workerinput"):
        items.sort(
            key=lambda item: (
                group(item.nodeid) not in (LAWS, SERVER),
                item.get_closest_marker("slow") is None,
            )
        )


def group(nodeid: str) -> str:
    """What a test has to stay together with."""
    file = nodeid.split("::")[0]
    if not _ON_NEO4J.search(nodeid) or _OWN_SERVER.search(file):
        return file
    return LAWS if _AS_THE_LAWS.search(file) else SERVER
