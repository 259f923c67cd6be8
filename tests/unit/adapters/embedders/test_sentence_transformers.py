"""The embedder sentence-transformers:<model> where the library is not needed; it runs in a lane of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.adapters.embedders.sentence_encoder import SentenceEncoder, folder_digest, prefix_of
from graphmem.adapters.embedders.yardstick import LEAST_SD, SENTENCES, estimated
from graphmem.analysis.tokens import language_of
from graphmem.config import Settings, from_environment
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.wiring import build, open_embedder

HEAVY = ("huggingface_hub", "safetensors", "sentence_transformers", "torch", "transformers")


class FakeModel:
    """Answers as the library's model does, with what it is told to."""

    def __init__(self, answer: Callable[[list[str]], Any]) -> None:
        self._answer = answer
        self.prompts = {"query": "query: ", "document": ""}
        self.default_prompt_name = "query"
        self.max_seq_length = 128
        self.asked: list[tuple[list[str], str]] = []

    def get_embedding_dimension(self) -> int:
        """Three."""
        return 3

    def __iter__(self) -> Iterator[Any]:
        yield SimpleNamespace()
        yield type("Pooling", (), {"pooling_mode": "cls"})()
        yield type("Dense", (), {})()

    def encode(self, texts: list[str], *, prompt: str, batch_size: int, show_progress_bar: bool) -> Any:
        """What it was told, and a note of the call."""
        assert (batch_size, show_progress_bar) == (len(texts), False)
        self.asked.append((texts, prompt))
        return self._answer(texts)


def ones(texts: list[str]) -> Any:
    """A good answer."""
    return np.ones((len(texts), 3), dtype=np.float32)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Callable[..., SentenceEncoder]:
    """Makes an embedder over a fake model."""

    def make(answer: Callable[[list[str]], Any] = ones, name: str = "some/model") -> SentenceEncoder:
        model = FakeModel(answer)
        monkeypatch.setattr(SentenceEncoder, "_load", lambda _: (model, "commit:abc"))
        return SentenceEncoder(name)

    return make


def test_nothing_heavy_is_imported_before_its_use() -> None:
    script = (
        "import sys; from graphmem.config import Settings; from graphmem.wiring import open_embedder\n"
        "open_embedder(Settings(store='sqlite:///x.db', embedder='sentence-transformers:some/model'))\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


def test_without_the_library_the_remedy_is_its_installation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in HEAVY:
        monkeypatch.setitem(sys.modules, name, None)
    encoder = SentenceEncoder("some/model")
    for call in (
        lambda: encoder.space,
        lambda: encoder.parameters,
        encoder.warm_up,
        lambda: encoder.embed(["x"]),
    ):
        with pytest.raises(UnavailableError) as caught:
            call()
        assert caught.value.remedy == "pip install 'graphmem[sentence-transformers]'"
        assert caught.value.field == "embedder"
    assert encoder.embed([]) == []
    settings = Settings(store=f"sqlite:///{tmp_path}/m.db", embedder="sentence-transformers:some/model")
    with pytest.raises(UnavailableError, match=r"pip install 'graphmem\[sentence-transformers\]'"):
        build(settings)


def test_the_settings_choose_model_and_fetching(tmp_path: Path) -> None:
    settings = from_environment({"GRAPHMEM_EMBEDDER": f"sentence-transformers:{tmp_path}"})
    assert not settings.fetch_models
    chosen = open_embedder(settings)
    assert isinstance(chosen, SentenceEncoder)
    assert from_environment({"GRAPHMEM_FETCH_MODELS": "1"}).fetch_models
    assert open_embedder(from_environment({}, embedder="none")) is None


@pytest.mark.parametrize("name", ["sentence-transformers", "sentence_transformers:x", "bert", "E5-small"])
def test_an_unknown_embedder_is_refused_with_the_choice(name: str) -> None:
    with pytest.raises(BadInputError, match="sentence-transformers:MODEL"):
        from_environment({}, embedder=name)


@pytest.mark.parametrize("model", ["", "  "])
def test_a_model_without_a_name_is_refused(model: str) -> None:
    with pytest.raises(BadInputError, match="sentence-transformers:FOLDER"):
        open_embedder(from_environment({}, embedder=f"sentence-transformers:{model}"))


def test_the_space_names_what_the_model_says_of_itself(fake: Callable[..., SentenceEncoder]) -> None:
    space = fake(name="some-model").space
    assert (space.provider, space.model) == (
        "sentence-transformers",
        "sentence-transformers/some-model",
    )
    assert (space.revision, space.dimension, space.prefix) == ("commit:abc", 3, "query: ")
    assert space.pooling == "Pooling(cls) Dense, 1400+600 bytes, 128 tokens"


def test_vectors_are_units_of_excerpts_behind_the_prefix(fake: Callable[..., SentenceEncoder]) -> None:
    asked: list[str] = []
    vectors = fake(lambda texts: asked.extend(texts) or ones(texts)).embed(["a\0b", "x" * 9999] * 20)
    assert vectors == [np.full(3, 1 / np.sqrt(3), dtype="<f4").tobytes()] * 40
    assert asked[0] == "a b"
    assert len(asked[1]) == 2001


@pytest.mark.parametrize(
    "answer", [np.zeros((1, 3)), np.full((1, 3), np.nan), np.ones((2, 3)), np.ones((1, 4)), np.ones(3)]
)
def test_bad_answers_are_refused(fake: Callable[..., SentenceEncoder], answer: Any) -> None:
    with pytest.raises(UnavailableError):
        fake(lambda _: answer).embed(["x"])


@pytest.mark.parametrize("error", [RuntimeError("out of memory"), ValueError("no")])
def test_a_model_that_breaks_is_unavailable(fake: Callable[..., SentenceEncoder], error: Exception) -> None:
    def broken(_: list[str]) -> Any:
        raise error

    with pytest.raises(UnavailableError, match="does not answer"):
        fake(broken).embed(["x"])


@pytest.mark.parametrize(
    ("prompts", "default", "name", "prefix"),
    [
        ({"query": "query: ", "document": ""}, "query", "a/b", "query: "),
        ({"query": "q: ", "STS": "task: similarity | "}, "query", "a/b", "task: similarity | "),
        ({"query": "q: ", "document": "d: "}, None, "a/b", ""),
        ({"query": "", "document": ""}, "query", "a/b", ""),
        ({}, None, "intfloat/multilingual-e5-small", "query: "),
        ({}, None, "/models/e5-base/", "query: "),
        ({}, None, "intfloat/multilingual-e5-large-instruct", ""),
        ({}, None, "someone/made5-small", ""),
        ({}, None, "/e5-models/minilm", ""),
    ],
)
def test_the_prefix_is_for_comparing_like_with_like(
    prompts: dict[str, str], default: str | None, name: str, prefix: str
) -> None:
    assert prefix_of(prompts, default, name) == prefix


def test_the_digest_is_of_weights_and_vocabulary_only(tmp_path: Path) -> None:
    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    first = folder_digest(tmp_path)
    (tmp_path / "README.md").write_text("words", encoding="utf-8")
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    assert folder_digest(tmp_path) == first
    seen = {first}
    for name in ("tokenizer.json", "vocab.txt", "2_Dense/model.safetensors"):
        (tmp_path / name).write_bytes(b"more")
        seen.add(folder_digest(tmp_path))
    assert len(seen) == 4
    assert all(digest.startswith("sha256:") for digest in seen)


class TestYardstick:
    """mu and sd of a space that nobody measured."""

    def test_sentences_are_in_their_language_and_all_different(self) -> None:
        for language, sentences in SENTENCES.items():
            assert len(set(sentences)) == len(sentences) == 20
            assert {language_of(text) for text in sentences} == {language}

    def test_parameters_are_mean_and_deviation_of_pairs_in_one_language(self) -> None:
        embedder = HashingEmbedder(4096)
        learnt = estimated(embedder.space, embedder.embed)
        cosines = [
            np.frombuffer(one, "<f4").astype(float) @ np.frombuffer(other, "<f4").astype(float)
            for sentences in SENTENCES.values()
            for at, one in enumerate(embedder.embed(sentences))
            for other in embedder.embed(sentences[:at])
        ]
        assert (learnt.mu, learnt.sd) == (round(float(np.mean(cosines)), 4), round(float(np.std(cosines)), 4))
        assert (learnt.space, dict(learnt.mean)) == (embedder.space, {})
        assert learnt == estimated(embedder.space, embedder.embed)

    def test_a_model_that_sees_no_difference_has_a_floor(self) -> None:
        same = np.array([1, 0], dtype="<f4").tobytes()
        learnt = estimated(HashingEmbedder(2).space, lambda texts: [same] * len(texts))
        assert (learnt.mu, learnt.sd) == (1, LEAST_SD)

    def test_an_encoder_uses_it(self, fake: Callable[..., SentenceEncoder]) -> None:
        encoder = fake()
        assert encoder.parameters == estimated(encoder.space, encoder.embed)
