"""docs/cli.md is true: its commands run as they stand, in its order, and it names every command and exit code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from graphmem.config import EMBEDDERS
from graphmem.entrypoints import cli
from graphmem.entrypoints.cli import agents, calling, serving
from tests.unit.entrypoints.cli.conftest import Run

PAGE = (Path(__file__).parents[4] / "docs" / "cli.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [shlex.split(line, comments=True) for block in BLOCKS for line in block.splitlines()]


def test_every_documented_command_works(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(serving, "run_service", lambda services, host, port: None)
    monkeypatch.setattr(agents, "serve", lambda services: None)
    for program, *words in COMMANDS:
        assert program == "graphmem"
        if "$EXPOSURE" in words:
            told = run("recall", "clean the rows: rows = []", "--session-id", "run-7", "--json").data
            words = [told["reminders"][0]["exposure_id"] if word == "$EXPOSURE" else word for word in words]
        if "$WORK" in words:
            pattern = run("show", "P-1", "--json").data["id"]
            words = [f"{pattern}:generalize" if word == "$WORK" else word for word in words]
        ended = run(*words, text="y\n")
        assert (words, ended.code, "graphmem:" in ended.err) == (words, 0, False)


def test_every_command_is_documented() -> None:
    named = {words[1] for words in COMMANDS}
    assert named == set(cli.COMMANDS)


def test_every_exit_code_is_documented() -> None:
    listed = {int(code) for code in re.findall(r"^\| (\d) \|", PAGE, re.MULTILINE)}
    assert listed == {0, 1, *calling.EXIT_CODES.values()}


def test_the_embedders_are_documented() -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("| `--embedder"))
    assert all(f"`{name}`" in row for name in EMBEDDERS)
