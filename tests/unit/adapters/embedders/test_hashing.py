"""Words, not meaning: the embedder of tests."""

import math
import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.domain.errors import BadInputError


def rows(vectors: list[bytes]) -> NDArray[np.float32]:
    """The vectors as float32[n, dimension]."""
    return np.array([np.frombuffer(vector, dtype="<f4") for vector in vectors])


class TestHashing:
    """Words, not meaning."""

    def test_shared_words_are_near(self) -> None:
        embedder = HashingEmbedder()
        for near in (
            ["parse the user list", "parsing the users list failed", "deploy on friday"],
            ["处理用户列表时越界", "处理订单列表时越界", "数据库连接超时"],
        ):
            text, shared, other = rows(embedder.embed(near))
            assert text @ shared > text @ other

    def test_is_blind_to_case_and_width_and_deterministic_across_processes(self) -> None:
        one, two = HashingEmbedder(64).embed(["ＡＢＣ Empty List", "abc empty list"])
        assert one == two
        script = (
            "from graphmem.adapters.embedders.hashing import HashingEmbedder\n"
            "print(HashingEmbedder(64).embed(['abc empty list'])[0].hex())"
        )
        said = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout
        assert bytes.fromhex(said.strip()) == two

    def test_unrelated_cosines_have_the_said_deviation(self) -> None:
        embedder = HashingEmbedder()
        texts = rows(embedder.embed([f"a{n}q b{n}w c{n}z d{n}y" for n in range(0, 40_000, 211)]))
        cosines = (texts @ texts.T)[np.triu_indices(len(texts), 1)]
        assert embedder.parameters.mean == {}
        assert embedder.parameters.sd == pytest.approx(1 / math.sqrt(384))
        assert abs(float(cosines.mean()) - embedder.parameters.mu) < 0.02
        assert float(cosines.std()) == pytest.approx(embedder.parameters.sd, rel=0.2)

    def test_any_dimension_from_one_up(self) -> None:
        for dimension in (1, 2, 7, 1000):
            embedder = HashingEmbedder(dimension)
            for row in rows(embedder.embed(["", "x", "空数组异常", "a b a b", "！？…"])):
                assert np.linalg.norm(row) == pytest.approx(1, abs=1e-6)
            assert embedder.space != HashingEmbedder(dimension + 1).space
        with pytest.raises(BadInputError):
            HashingEmbedder(0)
