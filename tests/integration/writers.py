"""A process that writes into a store, for the tests that need several of them or kill one.

    python -m tests.integration.writers race STORE NUMBER     four threads, fifty facts each, then ten tags
    python -m tests.integration.writers stream STORE NAME     four threads, until it is killed

STORE is the path of a SQLite file or the address of a Neo4j server.

race prints its receipts as one JSON line; stream prints every key before it is sent and after its answer.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Lock
from zlib import crc32

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.errors import StaleError
from graphmem.domain.records import RecordKind
from graphmem.ports.changes import Changes, Update
from graphmem.ports.store import MemoryStore
from tests.builders import Ids, caused, changes, fact, failure, job, record, request
from tests.neo4j_fixture import patient_store

THREADS = 4
WRITES = 50
TAGS = 10
_printing = Lock()


def tell(*words: str) -> None:
    """Print a line at once and whole."""
    with _printing:
        print(*words, flush=True)


def race(store: MemoryStore, number: int) -> None:
    """Write facts, then add tags to a memory that the other process changes too."""
    ids = Ids(number)

    def write(index: int) -> tuple[int, str, str]:
        new = fact(f"fact {number}-{index}", id=ids(), namespace="race")
        receipt = store.apply(changes(new, requests=(request(f"{number}-{index}", new),)))
        return receipt.revision, receipt.memories[0].ref, new.id

    with ThreadPoolExecutor(THREADS) as pool:
        written = list(pool.map(write, range(THREADS * WRITES)))
        stale = sum(pool.map(lambda index: add_tag(store, f"tag {number}-{index}"), range(TAGS)))
    tell(json.dumps({"written": written, "stale": stale}))


def add_tag(store: MemoryStore, tag: str) -> int:
    """Add a tag to the shared memory; how often it had changed in between."""
    for stale in count():
        read = store.get("shared", ["F-1"])["F-1"]
        new = replace(read, tags=(*read.tags, tag))
        try:
            store.apply(
                changes(namespace="shared", update=(Update(memory=new, expected_version=read.version),))
            )
        except StaleError:
            continue
        return stale
    raise AssertionError("count() has no end")


def action(key: str, ids: Ids) -> Changes:
    """The action of a key: a failure and its cause with edge, record and job; new ids at every call."""
    effect = failure(key, id=ids(), namespace="stream", tags=(key,))
    cause = fact(key, id=ids(), namespace="stream", tags=(key,))
    return changes(
        effect,
        cause,
        edges=(caused(effect, cause),),
        requests=(request(key, effect),),
        records=(record(RecordKind.AUDIT, id=ids(), subject=effect.id, body={"key": key}),),
        jobs=(job(id=ids(), subject=effect.id),),
    )


def stream(store: MemoryStore, name: str) -> None:
    """Write without end."""

    def write(thread: int) -> None:
        ids = Ids(seed_of(f"{name}-{thread}"))
        for number in count():
            key = f"{name}-{thread}-{number}"
            tell("send", key)
            store.apply(action(key, ids))
            tell("done", key)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(write, range(THREADS)))


def seed_of(name: str) -> int:
    """A seed for the ids of a writer, the same in every process."""
    return crc32(name.encode())


def open_store(place: str) -> MemoryStore:
    """The store at a path or an address, with the patience that a busy machine asks for."""
    if place.startswith("bolt://"):
        return patient_store(place)
    return SqliteStore(Path(place), busy_timeout_s=60.0)


def main(arguments: Sequence[str]) -> None:
    """Run what the command line names."""
    verb, place, name = arguments
    store = open_store(place)
    store.migrate()
    if verb == "race":
        race(store, int(name))
    else:
        stream(store, name)
    store.close()


if __name__ == "__main__":
    main(sys.argv[1:])
