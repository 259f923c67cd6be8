"""Opens what the settings name; the only file that names concrete adapters."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from graphmem.adapters.embedders.both import Both
from graphmem.adapters.embedders.e5_small import E5Small
from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.adapters.embedders.sentence_encoder import SentenceEncoder
from graphmem.adapters.embedders.use_multilingual import UseMultilingual
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.adapters.webhook import Webhook
from graphmem.analysis.tokens import language_of
from graphmem.config import OPENAI, SENTENCE_TRANSFORMERS, SQLITE_PREFIX, Settings, is_server
from graphmem.domain.errors import BadInputError, GraphmemError, UnavailableError
from graphmem.domain.notices import Notice
from graphmem.ports.embedder import Embedder
from graphmem.ports.store import MemoryStore

NEO4J_STORE = "graphmem.adapters.neo4j.store"
"""Loaded when a server is the store: its driver costs 0.2 s of CPU."""
ENDPOINT = "graphmem.adapters.embedders.openai_endpoint"
"""Loaded when it is chosen: its SDK is an extra, and costs a second of CPU."""
START_IT = "start it with 'graphmem neo4j start', then retry with the same key"
"""What to do when the server that runs here is away."""
_EMBEDDERS: dict[str, Callable[[], Embedder | None]] = {
    "e5-small": E5Small,
    "use-multilingual": UseMultilingual,
    "both": lambda: Both(language_of),
    "hash": HashingEmbedder,
    "none": lambda: None,
}


_log = logging.getLogger(__name__)


def open_embedder(settings: Settings) -> Embedder | None:
    """The embedder that the settings name, not loaded yet; None for words only.

    Raises BadInputError for a model without a name, UnavailableError when the SDK of 'openai:MODEL' is not installed.
    """
    name = settings.embedder
    if name.startswith(SENTENCE_TRANSFORMERS):
        return SentenceEncoder(name.removeprefix(SENTENCE_TRANSFORMERS), fetch=settings.fetch_models)
    if name.startswith(OPENAI):
        return _endpoint(name.removeprefix(OPENAI), settings)
    return _EMBEDDERS[name]()


def open_store(settings: Settings) -> MemoryStore:
    """The store that the settings name, not asked yet; a file that was named and is new is logged, since the name may
    be mistyped. Raises BadInputError for an unknown scheme.
    """
    url = settings.store
    if is_server(url):
        given = {"when_away": START_IT} if settings.own_server else {}
        store: MemoryStore = import_module(NEO4J_STORE).Neo4jStore(
            url,
            user=settings.neo4j_user or None,
            password=settings.neo4j_password or None,
            database=settings.neo4j_database,
            **given,
        )
        return store
    if not url.startswith(SQLITE_PREFIX) or len(url) == len(SQLITE_PREFIX):
        raise BadInputError(
            f"{url!r} is no store", field="store", remedy="e.g. sqlite:///memory.db or neo4j://127.0.0.1:7687"
        )
    path = Path(url.removeprefix(SQLITE_PREFIX))
    is_new = bool(settings.store_from) and not path.exists()
    store = SqliteStore(path)
    if is_new:
        _log.info("%s named no store yet: a new, empty one was made", path.absolute())
    return store


def open_target(settings: Settings) -> MemoryStore:
    """The store that the settings name, brought up to date, to be closed by the caller; closed when it is of no use."""
    store = open_store(settings)
    try:
        store.migrate()
    except GraphmemError:
        store.close()
        raise
    return store


def open_webhook(settings: Settings) -> Callable[[Notice], None] | None:
    """What tells the webhook that the settings name; None where nobody is to be told."""
    return Webhook(settings.webhook, settings.webhook_secret) if settings.webhook else None


def _endpoint(model: str, settings: Settings) -> Embedder:
    try:
        adapter = import_module(ENDPOINT)
    except ModuleNotFoundError as error:
        if error.name != "openai":
            raise
        raise UnavailableError(
            "the openai SDK is not installed", field="embedder", remedy="pip install 'graphmem[llm]'"
        ) from error
    embedder: Embedder = adapter.OpenAIEndpoint(
        model,
        settings.embed_url,
        settings.embed_key,
        timeout_s=settings.embed_timeout_s,
        known=settings.cache_dir,
    )
    return embedder
