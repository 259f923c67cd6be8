"""The command line called in this process, on a store of the test's own, words only."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graphmem.entrypoints.cli import make_app

VARIABLES = ("GRAPHMEM_NAMESPACE", "GRAPHMEM_PORT", "GRAPHMEM_HOST", "GRAPHMEM_TOKEN", "NO_COLOR", "LC_ALL")


@dataclass(frozen=True)
class Ended:
    """How a call ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What it printed, read as JSON."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        """What it printed, line by line."""
        return self.out.splitlines()


Run = Callable[..., Ended]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call the program: run("record", "act", "--result", "failure", text="typed on standard input")."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GRAPHMEM_STORE", f"sqlite:///{tmp_path / 'memory.db'}")
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "none")
    monkeypatch.setenv("LANG", "en_US.UTF-8")

    def call(*args: str, text: str | None = None) -> Ended:
        result = CliRunner().invoke(make_app(), list(args), input=text, prog_name="graphmem")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ended(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def fail(run: Run) -> Callable[..., str]:
    """Record a failure and get its ref."""

    def record(action: str, *options: str) -> str:
        ended = run("record", action, "--result", "failure", "--json", *options)
        assert ended.code == 0, ended.err
        return str(ended.data["memory"]["ref"])

    return record
