"""A service to ask over GraphQL, in this process: the same HTTP layer that a client meets, without a socket."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from graphmem.config import from_environment
from graphmem.entrypoints.graphql.app import create_app
from graphmem.wiring import build


class Door:
    """Sends GraphQL documents and returns their data."""

    def __init__(self, client: TestClient, namespace: str) -> None:
        self._client = client
        self._headers = {"graphmem-namespace": namespace}

    def ask(self, document: str, **variables: Any) -> dict[str, Any]:
        """The data of the answer. Raises RuntimeError on a refusal."""
        asked = {"query": document, "variables": variables}
        answer = self._client.post("/graphql", json=asked, headers=self._headers).json()
        if answer.get("errors"):
            raise RuntimeError(str(answer["errors"])[:500])
        data: dict[str, Any] = answer["data"]
        return data


@contextmanager
def door(store: str = "", embedder: str = "none", namespace: str = "main") -> Iterator[Door]:
    """A door to a namespace of a store; without a URL of a temporary SQLite file."""
    with tempfile.TemporaryDirectory() as folder:
        url = store or f"sqlite:///{Path(folder) / 'memory.db'}"
        services = build(replace(from_environment(store=url), embedder=embedder, token=""))
        try:
            with TestClient(create_app(services), base_url="http://localhost") as client:
                yield Door(client, namespace)
        finally:
            services.close()
