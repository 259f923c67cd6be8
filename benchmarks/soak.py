"""Rounds of many writers at once, with a writing process killed in the middle, and counts that must be exact.

python -m benchmarks.soak [--store bolt://127.0.0.1:PORT] [--quick] [--json]

A round is a namespace of its own: 50 failures of one cause are captured at once by threads of two connections, while
another process captures too and is killed; then every key that it had sent is sent again. What must hold: a node, an
edge and a receipt for each key, no key twice, refs without a double, and the digest of all rows equal to the store's.
The first round that does not hold ends the run with status 1. 100 rounds, --quick 3, on the store given; without one on
a temporary SQLite file. Every ten rounds are told on standard error. The namespaces on a server are new at every run
and stay there.
"""

from __future__ import annotations

import os
import random
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

from benchmarks.reporting import arguments, emit, mean_figure
from graphmem.config import from_environment
from graphmem.domain.answers import Written
from graphmem.domain.drafts import CauseRef, ExperienceDraft, FactDraft
from graphmem.domain.errors import UnavailableError
from graphmem.domain.memories import Memory, MemoryKind, Result
from graphmem.ports.queries import Cursor, PageRequest, Selection
from graphmem.ports.store import MemoryStore
from graphmem.wiring import Services, build

ROUNDS = 100
TOLD = 10
"""Rounds between two lines of progress."""
CAPTURES = 50
WRITERS = 4
"""Threads of the process that is killed."""
TRIES = 10
CAUSE = CauseRef(id="F-1")
PAGE = 500


def capture(services: Services, namespace: str, key: str) -> Written:
    """A failure of the cause that all share, under a key that is sent again while the store cannot answer."""
    draft = ExperienceDraft(action=key, result=Result.FAILURE, key=key, caused_by=(CAUSE,))
    for _ in range(TRIES - 1):
        with suppress(UnavailableError):
            return services.remember.experience(namespace, draft)
    return services.remember.experience(namespace, draft)


def opened(url: str) -> Services:
    """Services over a store, by words only."""
    return build(from_environment(store=url, embedder="none"))


def stream(url: str, namespace: str) -> None:
    """Capture until killed; each key is told before it is sent."""
    with closing(opened(url)) as services:

        def write(thread: int) -> None:
            for number in count():
                key = f"killed-{thread}-{number}"
                os.write(sys.stdout.fileno(), f"{key}\n".encode())
                capture(services, namespace, key)

        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(write, range(WRITERS)))


def killed_after(url: str, namespace: str, keys: int) -> set[str]:
    """The keys that a process sent before it was killed, which it was after so many."""
    command = [sys.executable, "-m", "benchmarks.soak", "stream", url, namespace]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = [line for line, _ in zip(process.stdout, range(keys), strict=False)]
        process.kill()
        told += process.stdout
    return {line.strip() for line in told if line.endswith("\n")}


def soaked(url: str, namespace: str, chance: random.Random) -> tuple[float, list[str]]:
    """One round: its seconds, and what does not hold."""
    began = time.perf_counter()
    with closing(opened(url)) as first, closing(opened(url)) as second:
        first.remember.fact(namespace, FactDraft(statement="the config is stale"))
        keys = [f"at once {number}" for number in range(CAPTURES)]
        with ThreadPoolExecutor(CAPTURES + 1) as pool:
            sent = pool.submit(killed_after, url, namespace, chance.randrange(WRITERS, 40))
            list(pool.map(lambda at: capture((first, second)[at % 2], namespace, keys[at]), range(CAPTURES)))
            unknown = sorted(sent.result())
        for key in unknown:
            capture(first, namespace, key)
        wrong = [] if unknown else ["the process that was killed had sent nothing"]
        wrong += faults(first.store, namespace, [*keys, *unknown])
        impact = first.explain.impact(namespace, "F-1").failures
        wrong += [f"impact counts {impact}"] if impact != len(keys) + len(unknown) else []
    return time.perf_counter() - began, wrong


def faults(store: MemoryStore, namespace: str, keys: Sequence[str]) -> list[str]:
    """What a namespace holds other than one failure, edge and receipt a key."""
    stored, state = _all(store, namespace), store.state(namespace)
    actions = sorted(memory.text for memory in stored if memory.kind is MemoryKind.EXPERIENCE)
    receipts = [store.receipt(namespace, key) for key in keys]
    cursor, digests, complete = Cursor(), dict[str, int](), False
    while not complete:
        feed = store.changes_since(namespace, cursor, PAGE)
        digests |= {row.memory.id: row.digest for row in feed.rows}
        cursor, complete = feed.next, feed.complete
    held = {
        "a failure a key": actions == sorted(keys),
        "an edge a key": state.counts.get("CAUSED_BY") == len(keys),
        "a receipt a key": all(receipts),
        "refs of their own": len({memory.ref for memory in stored}) == len(stored),
        "equal digests": sum(digests.values()) % 2**64 == state.graph_digest,
        "equal revisions": cursor.revision == state.revision,
    }
    return [f"not {name}" for name, holds in held.items() if not holds]


def _all(store: MemoryStore, namespace: str) -> list[Memory]:
    found: list[Memory] = []
    page = store.find(namespace, Selection(), PageRequest(first=PAGE))
    found += page.items
    while page.next:
        page = store.find(namespace, Selection(), PageRequest(first=PAGE, after=page.next))
        found += page.items
    return found


def main() -> None:
    """Soak a store; print the rounds that held, and their seconds."""
    if sys.argv[1:2] == ["stream"]:
        stream(*sys.argv[2:4])
        return
    options = arguments(__doc__ or "").parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = options.store or f"sqlite:///{Path(folder) / 'soak.db'}"
        seconds = held(url, 3 if options.quick else ROUNDS)
    name = "SQLite" if url.startswith("sqlite:") else "Neo4j"
    title = f"{len(seconds)} rounds held, {name}"
    emit({title: {"seconds a round": mean_figure(seconds)}}, options.json)


def held(url: str, rounds: int) -> list[float]:
    """The seconds of each round; every TOLD of them are told. Ends the run at the first that does not hold."""
    chance, run = random.Random(1), secrets.token_hex(4)
    seconds: list[float] = []
    for number in range(rounds):
        took, wrong = soaked(url, f"soak-{run}-{number}", chance)
        if wrong:
            sys.exit(f"round {number} of {url}: {', '.join(wrong)}")
        seconds.append(took)
        if len(seconds) % TOLD == 0:
            mean = sum(seconds) / len(seconds)
            print(f"{len(seconds)} of {rounds} rounds held, {mean:.1f} s each", file=sys.stderr, flush=True)
    return seconds


if __name__ == "__main__":
    main()
