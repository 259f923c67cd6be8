"""A real server: started, stopped, killed and restored by the server control, spoken to over Bolt."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from graphmem.domain.errors import BadInputError
from graphmem.tooling.neo4j import (
    RunningServer,
    ServerOptions,
    State,
    browser_address,
    dump,
    load,
    status,
    stop,
)
from tests.neo4j_fixture import STARTING_S, Neo4jKit

pytestmark = [pytest.mark.neo4j, pytest.mark.slow, pytest.mark.timeout(400)]

ROOT = Path(__file__).parents[2]
SMALL = ServerOptions(heap="256m", page_cache="16m", timeout_s=STARTING_S)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A data folder; its server is ended at the end."""
    place = tmp_path / "home"
    yield place
    stop(place, force=True)


def say(server: RunningServer, statement: str, **parameters: Any) -> list[Any]:
    """Run a statement over Bolt and return the first column."""
    login = (server.user, server.password) if server.password else None
    with GraphDatabase.driver(server.bolt_uri, auth=login) as driver:
        return [record[0] for record in driver.execute_query(statement, parameters).records]


def count(server: RunningServer) -> int:
    """How many nodes there are."""
    return int(say(server, "MATCH (n:Written) RETURN count(n)")[0])


def write_until_killed(server: RunningServer, after: int) -> int:
    """Write nodes one by one, kill the server in the middle, and return how many were acknowledged."""
    login, acknowledged = (server.user, server.password), 0
    with (
        GraphDatabase.driver(server.bolt_uri, auth=login, connection_timeout=2) as driver,
        driver.session() as session,
        suppress(DriverError, Neo4jError),
    ):
        while acknowledged < 10 * after:
            session.run("CREATE (:Written {number: $number})", number=acknowledged).consume()
            acknowledged += 1
            if acknowledged == after:
                os.kill(server.pid, signal.SIGKILL)
    return acknowledged


def test_start_stop_kill_and_start_again(neo4j_kit: Neo4jKit, home: Path) -> None:
    """What was acknowledged is there after a stop and after a kill; ports and password stay."""
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: neo4j_kit.start(home, SMALL), range(2)))
    assert sorted(each.already for each in both) == [False, True]
    first = both[0]
    with pytest.raises(AuthError), GraphDatabase.driver(first.bolt_uri, auth=("neo4j", "wrong")) as driver:
        driver.verify_connectivity()
    say(first, "CREATE (:Written)")
    assert stop_elsewhere(home) == "stopped"

    second = neo4j_kit.start(home, SMALL)
    assert (second.bolt_uri, second.password) == (first.bolt_uri, first.password)
    assert count(second) == 1
    acknowledged = write_until_killed(second, after=200)
    assert 200 <= acknowledged < 2000
    assert status(home).state is State.CRASHED

    third = neo4j_kit.start(home, SMALL)
    assert status(home).state is State.RUNNING
    assert (
        acknowledged + 1 <= count(third) <= acknowledged + 2
    )  # one may have been stored and not acknowledged


def stop_elsewhere(home: Path) -> str:
    """Stop the server from another process, which knows nothing but the folder."""
    script = (
        "import sys; from pathlib import Path; from graphmem.tooling.neo4j import status, stop; "
        "home = Path(sys.argv[1]); assert stop(home).was_running; print(status(home).state.value)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(home)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_dump_and_load(neo4j_kit: Neo4jKit, home: Path, tmp_path: Path) -> None:
    """Data go to a file and come back, over the data that are there only when asked; a cut file harms nothing."""
    tools = {"java": neo4j_kit.java, "environment": neo4j_kit.environment}
    open_to_all = replace(SMALL, authentication=False)
    server = neo4j_kit.start(home, open_to_all)
    say(server, "UNWIND range(1, 100) AS number CREATE (:Written {number: number})")
    stop(home)
    archive = tmp_path / "memory.dump"
    assert dump(neo4j_kit.installation, home, archive, **tools) == archive.stat().st_size > 0

    say(neo4j_kit.start(home, open_to_all), "MATCH (n:Written) WHERE n.number > 1 DELETE n")
    stop(home)
    cut = tmp_path / "cut.dump"
    cut.write_bytes(archive.read_bytes()[: archive.stat().st_size // 2])
    for file in (archive, cut):
        with pytest.raises(BadInputError):
            load(neo4j_kit.installation, home, file, replace_data=file is cut, **tools)
    load(neo4j_kit.installation, home, archive, replace_data=True, **tools)
    again = neo4j_kit.start(home, open_to_all)
    assert count(again) == 100
    say(again, "CREATE (:Written)")
    assert count(again) == 101


def test_the_shared_server_serves_the_browser_and_keeps_to_this_machine(neo4j_server: RunningServer) -> None:
    """The page is there, its policy keeps it from other hosts, and nobody else can reach the server."""
    assert say(neo4j_server, "RETURN 1") == [1]
    assert browser_address(neo4j_server).connects
    with closing(http.client.HTTPConnection(neo4j_server.http_uri.removeprefix("http://"))) as connection:
        connection.request("GET", "/browser/")
        page = connection.getresponse()
        assert page.status == 200
        assert "default-src 'self'" in (page.getheader("Content-Security-Policy") or "")
    listening = say(
        neo4j_server, "SHOW SETTINGS YIELD name, value WHERE name ENDS WITH 'listen_address' RETURN value"
    )
    assert listening
    assert all(value.startswith(("127.0.0.1", "localhost", ":")) for value in listening)
    off = "SHOW SETTINGS 'client.allow_telemetry', 'dbms.usage_report.enabled' YIELD value RETURN value"
    assert say(neo4j_server, off) == ["false", "false"]
