"""The demo and the service as commands: where they keep their data and how they say where they are."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.errors import BadInputError
from graphmem.entrypoints.cli import playing, serving
from tests.unit.entrypoints.cli.conftest import Run


def test_the_demo_leaves_nothing_behind(run: Run, tmp_path: Path) -> None:
    assert run("demo").code == 0
    assert run("-n", "demo", "status", "--json").data["revision"] == 0
    assert [file.name for file in tmp_path.iterdir() if "demo" in file.name] == []


def test_the_demo_plays_into_a_store_that_is_named(run: Run, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'kept.db'}"
    assert run("demo", "--store", store).code == 0
    assert run("demo", "--store", store).code == 0
    status = run("status", "--store", store, "-n", "demo", "--json").data
    assert (status["counts"]["FACT"], status["counts"]["FAILURE"]) == (1, 6)
    assert run("demo", "--store", store, "-n", "mine").code == 0
    assert run("status", "--store", store, "-n", "mine", "--json").data["counts"]["FAILURE"] == 6


def test_the_long_demo_does_not_load_a_model(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    build = playing.build

    def noting(settings: Any, **parts: Any) -> Any:
        made.append(settings.embedder)
        return build(settings, **parts)

    monkeypatch.setattr(playing, "build", noting)
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "hash")
    run("demo", "--long")
    run("demo", "--long", "--embedder", "hash")
    assert made == ["none", "hash"]


@pytest.mark.parametrize(
    ("called", "found", "expected"),
    [
        ("/opt/bin/graphmem", "/opt/bin/graphmem", "graphmem"),
        ("/srv/app/.venv/bin/graphmem", None, "/srv/app/.venv/bin/graphmem"),
        ("/srv/my venv/graphmem", "/opt/bin/graphmem", "'/srv/my venv/graphmem'"),
        ("/x/cli/__main__.py", None, f"{sys.executable} -m graphmem.entrypoints.cli"),
    ],
)
def test_the_program_is_named_as_it_can_be_called(
    called: str, found: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [called])
    monkeypatch.setattr(playing, "which", lambda name: found)
    assert playing.program() == expected


def test_serve_says_where_it_listens(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[tuple[str, int]] = []
    monkeypatch.setattr(serving, "run_service", lambda services, host, port: served.append((host, port)))
    assert run("serve").lines == ["Starting http://127.0.0.1:8000/graphql (stop with Ctrl-C)"]
    monkeypatch.setenv("GRAPHMEM_PORT", "9000")
    assert "127.0.0.1:9000" in run("serve").out
    assert "[::1]:8001" in run("serve", "--host", "::1", "--port", "8001").out
    assert served == [("127.0.0.1", 8000), ("127.0.0.1", 9000), ("::1", 8001)]


def test_serve_refuses_what_the_service_refuses(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(services: Any, host: str, port: int) -> None:
        raise BadInputError("no token is set", field="host")

    monkeypatch.setattr(serving, "run_service", refuse)
    ended = run("serve", "--host", "0.0.0.0")
    assert (ended.code, ended.err) == (2, "graphmem: host: no token is set\n")
    assert run("serve", "--port", "70000").code == 2


def test_a_port_that_is_taken_is_unavailable(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(services: Any, host: str, port: int) -> None:
        raise SystemExit(3)

    monkeypatch.setattr(serving, "run_service", stop)
    ended = run("serve")
    assert (ended.code, ended.err[:48]) == (5, "graphmem: port: cannot listen on 127.0.0.1:8000 ")


def test_the_schema_is_printed(run: Run) -> None:
    out = run("schema").out
    assert "type Query {" in out
    assert out.endswith("}\n")


def test_the_learning_demo_loads_no_model_and_leaves_nothing_behind(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "e5-small")
    ended = run("demo", "--learn")
    assert ended.code == 0
    assert ended.lines[0].startswith("An agent makes one mistake five times.")
    assert "   P-1 high, 5" in ended.out
    assert [file.name for file in tmp_path.iterdir() if "demo" in file.name] == []
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert run("demo", "--learn").lines[0].startswith("一个 Agent 把同一个错误犯了五次")
