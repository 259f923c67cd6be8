"""Asks a server over HTTP, so that no driver is needed here. Loopback only."""

from __future__ import annotations

import base64
import http.client
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from graphmem.domain.errors import UnavailableError
from graphmem.tooling.neo4j.records import RunningServer

LOOPBACK = "127.0.0.1"
PATIENCE_S = 30.0
"""As long as the server lets a statement run."""


def post(
    port: int, login: tuple[str, str], question: Mapping[str, Any], patience_s: float
) -> tuple[int, bytes]:
    """Status and body of the answer to {statement, parameters}. login: user and password, '' = none.

    Raises OSError or HTTPException when there is no answer.
    """
    user, password = login
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if password:
        headers["Authorization"] = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=patience_s)
    try:
        connection.request("POST", "/db/neo4j/query/v2", body=json.dumps(question), headers=headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def rows(server: RunningServer, statement: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a statement answers, a mapping from column to value a row; times are texts.

    Raises UnavailableError when the server does not answer it.
    """
    port = urlsplit(server.http_uri).port or 0
    question = {"statement": statement, "parameters": dict(parameters)}
    try:
        status, body = post(port, (server.user, server.password), question, PATIENCE_S)
        if status in {401, 403}:
            raise UnavailableError("the server does not take the kept password", field="neo4j")
        answer = json.loads(body)
        data = answer["data"]
        return [dict(zip(data["fields"], values, strict=True)) for values in data["values"]]
    except (OSError, http.client.HTTPException) as error:
        raise UnavailableError(
            f"the server does not answer: {error}", field="neo4j", remedy="graphmem neo4j status"
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        said = body.decode("utf-8", errors="replace")[:300]
        raise UnavailableError(f"the database does not answer: {said}", field="neo4j") from error
