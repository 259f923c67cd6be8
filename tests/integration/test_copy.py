"""A copy to a real server and back, made by processes that are killed half-way."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.records import RecordKind
from graphmem.ports.store import MemoryStore
from graphmem.tooling.neo4j import RunningServer
from tests.builders import (
    caused,
    changed,
    changes,
    experience,
    failure,
    full_experience,
    full_fact,
    full_pattern,
    full_strategy,
    generalizes,
    job,
    record,
    request,
)
from tests.neo4j_fixture import patient_store
from tests.unit.services.copies import dump

pytestmark = [pytest.mark.neo4j, pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
MANY = 4_000
STEP = 400


@pytest.fixture
def name() -> str:
    """A namespace of its own: the server is shared."""
    return f"copy-{uuid4().hex[:8]}"


@pytest.fixture
def source(tmp_path: Path, name: str) -> Iterator[SqliteStore]:
    """A history with everything that a store can hold, and enough of it to be killed in the middle."""
    with closing(SqliteStore(tmp_path / "source.db")) as store:
        store.migrate()
        full = [make(namespace=name) for make in (full_fact, full_experience, full_strategy)]
        lesson, gone = full_pattern(namespace=name), failure(namespace=name)
        store.apply(changes(*full, lesson, gone, requests=(request("gone", gone),)))
        members = []
        for _ in range(0, MANY, STEP):
            made = [experience(namespace=name) for _ in range(STEP // 2)]
            members += [failure(namespace=name) for _ in range(STEP // 2)]
            keys = tuple(request(item.id, item) for item in made)
            store.apply(
                changes(*made, *members[-STEP // 2 :], requests=keys, jobs=(job(subject=made[0].id),))
            )
        store.apply(changes(namespace=name, edges=tuple(generalizes(lesson, item) for item in members[:300])))
        pairs = zip(members[1:], members, strict=False)
        edges = [caused(effect, cause) for effect, cause in pairs]
        store.apply(changes(namespace=name, edges=tuple(edges[:450])))
        kinds = RecordKind.AUDIT, RecordKind.SERVED, RecordKind.SPACE
        records = tuple(record(kind, subject=members[0].id) for kind in kinds)
        stored = store.get(name, [full[0].id])[full[0].id]
        update = (changed(stored, statement="new"),)
        store.apply(changes(namespace=name, records=records, update=update, parameters_version=2))
        store.apply(changes(namespace=name, erase=(gone.id,)))
        yield store


def copy(source: str, target: str, name: str) -> subprocess.Popen[str]:
    """Begin to copy a namespace in a process of its own."""
    command = [sys.executable, "-m", "graphmem", "copy", source, target, "--namespace", name]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def kill_halfway(process: subprocess.Popen[str], target: MemoryStore, name: str) -> int:
    """Kill the copy in the middle of the memories; how many were copied by then."""
    while process.poll() is None:
        done = target.state(name).counts["EXPERIENCE"]
        if done > MANY // 4:
            process.kill()
            break
        time.sleep(0.01)
    process.communicate()
    assert process.returncode == -9
    return target.state(name).counts["EXPERIENCE"]


def ended(process: subprocess.Popen[str]) -> str:
    """What a copy that ends well prints."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out


def test_there_and_back_killed_on_both_ways(
    source: SqliteStore, neo4j_server: RunningServer, name: str, tmp_path: Path
) -> None:
    """SQLite to Neo4j to SQLite: what comes back is what went out."""
    out = f"sqlite:///{tmp_path / 'source.db'}"
    back = f"sqlite:///{tmp_path / 'back.db'}"
    served = neo4j_server.bolt_uri
    with (
        closing(patient_store(served)) as server,
        closing(SqliteStore(tmp_path / "back.db")) as returned,
    ):
        server.migrate()
        assert 0 < kill_halfway(copy(out, served, name), server, name) < MANY
        told = ended(copy(out, served, name))
        digest = f"{source.state(name).digest:016x}"
        assert f"{name}: {MANY + 4} memories, 750 edges, equal (digest {digest})" in told
        assert dump(server, name) == dump(source, name)
        returned.migrate()
        assert 0 < kill_halfway(copy(served, back, name), returned, name) < MANY
        ended(copy(served, back, name))
        assert dump(returned, name) == dump(source, name)
