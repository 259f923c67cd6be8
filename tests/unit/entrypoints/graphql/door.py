"""A client that asks the GraphQL door as any other would: over HTTP, in JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.testclient import TestClient

from graphmem.config import Settings
from graphmem.entrypoints.graphql.app import create_app
from graphmem.ports.store import MemoryStore
from graphmem.queries import graphql_operation
from graphmem.wiring import Services, build
from tests.builders import Clock, Ids

PROBLEM = "... on Problem { code message field remedy }"


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    data: Any
    errors: list[dict[str, Any]]
    headers: Any

    @property
    def code(self) -> str:
        """The code of the only error."""
        (error,) = self.errors
        return str(error["extensions"]["code"])

    @property
    def field(self) -> str:
        """The field that the only error is about."""
        (error,) = self.errors
        return str(error["extensions"]["field"])


class Door:
    """Asks in one namespace, the default one unless told otherwise."""

    def __init__(self, services: Services, client: TestClient) -> None:
        self.services = services
        self.client = client

    def send(self, body: bytes, **headers: str) -> Answer:
        """Post raw bytes; underscores in header names stand for hyphens."""
        sent = {"content-type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()}
        answer = self.client.post("/graphql", content=body, headers=sent)
        assert answer.headers["content-type"] == "application/json"
        found = answer.json()
        return Answer(answer.status_code, found["data"], found.get("errors", []), answer.headers)

    def ask(self, document: str, namespace: str | None = None, **variables: Any) -> Answer:
        """Post a document with variables."""
        headers = {} if namespace is None else {"graphmem_namespace": quote(namespace, safe="")}
        return self.send(json.dumps({"query": document, "variables": variables}).encode(), **headers)

    def get(self, document: str, namespace: str | None = None, **variables: Any) -> Any:
        """The one root field of a document that must be answered without errors."""
        answer = self.ask(document, namespace, **variables)
        assert (answer.status, answer.errors) == (200, []), answer
        (value,) = answer.data.values()
        return value

    def run(self, name: str, namespace: str | None = None, **variables: Any) -> Any:
        """The root field of a saved operation."""
        return self.get(graphql_operation(name), namespace, **variables)

    def fact(self, statement: str, namespace: str | None = None, **fields: Any) -> dict[str, Any]:
        """Remember a fact."""
        return self.written("remember_fact", "Fact", namespace, statement=statement, **fields)

    def experience(self, action: str, namespace: str | None = None, **fields: Any) -> dict[str, Any]:
        """Record an experience, a failure unless said otherwise."""
        given = {"action": action, "result": "FAILURE"} | fields
        return self.written("record_experience", "Experience", namespace, **given)

    def written(self, name: str, kind: str, namespace: str | None = None, **fields: Any) -> dict[str, Any]:
        """What a saved mutation wrote."""
        found: dict[str, Any] = self.run(name, namespace, input=fields)
        assert found["__typename"] == kind, found
        return found

    def problem(self, name: str, **fields: Any) -> tuple[str, str]:
        """Kind and field of the problem that a saved mutation answers; it must say what to do."""
        found = self.run(name, input=fields)
        assert found["message"], found
        assert found["remedy"], found
        return found["__typename"], found["field"]


@contextmanager
def opened(
    place: Path, *, store: MemoryStore | None = None, clock: Any = None, **settings: Any
) -> Iterator[Door]:
    """The door over services on a SQLite file (or a given store), with hashed vectors."""
    ids = Ids()
    given: dict[str, Any] = {"store": f"sqlite:///{place / 'memory.db'}", "embedder": "hash"} | settings
    services = build(Settings(**given), store=store, clock=clock or Clock(), new_id=lambda _: ids())
    try:
        with TestClient(create_app(services), base_url="http://127.0.0.1:8000") as client:
            yield Door(services, client)
    finally:
        services.close()
