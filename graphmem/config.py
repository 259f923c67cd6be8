"""Settings, and the only place that reads the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from graphmem.domain.errors import BadInputError
from graphmem.domain.rules import DEFAULT_NAMESPACE, check_namespace

EMBEDDERS = ("e5-small", "use-multilingual", "hash", "none")
DEFAULT_PORT = 8000


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that can be set from outside.

    store: 'sqlite:///absolute/path'. token: required from callers beyond loopback, '' = none. embed_timeout_s:
    how long a call waits for its vectors before it goes on with words alone.
    """

    store: str
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

    def __repr__(self) -> str:
        return f"Settings(store={self.store!r}, namespace={self.namespace!r}, embedder={self.embedder!r})"


def from_environment(environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
    """Settings from GRAPHMEM_* variables and what is given (given wins; None and '' mean not given).

    Raises BadInputError naming the variable.
    """
    variables = os.environ if environment is None else environment
    settings = Settings(
        store=variables.get("GRAPHMEM_STORE") or default_store(variables),
        namespace=variables.get("GRAPHMEM_NAMESPACE") or DEFAULT_NAMESPACE,
        embedder=variables.get("GRAPHMEM_EMBEDDER") or "e5-small",
        host=variables.get("GRAPHMEM_HOST") or "127.0.0.1",
        port=_number("GRAPHMEM_PORT", variables.get("GRAPHMEM_PORT") or str(DEFAULT_PORT)),
        token=variables.get("GRAPHMEM_TOKEN", ""),
        introspection=variables.get("GRAPHMEM_INTROSPECTION", "1") != "0",
        language="zh" if variables.get("LANG", "").lower().startswith("zh") else "en",
        cache_dir=str(_cache_dir(variables)),
    )
    settings = replace(settings, **{name: value for name, value in given.items() if value not in (None, "")})
    check_namespace(settings.namespace)
    if settings.embedder not in EMBEDDERS:
        raise BadInputError(
            f"{settings.embedder!r} is no embedder", field="embedder", remedy="one of " + ", ".join(EMBEDDERS)
        )
    return settings


def default_store(variables: Mapping[str, str]) -> str:
    """The SQLite file in the user's data folder."""
    home = variables.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return f"sqlite:///{Path(home) / 'graphmem' / 'memory.db'}"


def _cache_dir(variables: Mapping[str, str]) -> Path:
    return Path(variables.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "graphmem"


def _number(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise BadInputError(f"{text!r} is no number", field=name, remedy="e.g. 8000") from error
