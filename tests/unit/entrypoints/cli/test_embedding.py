"""reembed: another embedder for a namespace."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graphmem.entrypoints.cli import embedding, progress
from tests.unit.entrypoints.cli.conftest import Run


@pytest.fixture
def written(run: Run, fail: Callable[..., str]) -> None:
    """A namespace that knows words only."""
    run("remember", "the disk is full")
    fail("copy the disk")


def test_reembed_says_what_it_did(run: Run, written: None) -> None:
    assert run("status", "--embedder", "hash", "--json").data["without_vectors"] == 2
    ended = run("reembed", "--embedder", "hash")
    assert ended.lines == ["main: 2 memories have vectors of hash:signed-features"]
    status = run("status", "--embedder", "hash", "--json").data
    assert (status["mode"], status["without_vectors"]) == ("HYBRID", 0)
    assert run("reembed", "--embedder", "hash").lines == ["main: all is of hash:signed-features already"]


def test_reembed_prints_data(run: Run, written: None) -> None:
    ended = run("reembed", "--embedder", "hash", "--json")
    assert ended.data == {"namespace": "main", "space": "hash:signed-features", "memories": 2}


def test_reembed_wants_an_embedder(run: Run, written: None) -> None:
    ended = run("reembed")
    assert (ended.code, "embedder: none is chosen" in ended.err) == (2, True)


def test_reembed_names_a_namespace_that_is_not_there(run: Run, written: None) -> None:
    ended = run("reembed", "-n", "other", "--embedder", "hash")
    assert (ended.code, "no namespace 'other'" in ended.err) == (3, True)


def test_its_progress_is_shown(run: Run, written: None, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(progress, "show", shown.append)
    run("reembed", "--embedder", "hash")
    assert shown == ["main: 2 of 2 memories", ""]
    embedding._tell(embedding.ReembedProgress(namespace="main", waiting=True))
    assert "waiting for a call" in shown[-1]
