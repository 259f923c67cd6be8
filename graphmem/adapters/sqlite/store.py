"""The store over one SQLite file; each method is one transaction or one snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import chain, islice
from pathlib import Path

from graphmem.adapters.sqlite import (
    applying,
    correcting,
    edges,
    feed,
    finding,
    jobs,
    ledger,
    memories,
    migrations,
    records,
    requests,
    restoring,
)
from graphmem.adapters.sqlite.connection import Readers, Writer, make_file
from graphmem.domain.causation import CauseEdge, Edge
from graphmem.domain.memories import Memory
from graphmem.domain.records import Job, JobKind, Record, RecordKind
from graphmem.domain.rules import check_namespace
from graphmem.ports.changes import Changes, Receipt, RestoreBatch, StoredReceipt
from graphmem.ports.checks import check_batch, check_changes
from graphmem.ports.queries import (
    ChangeFeed,
    Cursor,
    Damage,
    Direction,
    EdgeSelection,
    FreeJobs,
    NamespaceState,
    Page,
    PageRequest,
    RecordSelection,
    SchemaReport,
    Selection,
)
from graphmem.ports.store import MOST_DAMAGES, Capability, MemoryStore


class SqliteStore(MemoryStore):
    """Keeps everything in the file at path; folder and file are made, for their owner only, where missing.

    busy_timeout_s: how long a call waits for another process to finish writing.
    Raises BadInputError for a file that is no store or of a newer version, UnavailableError when it
    cannot be opened.
    """

    capabilities = frozenset({Capability.SHARED_FILE})

    def __init__(self, path: str | Path, *, busy_timeout_s: float = 10.0) -> None:
        file = Path(path)
        make_file(file)
        self._writer = Writer(file, busy_timeout_s)
        self._readers = Readers(file, busy_timeout_s)

    def migrate(self) -> SchemaReport:
        """See MemoryStore."""
        return self._writer.run(migrations.migrate)

    def receipt(self, namespace: str, key: str) -> StoredReceipt | None:
        """See MemoryStore."""
        with self._readers.snapshot() as connection:
            return requests.receipt(connection, check_namespace(namespace), key)

    def apply(self, changes: Changes) -> Receipt:
        """See MemoryStore."""
        check_namespace(changes.namespace)
        check_changes(changes)
        return self._writer.transaction(
            lambda connection: applying.apply(connection, changes), erases=bool(changes.erase)
        )

    def restore(self, batch: RestoreBatch) -> None:
        """See MemoryStore."""
        check_namespace(batch.namespace)
        check_batch(batch)
        self._writer.transaction(lambda connection: restoring.restore(connection, batch))

    def get(self, namespace: str, ids: Sequence[str], *, vectors: bool = True) -> dict[str, Memory]:
        """See MemoryStore."""
        with self._readers.snapshot() as connection:
            return memories.get(connection, check_namespace(namespace), ids, vectors=vectors)

    def find(
        self, namespace: str, selection: Selection, page: PageRequest, *, vectors: bool = True
    ) -> Page[Memory]:
        """See MemoryStore."""
        with self._readers.snapshot() as connection:
            return finding.find(connection, check_namespace(namespace), selection, page, vectors=vectors)

    def changes_since(self, namespace: str, after: Cursor, limit: int) -> ChangeFeed:
        """See MemoryStore."""
        with self._readers.snapshot() as connection:
            return feed.changes_since(connection, check_namespace(namespace), after, limit)

    def expand(self, namespace: str, frontier: Sequence[str], direction: Direction) -> list[CauseEdge]:
        """See MemoryStore."""
        with self._readers.snapshot() as connection:
            return edges.expand(connection, check_namespace(namespace), frontier, direction)

    def edges(self, namespace: str, selection: EdgeSelection, page: PageRequest) -> Page[Edge]:
        """See MemoryStore."""
        with self._readers.snapshot() as connection:
            return edges.find(connection, check_namespace(namespace), selection, page)

    def records(
        self, namespace: str, kind: RecordKind, selection: RecordSelection, page: PageRequest
    ) -> Page[Record]:
        """See MemoryStore."""
        with self._readers.snapshot() as connection:
            return records.find(connection, check_namespace(namespace), kind, selection, page)

    def claim(self, namespace: str, kind: JobKind, owner: str, now: datetime, lease: timedelta) -> Job | None:
        """See MemoryStore."""
        name, times = check_namespace(namespace), (now, now + lease)
        return self._writer.transaction(lambda connection: jobs.claim(connection, name, kind, owner, times))

    def state(self, namespace: str) -> NamespaceState:
        """See MemoryStore."""
        with self._readers.snapshot() as connection:
            book = ledger.load(connection, check_namespace(namespace))
            return book.state(jobs.count_open(connection, namespace))

    def correct(self, held: NamespaceState) -> bool:
        """See MemoryStore."""
        check_namespace(held.namespace)
        return self._writer.transaction(lambda connection: correcting.correct(connection, held))

    def namespaces(self, free: FreeJobs | None = None) -> dict[str, int]:
        """See MemoryStore."""
        with self._readers.snapshot() as connection:
            return jobs.where_free(connection, free) if free else ledger.revisions(connection)

    def damaged(self, namespace: str, first: int = MOST_DAMAGES) -> tuple[Damage, ...]:
        """See MemoryStore."""
        check_namespace(namespace)
        with self._readers.snapshot() as connection:
            found = chain(memories.damaged(connection, namespace), edges.damaged(connection, namespace))
            return tuple(islice(found, first))

    def close(self) -> None:
        """See MemoryStore."""
        self._writer.close()
        self._readers.close()
