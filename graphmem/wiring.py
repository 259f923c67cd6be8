"""Puts the services together; the only file that names concrete adapters."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from graphmem.adapters.embedders.e5_small import E5Small
from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.adapters.embedders.use_multilingual import UseMultilingual
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.config import Settings
from graphmem.domain.errors import BadInputError
from graphmem.domain.identifiers import uuid7
from graphmem.index.index_set import IndexSet
from graphmem.ports.embedder import Embedder
from graphmem.ports.store import MemoryStore
from graphmem.services.brief import BriefTask
from graphmem.services.browse import Browse
from graphmem.services.embedding import Embedding
from graphmem.services.explain import Explain
from graphmem.services.forget import Forget
from graphmem.services.furnish import Furnish
from graphmem.services.inspect import Inspect
from graphmem.services.intake import Clock, NewId
from graphmem.services.link import Link
from graphmem.services.maintain import Maintain
from graphmem.services.recall import Recall
from graphmem.services.remember import Remember
from graphmem.services.revise import Revise
from graphmem.services.spaces import Spaces
from graphmem.services.transfer import Transfer

SQLITE_PREFIX = "sqlite:///"
_EMBEDDERS: dict[str, Callable[[], Embedder | None]] = {
    "e5-small": E5Small,
    "use-multilingual": UseMultilingual,
    "hash": HashingEmbedder,
    "none": lambda: None,
}


@dataclass(frozen=True)
class Services:
    """Every verb of the memory over one store. Close it when done."""

    settings: Settings
    store: MemoryStore
    embedding: Embedding
    remember: Remember
    recall: Recall
    brief: BriefTask
    explain: Explain
    link: Link
    revise: Revise
    forget: Forget
    browse: Browse
    transfer: Transfer
    inspect: Inspect
    maintain: Maintain

    def close(self) -> None:
        """Release the store and the embedder."""
        self.embedding.close()
        self.store.close()


def build(
    settings: Settings,
    *,
    store: MemoryStore | None = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
    new_id: NewId | None = None,
) -> Services:
    """Services over the store and embedder that the settings name, or over what is given instead.

    Raises BadInputError for a store URL that is none, UnavailableError when the store cannot be opened.
    """
    store = store or open_store(settings.store)
    store.migrate()
    embedding = Embedding(embedder or _EMBEDDERS[settings.embedder](), settings.embed_timeout_s)
    clock = clock or _now
    new_id = new_id or _new_id
    spaces = Spaces(store, embedding.parameters)
    indexes = IndexSet(store, spaces.of)
    furnish = Furnish(spaces, embedding, new_id)
    recall = Recall(store, indexes, embedding, clock)
    return Services(
        settings=settings,
        store=store,
        embedding=embedding,
        remember=Remember(store, furnish, clock, new_id),
        recall=recall,
        brief=BriefTask(store, indexes, recall),
        explain=Explain(store, indexes),
        link=Link(store, clock, new_id),
        revise=Revise(store, furnish, clock),
        forget=Forget(store, clock),
        browse=Browse(store),
        transfer=Transfer(store, furnish, clock, new_id),
        inspect=Inspect(store, settings.store, indexes, spaces, embedding),
        maintain=Maintain(store, spaces, embedding, clock, owner=secrets.token_hex(8)),
    )


def open_store(url: str) -> MemoryStore:
    """The store that a URL names. Raises BadInputError for an unknown scheme."""
    if not url.startswith(SQLITE_PREFIX) or len(url) == len(SQLITE_PREFIX):
        raise BadInputError(f"{url!r} is no store", field="store", remedy="e.g. sqlite:///memory.db")
    return SqliteStore(Path(url.removeprefix(SQLITE_PREFIX)))


def _now() -> datetime:
    return datetime.now(UTC)


def _new_id(at: datetime) -> str:
    return uuid7(at, secrets.randbits(74))
