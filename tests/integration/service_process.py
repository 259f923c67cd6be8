"""A process with services of its own over a store, told what to do line by line, for the tests that need several.

    python -m tests.integration.service_process STORE NAMESPACE

STORE is the path of a SQLite file or the address of a Neo4j server. A line of its input is a JSON list of a verb and
what it takes; a line of its output is the answer.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from graphmem.config import Settings
from graphmem.domain.drafts import CauseRef
from graphmem.domain.errors import GraphmemError
from graphmem.wiring import Services, build
from tests.contract.reading import at_once
from tests.integration.writers import open_store
from tests.services import asked, failed, remembered, texts

ROOT = Path(__file__).parents[2]


def services_at(place: str) -> Services:
    """Services over the store at a path or an address, with the patience that a busy machine asks for."""
    return build(Settings(store=place, embedder="hash"), store=open_store(place))


def remember(services: Services, namespace: str, statement: str) -> int:
    """Write a fact; the revision of its receipt."""
    return remembered(services, statement, namespace).revision


def ask(services: Services, namespace: str, situation: str, min_revision: int) -> list[str]:
    """The facts that an answer lists."""
    return texts(asked(services, situation, namespace, min_revision=min_revision).facts)


def capture(services: Services, namespace: str, name: str, times: int) -> list[int]:
    """So many failures of the cause F-1 at once, a thread each; their revisions."""

    def one(number: int) -> int:
        told = failed(services, f"{name} {number}", namespace, caused_by=(CauseRef(id="F-1"),))
        return told.revision

    return at_once(one, times, threads=times)


VERBS: Mapping[str, Callable[..., Any]] = {"remember": remember, "ask": ask, "capture": capture}


class ServiceProcess:
    """The other end: tells a process what to do. send() does not wait, told() does."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def send(self, verb: str, *given: Any) -> None:
        """Tell it."""
        assert self._process.stdin is not None
        print(json.dumps([verb, *given]), file=self._process.stdin, flush=True)

    def told(self) -> Any:
        """The answer to the line before; a refusal is its code."""
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def do(self, verb: str, *given: Any) -> Any:
        """Tell it and wait for the answer."""
        self.send(verb, *given)
        return self.told()


@contextmanager
def service_process(place: str, namespace: str) -> Iterator[ServiceProcess]:
    """A process with services of its own; it ends when it is told no more."""
    command = [sys.executable, "-m", "tests.integration.service_process", place, namespace]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield ServiceProcess(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


def main(arguments: Sequence[str]) -> None:
    """Do what the lines of the input say."""
    place, namespace = arguments
    with closing(services_at(place)) as services:
        for line in sys.stdin:
            verb, *given = json.loads(line)
            try:
                answer = VERBS[verb](services, namespace, *given)
            except GraphmemError as refusal:
                answer = refusal.code
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
