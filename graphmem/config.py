"""Settings, and the only place that reads the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from graphmem.domain.addresses import check_http
from graphmem.domain.consulting import DAILY_TOKENS, OPENAI_URL, ModelEndpoint
from graphmem.domain.errors import BadInputError
from graphmem.domain.rules import DEFAULT_NAMESPACE, REMIND_PROBABILITY, check_namespace

EMBEDDERS = ("e5-small", "use-multilingual", "both", "hash", "none")
SENTENCE_TRANSFORMERS = "sentence-transformers:"
"""Before the folder or the name of a model that this library loads."""
OPENAI = "openai:"
"""Before the name of a model behind an OpenAI-compatible address."""
DEFAULT_PORT = 8000
SQLITE_PREFIX = "sqlite:///"
SERVER_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
"""Store URLs with one of these name a Neo4j server."""
FROM_SERVER = "NEO4J_URI"
"""Where a store comes from that only that variable names."""

_BOLT_PORT = 7687
_SERVER_USER = "neo4j"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that can be set from outside.

    store: 'sqlite:///absolute/path', or the address of a Neo4j server, which holds no credentials (BadInputError);
    store_from: who named it, 'store' (the caller), a variable, or '' for the default. own_server: whether it is the one
    that `graphmem neo4j start` starts here. neo4j_user: '' = without
    authentication. token: required from callers beyond loopback, '' = none. embed_timeout_s: how long a call waits
    for its vectors before it goes on with words alone. fetch_models: whether the library sentence-transformers may
    download a model. embed_url, embed_key: where 'openai:MODEL' embeds, up to /v1, and with which key, '' = none.
    holdout: share of (session, lineage) pairs from which a lineage is withheld, to measure what
    showing it does, at least 0 and below 1; holdout_seed: what the draws depend on; reminder_share: share of sessions
    with a reminder above which diagnostics warns, in [0, 1];
    generalize: whether a failure is given a general form by rule when it is written. webhook: who is told that a
    pattern became high or came back, '' = nobody; webhook_secret: what such a message is signed with, '' = unsigned.
    remind_from: probability above 0 and at most 1 from which a past failure is a warning.
    """

    store: str
    store_from: str = ""
    own_server: bool = False
    neo4j_user: str = ""
    neo4j_password: str = ""
    neo4j_database: str = "neo4j"
    namespace: str = DEFAULT_NAMESPACE
    embedder: str = "e5-small"
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    token: str = ""
    introspection: bool = True
    request_timeout_s: float = 30.0
    embed_timeout_s: float = 2.0
    language: str = "en"
    cache_dir: str = ""
    fetch_models: bool = False
    embed_url: str = OPENAI_URL
    embed_key: str = ""
    holdout: float = 0.0
    holdout_seed: str = "graphmem"
    reminder_share: float = 0.5
    generalize: bool = False
    webhook: str = ""
    webhook_secret: str = ""
    remind_from: float = REMIND_PROBABILITY

    def __post_init__(self) -> None:
        _refuse_credentials(self.store, "store")
        check_http(self.embed_url, "GRAPHMEM_EMBED_URL", f"e.g. {OPENAI_URL} or http://127.0.0.1:11434/v1")
        if self.webhook:
            check_http(self.webhook, "GRAPHMEM_WEBHOOK", "e.g. https://hooks.example.org/graphmem")
        if not 0 <= self.holdout < 1:
            raise BadInputError(
                "must be at least 0 and below 1", field="holdout", remedy="e.g. 0.2, or 0 for none"
            )
        if not 0 < self.remind_from <= 1:
            raise BadInputError("must be above 0 and at most 1", field="remind_from", remedy="e.g. 0.3")

    def __repr__(self) -> str:
        return f"Settings(store={self.store!r}, namespace={self.namespace!r}, embedder={self.embedder!r})"


def from_environment(environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
    """Settings from GRAPHMEM_* and NEO4J_* variables and what is given (given wins; None and '' mean not given).

    The store: the one given, GRAPHMEM_STORE, NEO4J_URI, or the default. For the server that `graphmem neo4j start`
    started here the kept password is found, unless NEO4J_PASSWORD is set. Raises BadInputError naming the variable.
    """
    variables = os.environ if environment is None else environment
    given = {name: value for name, value in given.items() if value not in (None, "")}
    store, store_from = _store(variables, given.pop("store", ""))
    user, password = _server_login(variables, store)
    settings = Settings(
        store=store,
        store_from=store_from,
        own_server=bool(_own_server(variables, store)),
        neo4j_user=user,
        neo4j_password=password,
        neo4j_database=variables.get("NEO4J_DATABASE") or "neo4j",
        namespace=variables.get("GRAPHMEM_NAMESPACE") or DEFAULT_NAMESPACE,
        embedder=variables.get("GRAPHMEM_EMBEDDER") or "e5-small",
        host=variables.get("GRAPHMEM_HOST") or "127.0.0.1",
        port=_number("GRAPHMEM_PORT", variables.get("GRAPHMEM_PORT") or str(DEFAULT_PORT)),
        token=variables.get("GRAPHMEM_TOKEN", ""),
        introspection=variables.get("GRAPHMEM_INTROSPECTION", "1") != "0",
        language="zh" if variables.get("LANG", "").lower().startswith("zh") else "en",
        cache_dir=str(_cache_dir(variables)),
        fetch_models=variables.get("GRAPHMEM_FETCH_MODELS", "0") == "1",
        embed_url=variables.get("GRAPHMEM_EMBED_URL") or OPENAI_URL,
        embed_key=variables.get("GRAPHMEM_EMBED_KEY", ""),
        holdout=_share("GRAPHMEM_HOLDOUT", variables.get("GRAPHMEM_HOLDOUT") or "0"),
        holdout_seed=variables.get("GRAPHMEM_HOLDOUT_SEED") or "graphmem",
        reminder_share=_share("GRAPHMEM_REMINDER_SHARE", variables.get("GRAPHMEM_REMINDER_SHARE") or "0.5"),
        generalize=variables.get("GRAPHMEM_GENERALIZE", "0") == "1",
        webhook=variables.get("GRAPHMEM_WEBHOOK", ""),
        webhook_secret=variables.get("GRAPHMEM_WEBHOOK_SECRET", ""),
        remind_from=_probability("GRAPHMEM_REMIND_FROM", variables.get("GRAPHMEM_REMIND_FROM")),
    )
    settings = replace(settings, **given)
    check_namespace(settings.namespace)
    if settings.embedder not in EMBEDDERS and not settings.embedder.startswith(
        (SENTENCE_TRANSFORMERS, OPENAI)
    ):
        choice = f"one of {', '.join(EMBEDDERS)}, {SENTENCE_TRANSFORMERS}MODEL, {OPENAI}MODEL"
        raise BadInputError(f"{settings.embedder!r} is no embedder", field="embedder", remedy=choice)
    return settings


def default_store(variables: Mapping[str, str]) -> str:
    """The SQLite file in the user's data folder."""
    return f"{SQLITE_PREFIX}{data_dir(variables) / 'memory.db'}"


def notebook_store(environment: Mapping[str, str] | None = None) -> str:
    """The store that notebooks work on: GRAPHMEM_URL; '' = a demo of their own."""
    variables = os.environ if environment is None else environment
    return variables.get("GRAPHMEM_URL", "")


def model_endpoint(environment: Mapping[str, str] | None = None) -> ModelEndpoint:
    """The language model of GRAPHMEM_LLM and its _URL, _KEY and _TOKENS. Raises BadInputError naming the variable."""
    variables = os.environ if environment is None else environment
    return ModelEndpoint(
        model=variables.get("GRAPHMEM_LLM", ""),
        url=variables.get("GRAPHMEM_LLM_URL") or OPENAI_URL,
        key=variables.get("GRAPHMEM_LLM_KEY", ""),
        tokens=_number("GRAPHMEM_LLM_TOKENS", variables.get("GRAPHMEM_LLM_TOKENS") or str(DAILY_TOKENS)),
    )


def process_environment() -> dict[str, str]:
    """A copy of the whole environment, for what other programs are started with."""
    return dict(os.environ)


def data_dir(variables: Mapping[str, str]) -> Path:
    """Where the user's data lie, stores and fetched programs."""
    return Path(variables.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "graphmem"


def config_dir(variables: Mapping[str, str]) -> Path:
    """Where the user's settings lie, generated passwords among them."""
    return Path(variables.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "graphmem"


def server_home(variables: Mapping[str, str]) -> Path:
    """The data folder of the user's own Neo4j server."""
    return data_dir(variables) / "neo4j" / "data"


def is_server(store: str) -> bool:
    """Whether a store URL is the address of a Neo4j server."""
    scheme, separator, _ = store.partition("://")
    return bool(separator) and scheme in SERVER_SCHEMES


def sqlite_path(store: str) -> Path | None:
    """The file of a SQLite store URL, from every folder the same; None for another store."""
    return Path(store.removeprefix(SQLITE_PREFIX)).absolute() if store.startswith(SQLITE_PREFIX) else None


def full_name(store: str) -> str:
    """A store URL that names the same store from every folder."""
    path = sqlite_path(store)
    return f"{SQLITE_PREFIX}{path}" if path else store


def _store(variables: Mapping[str, str], given: str) -> tuple[str, str]:
    """The store URL and who named it ('' for nobody)."""
    named = (
        ("store", given),
        ("GRAPHMEM_STORE", variables.get("GRAPHMEM_STORE", "")),
        (FROM_SERVER, variables.get(FROM_SERVER, "")),
    )
    for who, store in named:
        if store:
            _refuse_credentials(store, who)
            if who == FROM_SERVER and not is_server(store):
                raise BadInputError(
                    f"{store!r} is no address of a Neo4j server",
                    field=who,
                    remedy="e.g. neo4j://127.0.0.1:7687",
                )
            return store, who
    return default_store(variables), ""


def _refuse_credentials(store: str, field: str) -> None:
    """Refuse a user and password inside an address, without repeating them."""
    if "://" in store and "@" in store and not store.startswith("sqlite:"):
        raise BadInputError(
            "the address holds a user or a password, which would end up in logs",
            field=field,
            remedy="put them into NEO4J_USERNAME and NEO4J_PASSWORD, and keep only scheme, host and port, "
            "e.g. neo4j://127.0.0.1:7687",
        )


def _server_login(variables: Mapping[str, str], store: str) -> tuple[str, str]:
    """User and password for the store; empty for none."""
    user = variables.get("NEO4J_USERNAME") or variables.get("NEO4J_USER") or ""
    password = variables.get("NEO4J_PASSWORD") or ""
    if not password and user in ("", _SERVER_USER):
        password = _kept_password(variables, store)
    return user or (_SERVER_USER if password else ""), password


def _kept_password(variables: Mapping[str, str], store: str) -> str:
    """The generated password of the user's own server, when the store is that server and it was started; else ''."""
    record = _own_server(variables, store)
    try:
        if not record.get("pid") or not record["password_file"]:
            return ""
        return Path(record["password_file"]).read_text(encoding="utf-8").strip()
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _own_server(variables: Mapping[str, str], store: str) -> dict[str, Any]:
    """What is written down of the user's own server, when the store is its address; else nothing.

    It is read from what graphmem.tooling.neo4j writes down (server.json).
    """
    try:
        address = urlsplit(store)
        if address.scheme not in ("neo4j", "bolt") or address.hostname not in ("127.0.0.1", "localhost"):
            return {}
        record = json.loads((server_home(variables) / "server.json").read_text(encoding="utf-8"))
        return dict(record) if record["bolt_port"] == (address.port or _BOLT_PORT) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _cache_dir(variables: Mapping[str, str]) -> Path:
    return Path(variables.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "graphmem"


def _number(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise BadInputError(f"{text!r} is no number", field=name, remedy="e.g. 8000") from error


def _probability(name: str, text: str | None) -> float:
    try:
        probability = float(text) if text else REMIND_PROBABILITY
    except ValueError:
        probability = -1.0
    if not 0 < probability <= 1:
        raise BadInputError(
            f"{text!r} is no probability above 0 and at most 1", field=name, remedy="e.g. 0.3"
        )
    return probability


def _share(name: str, text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise BadInputError(f"{text!r} is no share from 0 to below 1", field=name, remedy="e.g. 0.2")
    return share
