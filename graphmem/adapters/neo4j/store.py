"""The store in a Neo4j database; each writing method is one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from graphmem.adapters.neo4j import (
    applying,
    correcting,
    creating,
    damages,
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
from graphmem.adapters.neo4j.books import Books, Guess
from graphmem.adapters.neo4j.failures import WHEN_AWAY
from graphmem.adapters.neo4j.server import Server, Session
from graphmem.adapters.neo4j.warming import Returning
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

_T = TypeVar("_T")


class Neo4jStore(MemoryStore):
    """Keeps everything in one database of a Neo4j server (5.26 or newer), whose address is a bolt:// or neo4j:// URI.

    deadline_s: every call ends within it, with UnavailableError when the server is down or stands still; when_away:
    what this error says to do about a server that cannot be reached.
    Raises BadInputError for an address that is none; the server is asked at the first call only.
    """

    capabilities = frozenset({Capability.SERVER})

    def __init__(
        self,
        uri: str,
        *,
        user: str | None = None,
        password: str | None = None,
        database: str = "neo4j",
        deadline_s: float = 10.0,
        when_away: str = WHEN_AWAY,
    ) -> None:
        auth = None if user is None else (user, password or "")
        self._server = Server(uri, auth, database, deadline_s, when_away)
        self._settled = feed.Settled()
        self._books = Books()
        self._returning = Returning(self._server)
        self._server.when_broken = self._returning.begin
        self._server.when_answered = self._returning.answered
        self._migrated = False

    def migrate(self) -> SchemaReport:
        """See MemoryStore."""
        report = migrations.migrate(self._server)
        self._migrated = True
        return report

    def receipt(self, namespace: str, key: str) -> StoredReceipt | None:
        """See MemoryStore."""
        check_namespace(namespace)
        return self._read(lambda session: requests.receipt(session, namespace, key))

    def apply(self, changes: Changes) -> Receipt:
        """See MemoryStore."""
        check_namespace(changes.namespace)
        check_changes(changes)
        guess, until = Guess(changes, self._books.of(changes.namespace)), self._server.deadline()
        if creating.only_creates(changes):
            receipt = guess.book.line.do(guess, changes.size, until, partial(self._lead, guess, until))
        else:
            receipt = self._apply(guess, until)
        self._settled.note(changes.namespace, receipt.revision)
        return receipt

    def _lead(self, guess: Guess, deadline: float) -> Receipt:
        """Write an action with those that wait behind it; what cannot be written so goes on alone, each in its turn."""
        receipt = None
        if followers := guess.book.followers():
            receipt, *others = self._create([guess, *(place.item for place in followers)], deadline)
            for place, theirs in zip(followers, others, strict=True):
                if theirs is not None:
                    guess.book.line.answer(place, theirs)
        if receipt is None and guess.sent is None:
            (receipt,) = self._create([guess], deadline)
        return receipt or self._apply(guess, deadline)

    def _create(self, guesses: Sequence[Guess], deadline: float) -> list[Receipt | None]:
        return self._server.write_alone(partial(creating.create, guesses=guesses), deadline=deadline)

    def _apply(self, guess: Guess, deadline: float) -> Receipt:
        return self._server.write(partial(applying.apply, guess=guess), deadline=deadline)

    def restore(self, batch: RestoreBatch) -> None:
        """See MemoryStore."""
        check_namespace(batch.namespace)
        check_batch(batch)
        self._server.write(lambda session: restoring.restore(session, batch))

    def get(self, namespace: str, ids: Sequence[str], *, vectors: bool = True) -> dict[str, Memory]:
        """See MemoryStore."""
        check_namespace(namespace)
        return self._read(lambda session: memories.get(session, namespace, ids, vectors=vectors))

    def find(
        self, namespace: str, selection: Selection, page: PageRequest, *, vectors: bool = True
    ) -> Page[Memory]:
        """See MemoryStore."""
        check_namespace(namespace)
        return self._read(lambda session: finding.find(session, namespace, selection, page, vectors=vectors))

    def changes_since(self, namespace: str, after: Cursor, limit: int) -> ChangeFeed:
        """See MemoryStore."""
        check_namespace(namespace)
        self._check_migrated()
        return feed.changes_since(self._server, self._settled, namespace, after, limit)

    def expand(self, namespace: str, frontier: Sequence[str], direction: Direction) -> list[CauseEdge]:
        """See MemoryStore."""
        check_namespace(namespace)
        return self._read(lambda session: edges.expand(session, namespace, frontier, direction))

    def edges(self, namespace: str, selection: EdgeSelection, page: PageRequest) -> Page[Edge]:
        """See MemoryStore."""
        check_namespace(namespace)
        return self._read(lambda session: edges.find(session, namespace, selection, page))

    def records(
        self, namespace: str, kind: RecordKind, selection: RecordSelection, page: PageRequest
    ) -> Page[Record]:
        """See MemoryStore."""
        check_namespace(namespace)
        return self._read(lambda session: records.find(session, namespace, kind, selection, page))

    def claim(self, namespace: str, kind: JobKind, owner: str, now: datetime, lease: timedelta) -> Job | None:
        """See MemoryStore."""
        check_namespace(namespace)
        self._check_migrated()
        times = now, now + lease
        return self._server.write(lambda session: jobs.claim(session, namespace, kind, owner, times))

    def state(self, namespace: str) -> NamespaceState:
        """See MemoryStore."""
        check_namespace(namespace)
        return self._read(
            lambda session: ledger.load(session, namespace).state(jobs.count_open(session, namespace))
        )

    def correct(self, held: NamespaceState) -> bool:
        """See MemoryStore."""
        check_namespace(held.namespace)
        if not held.revision:
            return False
        return self._server.write(lambda session: correcting.correct(session, held))

    def namespaces(self, free: FreeJobs | None = None) -> dict[str, int]:
        """See MemoryStore."""
        return self._read(lambda session: jobs.where_free(session, free) if free else ledger.all_of(session))

    def damaged(self, namespace: str, first: int = MOST_DAMAGES) -> tuple[Damage, ...]:
        """See MemoryStore."""
        check_namespace(namespace)
        self._check_migrated()
        return damages.damaged(self._server, namespace, first)

    def close(self) -> None:
        """See MemoryStore."""
        self._returning.end()
        self._server.close()

    def _read(self, work: Callable[[Session], _T]) -> _T:
        self._check_migrated()
        return self._server.read(work)

    def _check_migrated(self) -> None:
        if not self._migrated:
            migrations.check(self._server)
            self._migrated = True
