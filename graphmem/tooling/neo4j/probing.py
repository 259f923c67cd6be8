"""Whether a server answers, and which ports are free. Loopback only."""

from __future__ import annotations

import http.client
import secrets
import socket
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum

from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.tooling.neo4j.asking import LOOPBACK, post

_HELLO = bytes.fromhex(
    "6060b017" + "00040405" + "00000004" * 3
)  # Bolt's magic, then the versions we would speak
_ANSWER_S = 5.0
_FIRST_STATEMENT_S = 20.0  # 3 to 7 s were seen on two busy cores
_OWN_PORTS = range(20_000, 32_000)  # below what systems give to outgoing connections
_TRIES = 200


class Answer(Enum):
    """How a server answers."""

    NONE = "none"
    REFUSED = "refused"  # it answers, but the password is wrong
    READY = "ready"


@dataclass(frozen=True)
class Reply:
    """An answer, and what the server said when it is none."""

    answer: Answer
    said: str = ""


def ask(bolt_port: int, http_port: int, user: str, password: str) -> Reply:
    """Whether Bolt shakes hands and the database answers a statement (over HTTP: no driver is needed here)."""
    if not shakes_hands(bolt_port):
        return Reply(Answer.NONE, "Bolt does not answer")
    try:
        status, body = post(http_port, (user, password), {"statement": "RETURN 1"}, _FIRST_STATEMENT_S)
    except (OSError, http.client.HTTPException) as error:
        return Reply(Answer.NONE, f"Bolt answers, HTTP does not: {error}")
    if status in {401, 403}:
        return Reply(Answer.REFUSED)
    if 200 <= status < 300:
        return Reply(Answer.READY)
    return Reply(Answer.NONE, f"the database does not answer: {body.decode('utf-8', errors='replace')[:300]}")


def shakes_hands(port: int) -> bool:
    """Whether a Bolt server answers at a port and agrees on a version."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=_ANSWER_S) as connection:
            connection.sendall(_HELLO)
            agreed = connection.recv(4)
    except OSError:
        return False
    return len(agreed) == 4 and any(agreed) and agreed != _HELLO[:4]


def is_free(port: int) -> bool:
    """Whether a server could listen there now."""
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def choose_ports(wanted: Sequence[int], remembered: Sequence[int]) -> tuple[int, int]:
    """Bolt's and HTTP's port: the wanted one, else (0) the remembered one if it is free, else a free one.

    Raises BadInputError when a wanted port is taken: the caller said which, so no other is chosen silently;
    UnavailableError when none is free.
    """
    if wanted[0] and wanted[0] == wanted[1]:
        raise BadInputError(
            f"port {wanted[0]} is named for Bolt and for HTTP", field="http_port", remedy="use two"
        )
    for name, port in zip(("bolt_port", "http_port"), wanted, strict=True):
        if port and not is_free(port):
            raise BadInputError(f"port {port} is in use", field=name, remedy="name another one, or none")
    chosen: list[int] = []
    for asked, before in zip(wanted, remembered, strict=True):
        kept = before if before and before not in wanted and is_free(before) else 0
        chosen.append(asked or kept or _free_port(avoid={*wanted, *remembered, *chosen}))
    return chosen[0], chosen[1]


def _free_port(avoid: Collection[int]) -> int:
    """A free port that no outgoing connection is given by the system: it is to stay free over restarts."""
    for _ in range(_TRIES):
        port = secrets.choice(_OWN_PORTS)
        if port not in avoid and is_free(port):
            return port
    raise UnavailableError("no free port was found", field="port", remedy="name one that is free")
