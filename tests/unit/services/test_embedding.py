"""A slow or broken model never loses a write and never stops an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.domain.answers import RecallMode
from graphmem.domain.drafts import MemoryUpdate
from graphmem.domain.errors import UnavailableError
from graphmem.domain.records import Job, JobKind
from graphmem.services.embedding import CACHED_TEXTS, EMBEDDED_CHARACTERS, Embedding
from graphmem.services.maintain import LEASE
from graphmem.wiring import Services
from tests.builders import NS, at, changes
from tests.services import DOWN, FlakyEmbedder, asked, opened, remembered, state, texts


@pytest.fixture
def made(embedder: FlakyEmbedder) -> Iterator[Embedding]:
    """The embedder behind its budget."""
    behind = Embedding(embedder)
    yield behind
    behind.close()


def missing(services: Services) -> int:
    """How many memories have no vector yet."""
    return services.inspect.status(NS).without_vectors


def job(services: Services, after: float = 0) -> Job | None:
    """The next job EMBED that another worker could claim."""
    return services.store.claim(NS, JobKind.EMBED, "somebody", at(after), LEASE)


@pytest.mark.parametrize("error", [DOWN, OSError("x"), ValueError("x"), RuntimeError("x")])
def test_a_broken_model_loses_no_write(flaky: Services, embedder: FlakyEmbedder, error: Exception) -> None:
    embedder.broken = error
    written = remembered(flaky, "the disk is full")
    assert not written.embedded
    assert flaky.browse.memory(NS, "F-1").vectors == {}
    assert texts(asked(flaky, "disk").facts) == ["the disk is full"]


def test_a_question_that_cannot_be_embedded_is_answered_by_words(
    flaky: Services, embedder: FlakyEmbedder
) -> None:
    remembered(flaky, "the disk is full")
    embedder.broken = DOWN
    found = asked(flaky, "disk trouble")
    assert found.mode is RecallMode.LEXICAL
    assert [(hit.similarity, hit.memory.ref) for hit in found.facts] == [(None, "F-1")]


def test_missing_vectors_are_made_later(flaky: Services, embedder: FlakyEmbedder) -> None:
    embedder.broken = DOWN
    remembered(flaky, "the disk is full")
    assert missing(flaky) == 1
    embedder.broken = None
    assert flaky.maintain.embed_pending(NS) == 1
    assert missing(flaky) == 0
    assert asked(flaky, "disk").facts[0].similarity is not None
    assert flaky.maintain.embed_pending(NS) == 0


def test_vectors_made_later_equal_those_made_at_once(flaky: Services, embedder: FlakyEmbedder) -> None:
    at_once = remembered(flaky, "the disk is full").memory
    embedder.broken = DOWN
    remembered(flaky, "the disk is full ")
    embedder.broken = None
    flaky.maintain.embed_pending(NS)
    later = flaky.browse.memory(NS, "F-2")
    assert {name: len(vector) for name, vector in later.vectors.items()} == {
        name: len(vector) for name, vector in at_once.vectors.items()
    }


def test_while_the_model_is_away_no_job_is_taken(flaky: Services, embedder: FlakyEmbedder) -> None:
    """The model answered before, so that what it knows by heart must not pass for an answer."""
    embedder.broken = DOWN
    remembered(flaky, "the disk is full")
    embedder.broken = None
    flaky.maintain.embed_pending(NS)
    embedder.broken = DOWN
    remembered(flaky, "the network is down")
    assert flaky.maintain.embed_pending(NS) == 0
    embedder.broken = None
    assert flaky.maintain.embed_pending(NS) == 1
    assert missing(flaky) == 0


def test_a_job_whose_text_the_model_refuses_is_not_called_done(
    flaky: Services, embedder: FlakyEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder.broken = DOWN
    remembered(flaky, "the disk is full")
    embedder.broken = None
    plain = embedder.embed

    def refuse(texts: Sequence[str]) -> list[bytes]:
        if "the disk is full" in texts:
            raise DOWN
        return plain(texts)

    monkeypatch.setattr(embedder, "embed", refuse)
    assert flaky.maintain.embed_pending(NS) == 0
    monkeypatch.setattr(embedder, "embed", plain)
    held = job(flaky, 1_000)
    assert held is not None
    assert held.attempt == 2


def test_a_job_about_a_forgotten_memory_is_gone(flaky: Services, embedder: FlakyEmbedder) -> None:
    embedder.broken = DOWN
    remembered(flaky, "the disk is full")
    flaky.forget.forget(NS, "F-1")
    assert job(flaky, 1_000) is None


def test_at_most_so_many_jobs_are_done_in_one_call(flaky: Services, embedder: FlakyEmbedder) -> None:
    embedder.broken = DOWN
    for number in range(3):
        remembered(flaky, f"disk {number}")
    embedder.broken = None
    assert [flaky.maintain.embed_pending(NS, limit=2) for _ in range(3)] == [2, 1, 0]


def test_a_change_of_text_takes_the_old_vector_away(flaky: Services, embedder: FlakyEmbedder) -> None:
    remembered(flaky, "the disk is full")
    embedder.broken = DOWN
    changed = flaky.revise.update(NS, MemoryUpdate(id="F-1", text="the network is down"))
    assert changed.vectors == {}
    embedder.broken = None
    assert flaky.maintain.embed_pending(NS) == 1
    assert flaky.browse.memory(NS, "F-1").vectors


def test_without_an_embedder_nothing_waits_for_vectors(path: Path) -> None:
    with opened(path, words_only=True) as services:
        assert not remembered(services, "the disk is full").embedded
        assert job(services, 1_000) is None
        assert services.maintain.embed_pending(NS) == 0
        assert asked(services, "disk").mode is RecallMode.LEXICAL


def test_each_text_is_asked_for_once(made: Embedding, embedder: FlakyEmbedder) -> None:
    made.vectors(["a", "b", "a"])
    made.vectors(["b", "c"])
    assert embedder.asked == ["a", "b", "c"]


def test_vectors_come_in_the_order_of_the_texts(made: Embedding) -> None:
    made.vectors(["b"])
    assert made.vectors(["a", "b", "a"]) == HashingEmbedder(64).embed(["a", "b", "a"])


def test_the_cache_has_an_end(made: Embedding, embedder: FlakyEmbedder) -> None:
    texts = [str(number) for number in range(CACHED_TEXTS + 1)]
    made.vectors(texts)
    made.vectors(["0", str(CACHED_TEXTS)])
    assert embedder.asked == [*texts, "0"]


def test_long_texts_are_embedded_by_their_beginning(made: Embedding, embedder: FlakyEmbedder) -> None:
    made.vectors(["x" * 60_000])
    assert embedder.asked == ["x" * EMBEDDED_CHARACTERS]


def test_secrets_of_a_question_do_not_reach_the_model(flaky: Services, embedder: FlakyEmbedder) -> None:
    """A model may be elsewhere; the secret that the cut would halve is gone before it."""
    secret = "sk-proj-" + "s3cretS3cret" * 3
    remembered(flaky, f"the key is {secret}")
    asked(flaky, f"log in with {secret}", concern=f"password=hunter2hunter2 {secret}")
    asked(flaky, "x" * (EMBEDDED_CHARACTERS - 10) + f" {secret}")
    assert any("log in with [redacted" in text for text in embedder.asked)
    assert not any(part in text for text in embedder.asked for part in (secret[:9], "hunter2"))


def test_a_failure_is_logged_in_our_words_only(
    made: Embedding, embedder: FlakyEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    embedder.broken = DOWN
    assert made.vectors(["x"]) is None
    embedder.broken = ValueError("the text was: s3cret")
    assert made.vectors(["x"]) is None
    assert [record.getMessage() for record in caplog.records] == [
        f"embedder failed: {DOWN}",
        "embedder failed: ValueError",
    ]


def test_a_model_that_answers_too_few_vectors_counts_as_broken(
    flaky: Services, embedder: FlakyEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedder, "embed", lambda texts: [])
    assert not remembered(flaky, "the disk is full").embedded


def test_after_the_end_the_store_says_so(services: Services) -> None:
    services.close()
    with pytest.raises(UnavailableError):
        asked(services, "disk")
    with pytest.raises(UnavailableError):
        remembered(services, "disk")


def test_a_namespace_of_another_model_is_served_by_words(path: Path) -> None:
    with opened(path, embedder=FlakyEmbedder(model="m1")) as first:
        remembered(first, "the disk is full")
    with opened(path, embedder=FlakyEmbedder(model="m2"), seed=1) as second:
        found = asked(second, "disk")
        assert found.mode is RecallMode.LEXICAL
        assert [hit.similarity for hit in found.facts] == [None]
        assert not remembered(second, "the network is down").embedded
        assert second.maintain.embed_pending(NS) == 0
        assert "m1" in second.inspect.status(NS).notes[0]


def test_a_namespace_begun_without_a_model_takes_the_space_of_its_first_vector(path: Path) -> None:
    with opened(path, words_only=True) as words:
        remembered(words, "the disk is full")
    with opened(path, embedder=FlakyEmbedder(model="m1"), seed=1) as first:
        first.revise.update(NS, MemoryUpdate(id="F-1", text="the network is down"))
    with opened(path, embedder=FlakyEmbedder(model="m2"), seed=2) as second:
        assert asked(second, "network").mode is RecallMode.LEXICAL


def test_the_numbers_of_a_namespace_are_frozen_with_its_first_write(flaky: Services) -> None:
    remembered(flaky, "a")
    assert state(flaky).parameters_version == 1
    remembered(flaky, "b")
    flaky.store.apply(changes())
    assert state(flaky).parameters_version == 1
