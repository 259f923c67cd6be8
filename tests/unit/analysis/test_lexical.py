"""BM25 that changes in place, held against rank_bm25 built anew."""

import sys
import threading
from array import array
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from graphmem.analysis.lexical import IdfMode, IncrementalBM25
from graphmem.analysis.tokens import tokenize

MODES: list[IdfMode] = ["lucene", "okapi"]
Documents = dict[int, list[str]]

documents = st.lists(st.sampled_from("abcdefgh"), max_size=12)
queries = st.lists(st.sampled_from("abcdefghz"), max_size=6)
writes = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.just(0), documents),
        st.tuples(st.just("replace"), st.integers(0, 10**6), documents),
        st.tuples(st.just("remove"), st.integers(0, 10**6), st.just([])),
    ),
    max_size=40,
)


def written(index: IncrementalBM25, writes: Sequence[tuple[str, int, list[str]]]) -> Documents:
    """Do `writes`, each on some live slot; return what then lives where."""
    live: Documents = {}
    for verb, choice, tokens in writes:
        if verb == "add":
            live[index.add(tokens)] = tokens
        elif live:
            slot = sorted(live)[choice % len(live)]
            if verb == "replace":
                index.replace(slot, tokens)
                live[slot] = tokens
            else:
                index.remove(slot)
                del live[slot]
    return live


@pytest.mark.parametrize("mode", MODES)
@given(writes=writes, query=queries)
def test_scores_equal_those_of_an_index_built_anew(
    mode: IdfMode, writes: list[tuple[str, int, list[str]]], query: list[str]
) -> None:
    index = IncrementalBM25(idf=mode)
    live = written(index, writes)
    slots = sorted(live)
    scores = index.scores(query)
    anew = IncrementalBM25([live[slot] for slot in slots], idf=mode)
    np.testing.assert_allclose(scores[slots], anew.scores(query), rtol=1e-12, atol=1e-12)
    assert len(index) == len(anew) == len(live)
    assert index.avgdl == anew.avgdl
    assert not scores[[slot not in live for slot in range(len(scores))]].any()
    assert np.isfinite(scores).all()


@given(writes=writes, query=queries)
def test_okapi_scores_equal_those_of_rank_bm25(
    writes: list[tuple[str, int, list[str]]], query: list[str]
) -> None:
    index = IncrementalBM25(idf="okapi")
    live = written(index, writes)
    corpus = [live[slot] for slot in sorted(live)]
    if not any(corpus):  # rank_bm25 divides by zero here
        assert not index.scores(query).any()
        return
    theirs = BM25Okapi(corpus)
    ours = index.scores(query)[sorted(live)]
    np.testing.assert_allclose(ours, theirs.get_scores(query), rtol=1e-12, atol=1e-12)
    floored = any(2 * sum(term in tokens for tokens in corpus) > len(corpus) for term in query)
    if not floored:
        assert ours.tolist() == theirs.get_scores(query).tolist()


@pytest.mark.parametrize("mode", MODES)
def test_scores_are_those_of_the_given_parameters(mode: IdfMode) -> None:
    corpus = [tokenize(text) for text in ("disk full on node", "network down", "disk slow", "login fails")]
    index = IncrementalBM25(corpus, idf=mode, k1=0.9, b=0.4)
    theirs = BM25Okapi(corpus, k1=0.9, b=0.4)
    if mode == "lucene":
        theirs.idf["disk"] = np.log(1 + 2.5 / 2.5)
    np.testing.assert_allclose(index.scores(["disk"]), theirs.get_scores(["disk"]), rtol=1e-12)
    assert index.get_batch_scores(["disk"], [2, 1]) == [index.scores(["disk"])[2], 0.0]


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_or_wordless_corpus_answers_nothing(mode: IdfMode) -> None:
    index = IncrementalBM25(idf=mode)
    assert index.scores(["anything"]).tolist() == []
    assert index.top(["anything"], 5) == []
    slot = index.add(tokenize("!?..."))
    assert index.scores(["anything"]).tolist() == [0.0]
    index.remove(slot)
    assert (len(index), index.avgdl, index.top([], 5)) == (0, 0.0, [])


def test_one_or_two_documents_are_found() -> None:
    index = IncrementalBM25([tokenize("!?...")])
    disk = index.add(tokenize("disk full on node a"))
    assert [slot for slot, _ in index.top(tokenize("disk"), 5)] == [disk]
    network = index.add(tokenize("network down"))
    [(found, score)] = index.top(tokenize("disk"), 5)
    assert found == disk
    assert score > 0
    assert index.scores(tokenize("disk"))[network] == 0


@pytest.mark.parametrize(
    "query", ["~alien", "/b testing", "C++ AND (", "a:b", '"', "*", "[1]", "的 了 吗", "NOT", "C++"]
)
def test_special_characters_are_literal(query: str) -> None:
    index = IncrementalBM25([tokenize("C++ build fails in a:b")])
    assert bool(index.top(tokenize(query), 5)) is (query in {"C++ AND (", "a:b", "C++"})


OTHER_CHINESE = """
    用户登录后页面一直加载 数据库连接超时需要重试 文件路径包含空格导致失败 订单金额计算出现负数
    时区转换后日期差一天 缓存没有及时更新 接口返回的编码不正确 上传的图片太大被拒绝 权限不足无法删除记录
    批量导入时内存不够 定时任务重复执行 邮件发送到错误的地址 搜索结果排序不稳定 配置文件缺少字段
    网络抖动导致请求失败 日志里打印了密码 分页参数超出范围 并发写入造成数据丢失 升级之后接口不兼容
    除数为零程序崩溃
""".split()  # noqa: SIM905


@pytest.mark.parametrize("query", ["空数组 异常", "返回空结果"])
def test_chinese_is_found_among_other_chinese(query: str) -> None:
    index = IncrementalBM25(map(tokenize, OTHER_CHINESE))
    wanted = index.add(tokenize("空数组要返回空结果，不要抛异常"))
    slot, score = index.top(tokenize(query), 5)[0]
    assert slot == wanted
    assert score > 0


def test_a_rare_word_at_the_end_of_a_long_document_is_found() -> None:
    index = IncrementalBM25([tokenize("fish tank leaks")] * 3)
    wanted = index.add(tokenize("the tank and its fish " * 3000)[:64_000] + tokenize("zebrafish77"))
    assert index.top(tokenize("zebrafish77"), 5)[0][0] == wanted


def test_the_best_come_first_and_equals_by_slot() -> None:
    index = IncrementalBM25([["a", "x"], ["a", "y"], ["b", "y"], ["a", "a"], ["a", "z"]])
    assert [slot for slot, _ in index.top(["a"], 3)] == [3, 0, 1]
    assert [slot for slot, _ in index.top(["a"], 99)] == [3, 0, 1, 4]
    assert index.get_top_n(["a"], "ABCDE", n=2) == ["D", "A"]
    assert index.top(["a"], 0) == index.top(["a"], -1) == []


def test_a_repeated_query_token_counts_again() -> None:
    index = IncrementalBM25([["a", "b"], ["b", "c"]])
    np.testing.assert_allclose(index.get_scores(["a", "a"]), 2 * index.scores(["a"]))


def test_slots_are_stable_and_never_given_out_again() -> None:
    index = IncrementalBM25([["a"], ["b"], ["c"]])
    index.remove(1)
    assert index.add(["d"]) == 3
    index.replace(0, ["e"])
    assert [slot for term in "abcde" for slot, _ in index.top([term], 9)] == [2, 3, 0]
    assert len(index) == 3


@pytest.mark.parametrize("slot", [-1, 1, 2])
def test_a_slot_without_a_document_is_refused_and_nothing_changes(slot: int) -> None:
    index = IncrementalBM25([["a", "b"], ["b"]])
    index.remove(1)
    before = index.scores(["a", "b"]).tolist()
    refused: list[Callable[[], None]] = [lambda: index.remove(slot), lambda: index.replace(slot, ["c"])]
    for write in refused:
        with pytest.raises(KeyError, match=f"slot {slot} "):
            write()
    assert index.scores(["a", "b"]).tolist() == before
    assert len(index) == 1


def test_nothing_of_what_is_gone_is_kept_or_scored() -> None:
    index = IncrementalBM25()
    for _ in range(50):
        slots = [index.add(["every", "document", f"word{number}"]) for number in range(20)]
        for slot in slots[1:]:
            index.remove(slot)
        index.replace(slots[0], ["every"])
    postings = index._postings
    assert set(postings) == {"every"}
    assert postings["every"].count == len(index) == 50
    held = sys.getsizeof(postings["every"]._slots) - sys.getsizeof(array("i"))
    assert held <= 4 * len(index) * array("i").itemsize


def test_a_query_looks_only_at_documents_that_hold_one_of_its_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    index = IncrementalBM25([["common", f"word{number}"] for number in range(1000)] + [["rare"]] * 3)
    looked_at: list[int] = []

    def counted_idf(documents: int) -> float:
        looked_at.append(documents)
        return 1.0

    monkeypatch.setattr(index, "_idf", counted_idf)
    index.top(["rare", "word7", "unknown"], 5)
    assert looked_at == [3, 1]


def test_readers_beside_a_writer() -> None:
    index = IncrementalBM25([["a", "b"]] * 50, idf="okapi")
    done = threading.Event()
    problems: list[str] = []

    def read() -> None:
        while not done.is_set():
            try:
                if not np.isfinite(index.scores(["a", "b", "c"])).all():
                    problems.append("a score is not finite")
                index.top(["b", "d"], 5)
            except Exception as error:
                problems.append(repr(error))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(1500):
        slot = index.add(["a", "c", f"word{number}"])
        index.replace(slot, ["b", "d"] * (number % 5))
        if number % 2:
            index.remove(slot)
    done.set()
    for reader in readers:
        reader.join()
    assert problems == []
    assert len(index) == 50 + 750
