"""A writing process is killed at random moments: what it was told to be stored is stored, once and whole."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.memories import MemoryKind
from graphmem.domain.records import RecordKind
from graphmem.ports.store import MemoryStore
from tests.builders import Ids
from tests.contract.reading import Reader, edges_of, found, records_of
from tests.integration.writers import action

ROOT = Path(__file__).parents[2]
NAME = "stream"
ROUNDS = 10


def test_kill_at_random_moments(tmp_path: Path) -> None:
    """After each of ten kills every acknowledged write is there, none twice; unknown ones are sent again."""
    path = tmp_path / "killed.db"
    SqliteStore(path).migrate()
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance, all_done, all_keys = random.Random(seed), set(), set()
    for number in range(ROUNDS):
        sent, done = write_and_kill(path, f"{seed:x}-{number}", chance)
        all_done |= done
        all_keys |= sent
        check_file(path)
        store = SqliteStore(path)
        stored = check_stored(store, all_done, all_keys)
        print(f"round {number}: {len(sent)} sent, {len(done)} acknowledged, {len(stored)} stored in all")
        resend(store, sent - done, stored, number)
        check_stored(store, all_keys, all_keys)
        all_done |= sent
        store.close()
    assert len(all_done) > ROUNDS


def write_and_kill(path: Path, name: str, chance: random.Random) -> tuple[set[str], set[str]]:
    """The keys that a process sent and those it got an answer for, until it was killed."""
    command = [sys.executable, "-m", "tests.integration.writers", "stream", str(path), name]
    lines: list[str] = []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines.extend(islice(process.stdout, chance.randrange(2, 80)))
        time.sleep(chance.random() / 100)  # the moment is the random part: this is what is tested
        process.kill()
        lines.extend(process.stdout)
    told = [tuple(line.split()) for line in lines if line.endswith("\n")]
    assert all(len(words) == 2 for words in told), "the writer ended by itself"
    return {key for verb, key in told if verb == "send"}, {key for verb, key in told if verb == "done"}


def check_file(path: Path) -> None:
    """SQLite itself finds the file sound."""
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def check_stored(store: MemoryStore, acknowledged: set[str], known: set[str]) -> set[str]:
    """The stored keys: all acknowledged ones, each with its two memories, edge, record and receipt."""
    failures = Counter(item.text for item in found(store, NAME, kinds=(MemoryKind.EXPERIENCE,)))
    facts = Counter(item.text for item in found(store, NAME, kinds=(MemoryKind.FACT,)))
    audits = Counter(str(item.body["key"]) for item in records_of(store, RecordKind.AUDIT, NAME))
    assert failures == facts == audits
    assert set(failures.values()) <= {1}
    assert acknowledged <= set(failures) <= known
    for key in known:
        receipt = store.receipt(NAME, key)
        assert (receipt is not None) == (key in failures)
        if receipt is not None:
            (memory,) = store.get(NAME, [receipt.memory_id]).values()
            assert memory.text == key
    assert len(edges_of(store, NAME)) == len(failures) == store.state(NAME).revision
    assert Reader(store, NAME).catch_up().digest == store.state(NAME).graph_digest
    return set(failures)


def resend(store: MemoryStore, unknown: Iterable[str], stored: set[str], number: int) -> None:
    """Send what had no answer again, with other ids: it is created only where it was not stored."""
    ids = Ids(2**33 + number)
    for key in sorted(unknown):
        assert store.apply(action(key, ids)).created is (key not in stored)
