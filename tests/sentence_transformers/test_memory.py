"""A memory that lives in this space: found by meaning in Chinese; another space is served by words, and said."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest

from graphmem.adapters.embedders.e5_small import E5Small
from graphmem.adapters.embedders.sentence_encoder import SentenceEncoder
from graphmem.adapters.embedders.use_multilingual import UseMultilingual
from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.analysis.tokens import tokenize
from graphmem.config import from_environment
from graphmem.domain.answers import RecallMode
from graphmem.ports.embedder import Embedder
from graphmem.ports.store import MemoryStore
from graphmem.wiring import build
from tests.contract.reading import found
from tests.services import asked, opened, remembered, texts

Open = Callable[[], MemoryStore]

FACTS = ("电脑运行得很慢", "磁盘满了", "服务器宕机", "邮件发送失败", "合同需要两个人签字")
QUESTIONS = ("计算机速度变慢了", "硬盘空间不足", "主机崩溃了", "电邮寄不出去")
"""Each asks for the fact at its place and shares no word with any fact."""


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=[pytest.mark.neo4j, pytest.mark.timeout(900)])])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens the store of this test, again and again."""
    if request.param == "sqlite":
        return lambda: SqliteStore(tmp_path / "memory.db")
    address = request.getfixturevalue("neo4j_server").bolt_uri
    return lambda: Neo4jStore(address)


@pytest.fixture
def namespace(request: pytest.FixtureRequest) -> str:
    """A namespace of this test's own: the tests share a server."""
    return f"lane-{crc32(request.node.nodeid.encode())}"


@pytest.fixture(scope="module")
def others() -> dict[str, Embedder]:
    """The embedders of other spaces."""
    return {"e5-small": E5Small(), "use-multilingual": UseMultilingual()}


def test_a_chinese_question_finds_what_means_the_same(
    open_store: Open, encoder: SentenceEncoder, namespace: str
) -> None:
    with opened(open_store(), embedder=encoder) as services:
        written = [remembered(services, fact, namespace) for fact in FACTS]
        assert all(one.embedded for one in written)
        words = {token for fact in FACTS for token in tokenize(fact)}
        for question, fact in zip(QUESTIONS, FACTS, strict=False):
            assert words.isdisjoint(tokenize(question))
            found = asked(services, question, namespace)
            assert (found.mode, texts(found.facts)[:1]) == (RecallMode.HYBRID, [fact])
            assert found.facts[0].similarity is not None
        status = services.inspect.status(namespace)
        assert status.embedder == "sentence-transformers:multilingual-e5-small"
        assert (status.notes, status.without_vectors, status.bad_vectors) == ((), 0, 0)


def test_thresholds_follow_the_space(open_store: Open, encoder: SentenceEncoder, namespace: str) -> None:
    """Raw cosines of this model all lie above .75: a threshold on them would list everything."""
    with opened(open_store(), embedder=encoder) as services:
        for fact in FACTS:
            remembered(services, fact, namespace)
        for question in ("今晚的音乐会几点开始", "给阳台上的花浇水", "what is the capital of France"):
            assert texts(asked(services, question, namespace).facts) == []


@pytest.mark.parametrize("name", ["e5-small", "use-multilingual"])
@pytest.mark.parametrize("is_ours_first", [True, False], ids=["begun-with-ours", "opened-with-ours"])
def test_a_namespace_of_another_space_is_served_by_words_and_says_so(
    open_store: Open,
    encoder: SentenceEncoder,
    others: dict[str, Embedder],
    namespace: str,
    name: str,
    is_ours_first: bool,
) -> None:
    first, second = (encoder, others[name]) if is_ours_first else (others[name], encoder)
    with opened(open_store(), embedder=first) as services:
        begun = remembered(services, FACTS[0], namespace).memory
    with opened(open_store(), embedder=second, seed=1) as services:
        status = services.inspect.status(namespace)
        assert status.mode is RecallMode.LEXICAL
        assert status.notes == (
            f"vectors of this namespace were made by {first.space.provider}:{first.space.model}: words only",
        )
        found = asked(services, "运行很慢", namespace)
        assert (found.mode, texts(found.facts)) == (RecallMode.LEXICAL, [FACTS[0]])
        assert found.facts[0].similarity is None
        added = remembered(services, FACTS[1], namespace)
        assert (added.embedded, added.memory.vectors) == (False, {})
        assert services.maintain.embed_pending(namespace) == 0
    with opened(open_store(), embedder=first, seed=2) as services:
        assert services.maintain.embed_pending(namespace) == 1
        assert services.inspect.status(namespace).notes == ()
        assert services.browse.memory(namespace, begun.id).vectors == begun.vectors
        found = asked(services, "运行很慢", namespace)
        assert (found.mode, texts(found.facts)[0]) == (RecallMode.HYBRID, FACTS[0])
        assert found.facts[0].similarity is not None


def test_a_thousand_memories_move_to_this_space_and_back(encoder: SentenceEncoder, tmp_path: Path) -> None:
    """From e5-small and back to it, the vectors are those of the beginning; in between a Chinese question finds."""
    path, vectors = tmp_path / "moved.db", []
    for turn, embedder in enumerate((E5Small(), encoder, E5Small())):
        with opened(path, embedder=embedder, seed=turn) as services:
            if not turn:
                facts = [*FACTS, *(f"第 {number} 号仓库的货架编号是 {number * 7}" for number in range(995))]
                for fact in facts:
                    remembered(services, fact, "moved")
            services.reembed.reembed("moved")
            status = services.inspect.status("moved")
            assert (status.mode, status.without_vectors, status.notes) == (RecallMode.HYBRID, 0, ())
            assert texts(asked(services, QUESTIONS[0], "moved").facts)[:1] == [FACTS[0]]
            vectors.append({memory.id: memory.vectors for memory in found(services.store, "moved")})
    assert len(vectors[0]) == 1_000
    assert vectors[0] == vectors[2]
    assert all(vectors[0][name] != vectors[1][name] for name in vectors[0])


def test_the_settings_choose_it(folder: Path, tmp_path: Path) -> None:
    chosen = {
        "GRAPHMEM_EMBEDDER": f"sentence-transformers:{folder}",
        "GRAPHMEM_STORE": f"sqlite:///{tmp_path}/m.db",
    }
    services = build(from_environment(chosen))
    assert remembered(services, FACTS[0]).embedded
    services.close()


def test_the_command_line_takes_it(folder: Path, tmp_path: Path) -> None:
    def run(*words: str) -> str:
        ended = subprocess.run(
            [sys.executable, "-m", "graphmem", "--embedder", f"sentence-transformers:{folder}", *words],
            env=os.environ | {"GRAPHMEM_STORE": f"sqlite:///{tmp_path}/m.db"},
            capture_output=True,
            text=True,
            check=False,
        )
        print(ended.stderr)
        assert ended.returncode == 0
        return ended.stdout

    run("remember", FACTS[0])
    assert "sentence-transformers:multilingual-e5-small" in run("status")
