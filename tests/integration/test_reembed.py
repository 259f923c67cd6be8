"""A change of the embedder by a process that is killed half-way, on both stores."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest

from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.answers import RecallMode
from graphmem.domain.drafts import ExperienceDraft
from graphmem.domain.memories import Result, searchable
from graphmem.ports.store import MemoryStore
from graphmem.wiring import Services
from tests.contract.reading import found
from tests.neo4j_fixture import patient_store
from tests.services import asked, remembered, services_over

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

ROOT = Path(__file__).parents[2]
MANY = 1_500
STEP = 300


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the memory lies."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'memory.db'}"
    return str(request.getfixturevalue("neo4j_server").bolt_uri)


@pytest.fixture
def store(url: str, tmp_path: Path) -> Iterator[MemoryStore]:
    """The store there."""
    sqlite = url.startswith("sqlite")
    with closing(SqliteStore(tmp_path / "memory.db") if sqlite else patient_store(url)) as opened:
        yield opened


@pytest.fixture
def name() -> str:
    """A namespace of its own: the server is shared."""
    return f"reembed-{uuid4().hex[:8]}"


def reembed(url: str, name: str) -> subprocess.Popen[str]:
    """Begin in a process of its own."""
    command = [sys.executable, "-m", "graphmem", "reembed", "--store", url, "-n", name, "--embedder", "hash"]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def embedded(store: MemoryStore, name: str, model: HashingEmbedder) -> int:
    """How many memories have vectors of the model, all of them checked."""
    done = 0
    for memory in found(store, name, first=500):
        texts = searchable(memory)
        own = dict(zip(texts, model.embed(list(texts.values())), strict=True))
        done += memory.vectors == own
    return done


def kill_halfway(process: subprocess.Popen[str], store: MemoryStore, name: str, version: int) -> None:
    """Kill it when some batches were written: each moves the revision once."""
    while process.poll() is None:
        if store.state(name).revision > version + 3:
            process.kill()
            break
        time.sleep(0.005)
    process.communicate()
    assert process.returncode == -9


def test_killed_halfway_it_goes_on(url: str, store: MemoryStore, name: str) -> None:
    """A mixture is never searched by meaning; the second call ends with no vector of the first space."""
    old, new = services_over(store), HashingEmbedder()
    _fill(old, name)
    assert asked(old, "copy disk 7", name).mode is RecallMode.HYBRID
    kill_halfway(reembed(url, name), store, name, store.state(name).revision)
    assert 0 < embedded(store, name, new) < MANY
    for services in (old, services_over(store, embedder=new)):
        assert asked(services, "copy disk 7", name).mode is RecallMode.LEXICAL
    assert not remembered(old, "written by the old one", name).embedded
    second = reembed(url, name)
    out, err = second.communicate()
    assert (second.returncode, "memories have vectors of hash:" in out) == (0, True), err
    assert embedded(store, name, new) == MANY + 1
    assert store.state(name).pending_jobs == 0
    assert asked(services_over(store, embedder=new), "copy disk 7", name).mode is RecallMode.HYBRID
    assert asked(old, "copy disk 7", name).mode is RecallMode.LEXICAL


def _fill(services: Services, name: str) -> None:
    for start in range(0, MANY, STEP):
        drafts = [
            ExperienceDraft(action=f"copy disk {number}", result=Result.SUCCESS)
            for number in range(start, start + STEP)
        ]
        services.remember.many(name, drafts)
