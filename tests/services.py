"""Services over a temporary SQLite store, with hashed vectors, a stepping clock and counting ids."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.config import Settings
from graphmem.domain.answers import Hit, Recollection, Written
from graphmem.domain.drafts import CauseRef, ExperienceDraft, FactDraft, Question
from graphmem.domain.encoding import decode
from graphmem.domain.errors import GraphmemError, UnavailableError
from graphmem.domain.memories import Result
from graphmem.domain.records import EmbeddingSpace, RecordKind, SpaceParameters
from graphmem.domain.recurrence import Exposure
from graphmem.ports.embedder import Embedder
from graphmem.ports.queries import NamespaceState, PageRequest, RecordSelection
from graphmem.ports.store import MemoryStore
from graphmem.wiring import Services, build
from tests.builders import NS, Clock, Ids

DIMENSION = 64
"""Small vectors: enough to tell words apart, quick to make."""


def services_over(
    store: MemoryStore | Path,
    *,
    embedder: Embedder | None = None,
    words_only: bool = False,
    clock: Clock | None = None,
    seed: int = 0,
    **settings: Any,
) -> Services:
    """Services over a store or a file. Another seed makes other ids, as another process would; settings by name."""
    ids = Ids(1_000 + seed)
    opened = SqliteStore(store) if isinstance(store, Path) else store
    url = f"sqlite:///{store}" if isinstance(store, Path) else "sqlite:///test.db"
    return build(
        Settings(store=url, embedder="none" if words_only else "hash", **settings),
        store=opened,
        embedder=None if words_only else embedder or HashingEmbedder(DIMENSION),
        clock=clock or Clock(),
        new_id=lambda _: ids(),
    )


@contextmanager
def opened(store: MemoryStore | Path, **given: Any) -> Iterator[Services]:
    """services_over(), closed at the end."""
    services = services_over(store, **given)
    try:
        yield services
    finally:
        services.close()


class FlakyEmbedder:
    """A hashing embedder that can be switched off, with the texts that it was asked for.

    broken: what it raises, None = it answers. held: while given and not set, it does not come back.
    """

    def __init__(self, dimension: int = DIMENSION, model: str = "m1") -> None:
        self._inner = HashingEmbedder(dimension)
        self._model = model
        self.broken: Exception | None = None
        self.held: Event | None = None
        self.asked: list[str] = []

    @property
    def space(self) -> EmbeddingSpace:
        """That of the hashing embedder, under another model's name."""
        own = self._inner.space
        return EmbeddingSpace(own.provider, self._model, own.revision, own.dimension, own.pooling)

    @property
    def parameters(self) -> SpaceParameters:
        """Those of the hashing embedder."""
        return SpaceParameters(space=self.space, mu=self._inner.parameters.mu, sd=self._inner.parameters.sd)

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Vectors, unless it is switched off."""
        self.asked.extend(texts)
        if self.held is not None:
            self.held.wait(60)
        if self.broken is not None:
            raise self.broken
        return self._inner.embed(texts)


DOWN = UnavailableError("the model is away")


def remembered(services: Services, statement: str, namespace: str = NS, **fields: Any) -> Written:
    """Write a fact."""
    return services.remember.fact(namespace, FactDraft(statement=statement, **fields))


def recorded(services: Services, action: str, namespace: str = NS, **fields: Any) -> Written:
    """Record an experience, a success unless said otherwise."""
    given: dict[str, Any] = {"result": Result.SUCCESS, "action": action}
    return services.remember.experience(namespace, ExperienceDraft(**(given | fields)))


def failed(services: Services, action: str, namespace: str = NS, **fields: Any) -> Written:
    """Record a failure."""
    return recorded(services, action, namespace, **({"result": Result.FAILURE} | fields))


def because(*causes: Written | str, **fields: Any) -> tuple[CauseRef, ...]:
    """References by id to what was written before."""
    return tuple(
        CauseRef(id=cause if isinstance(cause, str) else cause.memory.id, **fields) for cause in causes
    )


def asked(services: Services, situation: str, namespace: str = NS, **fields: Any) -> Recollection:
    """Ask before acting."""
    return services.recall.ask(namespace, Question(situation=situation, **fields))


def listed(found: Recollection) -> tuple[Hit, ...]:
    """Everything that an answer lists."""
    return (*found.facts, *found.errors, *found.worked, *found.patterns, *found.strategies)


def texts(hits: Sequence[Hit]) -> list[str]:
    """The first text of each hit: the statement or the action."""
    return [hit.memory.text.split("\n")[0] for hit in hits]


def exposures(services: Services, namespace: str = NS) -> list[Exposure]:
    """All exposures, oldest first, what waits written before."""
    services.notebook.flush()
    page = services.store.records(
        namespace, RecordKind.EXPOSURE, RecordSelection(), PageRequest(first=10_000)
    )
    return [decode(Exposure, record.body) for record in page.items if "lineage" in record.body]


def served(services: Services, session_id: str, namespace: str = NS) -> list[list[str]]:
    """The memories that each note on a session names, what waits written before."""
    services.notebook.flush()
    selection = RecordSelection(subject=session_id)
    page = services.store.records(namespace, RecordKind.SERVED, selection, PageRequest(first=10_000))
    return [record.body["memories"] for record in page.items]


def state(services: Services, namespace: str = NS) -> NamespaceState:
    """Where a namespace stands: equal before and after means that nothing was written."""
    return services.store.state(namespace)


def refusal(call: Callable[[], Any], services: Services, namespace: str = NS) -> GraphmemError:
    """The error that a call ends in; that it changed nothing and says what to do is checked here."""
    before = state(services, namespace)
    with pytest.raises(GraphmemError) as caught:
        call()
    assert state(services, namespace) == before
    assert caught.value.remedy
    return caught.value


def refused(services: Services, verb: Callable[..., Any], *given: Any, **named: Any) -> str:
    """Code and field of the refusal that a call ends in."""
    error = refusal(lambda: verb(*given, **named), services)
    return f"{error.code} {error.field}"


def bytes_of(path: Path) -> bytes:
    """All that the store left on the disk, write-ahead log included."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(path.name + "*")))


def by_hand(path: Path, statement: str, *values: Any) -> None:
    """Edit the database behind the store's back."""
    connection = sqlite3.connect(path)
    try:
        connection.execute(statement, values)
        connection.commit()
    finally:
        connection.close()


def lines(exported: Sequence[str]) -> list[Any]:
    """Exported lines as data."""
    return [json.loads(line) for line in exported]


def moment(text: str) -> datetime:
    """An instant as ISO 8601."""
    return datetime.fromisoformat(text)
