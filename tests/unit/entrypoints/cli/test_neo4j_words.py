"""The texts of `graphmem neo4j`: its help lists and describes everything, in both languages."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from graphmem.entrypoints.cli import neo4j, neo4j_place
from graphmem.entrypoints.cli.words import known
from graphmem.tooling.neo4j import State
from tests.unit.entrypoints.cli.conftest import Run
from tests.unit.entrypoints.cli.pretended_neo4j import pretend, user_folders

SOURCES = [Path(str(module.__file__)) for module in (neo4j, neo4j_place)]


def test_the_commands_are_listed_with_their_short_help(run: Run) -> None:
    lines = run("neo4j", "--help").lines
    listed = [line.split()[0] for line in lines[lines.index("Commands:") + 1 :]]
    assert listed == list(neo4j.COMMANDS)
    ended = run("neo4j")
    assert "Commands:" in ended.out + ended.err


@pytest.mark.parametrize("name", neo4j.COMMANDS)
def test_every_command_and_option_is_described(run: Run, name: str) -> None:
    options = neo4j.COMMANDS[name][1]
    hints = get_type_hints(options, include_extras=True)
    helps = [get_args(hints[item.name])[1].help for item in fields(options)]
    keys = (*helps, f"short.neo4j_{name}", f"command.neo4j_{name}")
    assert [key for key in keys if not known(key)] == []
    ended = run("neo4j", name, "--help")
    assert (ended.code, f"Usage: graphmem neo4j {name}" in ended.out) == (0, True)


def test_every_text_that_code_puts_together_exists() -> None:
    named = {key for file in SOURCES for key in re.findall(r'"(neo4j\.[a-z_]+)"', file.read_text("utf-8"))}
    built = {"neo4j.killed", "neo4j.stopped", "neo4j.not_running"}
    keys = named | built | {f"server.{state.name}" for state in State}
    assert len(named) > 15
    assert {key for key in keys if not known(key)} == set()


def test_chinese_callers_read_chinese(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pretend(monkeypatch, user_folders(monkeypatch, tmp_path))
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert run("neo4j", "start").lines[0] == "Neo4j 5.26.29 已启动（进程 77）"
    assert run("neo4j", "status").lines[0].startswith("状态")
    assert "命令:" in run("neo4j", "--help").lines
