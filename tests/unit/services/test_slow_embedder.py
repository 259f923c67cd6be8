"""How long a slow model is waited for, and what becomes of what it says too late."""

from __future__ import annotations

from threading import Event

import pytest

from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.services import embedding as module
from graphmem.services.embedding import Embedding
from tests.services import FlakyEmbedder


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that each answer of the model was waited for, at most."""
    told: list[float] = []
    plain = module.Future.result

    def result(future: module.Future[list[bytes]], timeout: float | None = None) -> list[bytes]:
        told.append(timeout or 0)
        return plain(future, timeout)

    monkeypatch.setattr(module.Future, "result", result)
    return told


def test_a_slow_model_is_not_waited_for_twice_as_long(
    embedder: FlakyEmbedder, waited: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the first call waits for the model to be loaded, whether it comes or not."""
    monkeypatch.setattr(module, "FIRST_BUDGET_S", 0.02)
    behind = Embedding(embedder, budget_s=0.01)
    embedder.held = Event()
    answers = [behind.vectors([text]) for text in "ab"]
    embedder.held.set()
    behind.close()
    assert answers == [None, None]
    assert waited == [0.02, 0.01]


def test_many_texts_wait_longer_than_one_but_not_for_as_long_as_they_may_take(
    embedder: FlakyEmbedder, waited: list[float]
) -> None:
    """A call with 500 failures has two thousand texts, and half a minute for all that it does."""
    behind = Embedding(embedder)
    behind.vectors(["loaded"])
    waited.clear()
    for count in (1, 11, 1_000):
        behind.vectors([f"{count} {place}" for place in range(count)])
    behind.vectors([f"for a worker {place}" for place in range(1_000)], patient=True)
    behind.close()
    assert waited == pytest.approx([2.0, 3.0, 10.0, 129.9])


def test_vectors_that_come_late_are_kept(embedder: FlakyEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_BUDGET_S", 0.01)
    embedder.held = Event()
    behind = Embedding(embedder, budget_s=0.01)
    monkeypatch.setattr(module, "MORE_S", 0.0)
    late = behind.vectors(["a", "b"])
    embedder.held.set()
    monkeypatch.setattr(behind, "_waits_s", 60.0)
    assert (late, behind.answers()) == (None, True)
    asked_before = list(embedder.asked)
    assert behind.vectors(["a", "b"]) == HashingEmbedder(64).embed(["a", "b"])
    assert embedder.asked == asked_before
    behind.close()


def test_after_a_slow_spell_it_answers_again(
    embedder: FlakyEmbedder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And who reads the log is told what becomes of it meanwhile."""
    monkeypatch.setattr(module, "FIRST_BUDGET_S", 0.01)
    embedder.held = Event()
    behind = Embedding(embedder, budget_s=0.01)
    late = behind.vectors(["a"])
    embedder.held.set()
    monkeypatch.setattr(behind, "_waits_s", 60.0)
    assert late is None
    assert caplog.messages == [
        "embedder did not answer within 0.0 s: words only, missing vectors are made later"
    ]
    assert behind.vectors(["b"]) == HashingEmbedder(64).embed(["b"])
    behind.close()


def test_what_nobody_waits_for_any_more_is_not_computed(
    embedder: FlakyEmbedder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A model slower than its budget would fall behind for good; what it has begun is kept for the next question."""
    monkeypatch.setattr(module, "FIRST_BUDGET_S", 0.01)
    embedder.held = Event()
    behind = Embedding(embedder, budget_s=0.01)
    assert [behind.vectors([text]) for text in "abcd"] == [None] * 4
    embedder.held.set()
    monkeypatch.setattr(behind, "_waits_s", 60.0)
    assert behind.vectors(["e"]) == HashingEmbedder(64).embed(["e"])
    assert behind.vectors(["a"]) == HashingEmbedder(64).embed(["a"])
    behind.close()
    assert embedder.asked == ["a", "e"]
    assert len(caplog.messages) == 1, "a line for each call would hide all else"
