"""Which memory a notebook gets: a demo, the demo on another store, or your own, which stays as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import graphmem
from graphmem.domain.errors import BadInputError, ConflictError, NotFoundError
from graphmem.entrypoints.lab import scenes
from graphmem.tooling.chains import Planted, class_driven

SHORT = class_driven(12, seed=2)


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which nobody set anything, and a demo that is quickly planted."""
    for name in [name for name in os.environ if name.startswith(("GRAPHMEM_", "NEO4J_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(scenes, "HISTORIES", {"habits": lambda: SHORT})


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store of one's own with two failures, one of which caused the other."""
    url = f"sqlite:///{tmp_path / 'own.db'}"
    with graphmem.open(url, embedder="none") as memory:
        cause = memory.record("read the file", "FAILURE", error_type="OSError").memory
        effect = memory.record("load the prices", "FAILURE", error_type="ValueError").memory
        memory.link(effect.ref, cause.ref)
        memory.record("wait", "FAILURE")
    monkeypatch.setenv("GRAPHMEM_URL", url)
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "none")
    return url


@pytest.fixture
def opened() -> Iterator[list[scenes.Scene]]:
    """Scenes to be closed."""
    found: list[scenes.Scene] = []
    yield found
    for one in found:
        one.memory.close()


def test_without_settings_it_is_a_demo_in_a_file_of_its_own(opened: list[scenes.Scene]) -> None:
    opened += [scenes.scene("habits"), scenes.scene("habits")]
    first, second = (one.memory for one in opened)
    assert opened[0].demo
    assert opened[0].truth == SHORT
    assert len(first.frame("experiences")) == len(SHORT.memories)
    assert first.services.settings.store != second.services.settings.store


def test_nothing_of_it_is_left_when_the_process_ends(tmp_path: Path) -> None:
    code = "from graphmem.entrypoints.lab import scenes; print(scenes.blank().memory.services.settings.store)"
    told = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(tmp_path) in told.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_named_server_of_the_environment_is_not_touched(
    monkeypatch: pytest.MonkeyPatch, opened: list[scenes.Scene]
) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    monkeypatch.setenv("GRAPHMEM_NAMESPACE", "mine")
    opened.append(scenes.scene("habits"))
    assert opened[0].memory.services.settings.store.startswith("sqlite:///")
    assert opened[0].memory.namespace.startswith(scenes.DEMO)


def test_your_own_memory_is_read_and_nothing_is_put_into_it(own: str, opened: list[scenes.Scene]) -> None:
    opened += [scenes.scene("habits"), scenes.month(), scenes.blank()]
    mine, month, blank = opened
    for one in (mine, month):
        assert not one.demo
        assert one.truth is None
        assert list(one.memory.frame("experiences")["ref"]) == ["E-1", "E-2", "E-3"]
    blank.memory.record("go on", "SUCCESS")
    assert len(mine.memory.frame("experiences")) == 3


def test_a_demo_namespace_is_filled_on_the_store_that_is_named(
    own: str, monkeypatch: pytest.MonkeyPatch, opened: list[scenes.Scene]
) -> None:
    monkeypatch.setenv("GRAPHMEM_NAMESPACE", "demo-a")
    opened += [scenes.scene("habits"), scenes.scene("habits")]
    for one in opened:
        assert one.demo
        assert one.memory.services.settings.store == own
        assert len(one.memory.frame("experiences")) == len(SHORT.memories)


def test_a_demo_namespace_that_holds_something_else_is_refused(
    own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with graphmem.open(own, namespace="demo-b", embedder="none") as memory:
        memory.record("mine", "FAILURE")
    monkeypatch.setenv("GRAPHMEM_NAMESPACE", "demo-b")
    with pytest.raises(ConflictError):
        scenes.scene("habits")


def test_an_unknown_history_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(BadInputError, match="no history") as refused:
        scenes.scene("dreams")
    assert "habits" in str(refused.value.remedy)


def test_the_failure_to_explain_is_the_longest_of_a_demo_and_the_newest_with_a_cause_of_your_own(
    own: str, monkeypatch: pytest.MonkeyPatch, opened: list[scenes.Scene]
) -> None:
    opened.append(scenes.scene("habits"))
    assert scenes.failure_to_explain(opened[0]).ref == "E-2"
    monkeypatch.delenv("GRAPHMEM_URL")
    opened.append(scenes.scene("habits"))
    longest = max(len(one.path) for one in SHORT.episodes)
    asked = scenes.failure_to_explain(opened[1]).id
    assert [len(one.path) for one in SHORT.episodes if one.asked == asked] == [longest]


def test_without_any_cause_there_is_nothing_to_explain(opened: list[scenes.Scene]) -> None:
    nothing = Planted(memories=(), edges=(), episodes=(), true_edges=frozenset())
    opened.append(scenes.replanted(nothing))
    with pytest.raises(NotFoundError, match="no failure has a recorded cause"):
        scenes.failure_to_explain(opened[0])
