"""Several processes on one file, and processes that die in the middle."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.encoding import edge_digest, memory_digest
from graphmem.ports.queries import Cursor, FeedRow
from tests.builders import NS, changes, fact

ROOT = Path(__file__).parents[4]

START = """
import sys
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.errors import StaleError
from tests.builders import Ids, NS, caused, changed, changes, fact, failure, generalizes, pattern, request
new_id = Ids(int(sys.argv[2]))
store = SqliteStore(sys.argv[1])
store.migrate()
"""
ADD_TAGS = """
for n in range(15):
    while True:
        read = store.get(NS, [sys.argv[3]])[sys.argv[3]]
        try:
            store.apply(changes(update=(changed(read, tags=(*read.tags, f"{sys.argv[2]}-{n}")),)))
            break
        except StaleError:
            pass
    store.apply(changes(fact(id=new_id()), requests=(request(f"{sys.argv[2]}-{n}"),)))
"""
WRITE_FOR_EVER = """
lesson = pattern(id=new_id())
store.apply(changes(lesson))
for n in range(100_000):
    made = [failure("x" * (n % 3000), id=new_id(), task_id=f"t{n}") for _ in range(3)]
    edges = [caused(made[0], made[1]), caused(made[1], made[2])]
    edges += [generalizes(lesson, item) for item in made]
    store.apply(changes(*made, edges=tuple(edges), requests=(request(made[0].id, made[0]),)))
    print(made[0].id, flush=True)
    if n % 5 == 4:
        store.apply(changes(erase=(made[2].id,)))
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", START + script, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def feed(store: SqliteStore) -> list[FeedRow]:
    rows, after, complete = [], Cursor(), False
    while not complete:
        page = store.changes_since(NS, after, 1000)
        rows += page.rows
        after, complete = page.next, page.complete
    return rows


def check_consistent(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    with closing(SqliteStore(file)) as store:
        rows, state = feed(store), store.state(NS)
        edges = [edge for row in rows for edge in row.edges]
        digests = [memory_digest(row.memory) for row in rows] + [edge_digest(edge) for edge in edges]
        assert sum(row.digest for row in rows) % 2**64 == state.graph_digest == sum(digests) % 2**64
        assert len(rows) == sum(state.counts[kind] for kind in ("FACT", "EXPERIENCE", "PATTERN", "STRATEGY"))
        assert len(edges) == state.counts["CAUSED_BY"] + state.counts["GENERALIZES"]


def test_two_processes_lose_no_update(tmp_path: Path) -> None:
    file, shared = tmp_path / "store.db", fact()
    with closing(SqliteStore(file)) as store:
        store.migrate()
        store.apply(changes(shared))
        writers = [start(ADD_TAGS, file, number, shared.id) for number in (1, 2)]
        assert [(writer.communicate(timeout=60), writer.returncode)[1] for writer in writers] == [0, 0]
        stored = store.get(NS, [shared.id])[shared.id]
        assert sorted(stored.tags) == sorted(f"{number}-{n}" for number in (1, 2) for n in range(15))
        assert store.state(NS).revision == 61
        assert {row.memory.ref for row in feed(store)} == {f"F-{n}" for n in range(1, 32)}
    check_consistent(file)


@pytest.mark.parametrize("seed", range(3))
def test_what_was_acknowledged_before_a_kill_is_there_and_whole(tmp_path: Path, seed: int) -> None:
    file, chance, acknowledged = tmp_path / "store.db", random.Random(seed), []
    for life in range(1, 4):
        writer = start(WRITE_FOR_EVER, file, seed * 100 + life)
        assert writer.stdout is not None
        acknowledged += [writer.stdout.readline().strip() for _ in range(chance.randint(1, 60))]
        writer.send_signal(signal.SIGKILL)
        acknowledged += writer.communicate(timeout=60)[0].split()
        check_consistent(file)
    with closing(SqliteStore(file)) as store:
        assert len(store.get(NS, acknowledged)) == len(acknowledged)
        assert all(store.receipt(NS, id) for id in acknowledged)
