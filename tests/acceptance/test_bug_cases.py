"""Public bug reports of other memories, each with its right outcome (notes/bug-cases.md), embedded."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.drafts import CauseLink, CauseRef, ExperienceDraft, FactDraft, MemoryUpdate, Period
from graphmem.domain.errors import NotFoundError
from graphmem.domain.errors import UnavailableError as Unavailable
from graphmem.domain.memories import Result
from graphmem.domain.records import RecordKind
from graphmem.ports.queries import PageRequest, RecordSelection, Selection
from graphmem.wiring import Services
from tests.builders import NS, Clock, at
from tests.services import (
    asked,
    because,
    failed,
    listed,
    opened,
    recorded,
    refusal,
    refused,
    remembered,
    state,
    texts,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store lies."""
    return tmp_path / "memory.db"


@pytest.fixture
def services(path: Path) -> Iterator[Services]:
    """Services over an empty store."""
    with opened(path) as made:
        yield made


def test_01_an_empty_or_tiny_corpus(services: Services) -> None:
    assert listed(asked(services, "anything")) == ()
    remembered(services, "!?...")
    assert listed(asked(services, "disk")) == ()
    remembered(services, "disk full on node a")
    assert asked(services, "disk").facts[0].lexical_score > 0
    remembered(services, "network down")
    (disk, *others) = asked(services, "disk").facts
    assert disk.memory.text == "disk full on node a"
    assert disk.lexical_score > 0
    assert all(hit.lexical_score == 0 for hit in others)
    assert all(math.isfinite(hit.relevance) and 0 <= hit.relevance <= 1 for hit in (disk, *others))


def test_03_special_characters_and_stop_words(services: Services) -> None:
    remembered(services, "C++ build fails in a:b")
    for query in ("~alien", "/b testing", "C++ AND (", "a:b", '"', "*", "[1]", "的 了 吗", "NOT"):
        first, second = asked(services, query), asked(services, query)
        assert first == second
        finds = query in ("C++ AND (", "a:b")
        assert any(hit.lexical_score > 0 for hit in first.facts) == finds
    assert texts(asked(services, "C++").facts) == ["C++ build fails in a:b"]


def test_04_chinese_is_cut_into_words(path: Path) -> None:
    with opened(path, words_only=True) as services:
        for number in range(20):
            failed(services, f"第{number}个报表的标题写错了，需要改正后再发布")
        failed(services, "空数组要返回空结果，不要抛异常")
        for query in ("空数组 异常", "返回空结果"):
            best = asked(services, query).errors[0]
            assert best.memory.text == "空数组要返回空结果，不要抛异常"
            assert best.lexical_score > 0


def test_06_nul_and_half_a_surrogate(services: Services) -> None:
    remembered(services, "kept")
    for bad in ("a\0b", "\ud83d"):
        assert refused(services, remembered, services, bad) == "BAD_INPUT statement"
        assert refused(services, remembered, services, "x", tags=(bad,)) == "BAD_INPUT tags[0]"
        assert refused(services, remembered, services, "x", key=bad) == "BAD_INPUT key"
        assert refused(services, asked, services, bad) == "BAD_INPUT situation"
        drafts = [ExperienceDraft(action=text, result=Result.SUCCESS) for text in ("a", bad, "c")]
        assert refused(services, services.remember.many, NS, drafts) == "BAD_INPUT input[1].action"
    assert texts(asked(services, "kept").facts) == ["kept"]


def test_07_very_long_texts(services: Services) -> None:
    for length in (20_000, 65_000):
        text = "lorem ipsum dolor " * (length // 18) + f"zebrafish{length}"
        written = remembered(services, text)
        assert services.browse.memory(NS, written.memory.id).text == text
        assert texts(asked(services, f"zebrafish{length}").facts)[0] == text
    assert refused(services, remembered, services, "x" * 2_000_000) == "TOO_LARGE statement"
    assert refused(services, remembered, services, "x", key="k" * 9_000) == "TOO_LARGE key"


def test_08_a_retry_stores_nothing_twice(path: Path) -> None:
    given: dict[str, Any] = {"key": "K", "error_type": "IndexError"}
    with opened(path) as first, ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: failed(first, "parse []", **given), range(2)))
    with opened(path, seed=1) as restarted:
        answers.append(failed(restarted, "parse []", **given))
    with opened(path, seed=2, clock=Clock(at(86_400))) as later:
        answers.append(failed(later, "parse []", **given))
        assert [answer.created for answer in answers].count(True) == 1
        assert len({answer.memory.id for answer in answers}) == 1
        assert state(later).counts["EXPERIENCE"] == 1
        assert refused(later, failed, later, "parse None", **given) == "CONFLICT key"
        assert later.browse.memory(NS, "E-1").text.startswith("parse []")
        assert failed(later, "parse []", "another", **given).created


def test_09_several_processes_overwrite_nothing(path: Path) -> None:
    with opened(path) as one, opened(path, seed=1) as two, ThreadPoolExecutor(8) as pool:
        remembered(one, "the node")
        both = [one, two]
        writes = [(both[number % 2], f"disk number {number}") for number in range(80)]
        ids = list(pool.map(lambda item: remembered(*item).memory.id, writes))
        tags = [(both[number % 2], f"tag {number}") for number in range(20)]
        list(
            pool.map(
                lambda item: item[0].revise.update(NS, MemoryUpdate(id="F-1", add_tags=(item[1],))), tags
            )
        )
        for services in both:
            assert len(services.store.get(NS, ids)) == 80
            assert len(services.browse.memory(NS, "F-1").tags) == 20
            assert texts(asked(services, "disk number 77").facts)[0] == "disk number 77"
            assert services.inspect.status(NS).digest_matches


def test_11_a_namespace_sees_and_feels_no_other(services: Services) -> None:
    mine = remembered(services, "Charlie likes apples", "alice")
    failed(services, "buy apples", "alice", caused_by=because(mine))
    clock: Any = services.recall._clock
    now = clock.now
    alone = asked(services, "what does Charlie like", "alice")
    theirs = remembered(services, "Charlie likes baseball", "bob")
    for number in range(100):
        remembered(services, f"Charlie likes thing {number}", "bob")
    failed(services, "buy a bat", "bob", caused_by=because(theirs))
    clock.now = now
    assert repr(asked(services, "what does Charlie like", "alice")) == repr(alone)
    said = [repr(services.explain.impact("alice", "F-1")), *services.transfer.export("alice"), repr(alone)]
    said += [repr(services.inspect.status("alice")), repr(services.explain.explain("alice", "E-1"))]
    assert not any("baseball" in text or theirs.memory.id in text for text in said)
    for verb in (
        services.browse.memory,
        services.explain.explain,
        services.explain.impact,
        services.link.suggest,
    ):
        foreign = refusal(lambda verb=verb: verb("alice", theirs.memory.id), services)  # type: ignore[misc]
        unknown = refusal(lambda verb=verb: verb("alice", "no-such-id"), services)  # type: ignore[misc]
        assert (type(foreign), str(foreign)) == (NotFoundError, str(unknown))


def test_12_names_of_namespaces(services: Services) -> None:
    names = ["acpt-probe", "550e8400-e29b-41d4-a716-446655440000", "main", "A", "a", "a ", "租户", "../x"]
    for name in names:
        remembered(services, f"zebra of {name!r}", name)
    for name in names:
        assert texts(asked(services, "zebra", name).facts) == [f"zebra of {name!r}"]
    assert list(services.store.namespaces()) == sorted(names)
    for bad in ("", None, 1, "x" * 300):
        assert refused(services, remembered, services, "x", bad) == "BAD_INPUT namespace"
        assert refused(services, asked, services, "zebra", bad) == "BAD_INPUT namespace"


def test_13_a_small_namespace_is_not_starved(services: Services) -> None:
    drafts = [
        ExperienceDraft(action=f"retry the request number {number}", result=Result.FAILURE)
        for number in range(500)
    ]
    for _ in range(6):
        services.remember.many("big", drafts)
    for number in range(27):
        failed(services, f"paint the wall {number}", "small")
    wanted = [failed(services, f"retry {number}", "small").memory for number in range(3)]
    assert {hit.memory.id for hit in asked(services, "retry", "small").errors} == {item.id for item in wanted}
    for first in (-1, 0, 10**6):
        page = PageRequest(first=first)
        assert refused(services, services.browse.memories, "small", Selection(), page) == "BAD_INPUT first"
        assert refused(services, asked, services, "retry", "small", limit=first) == "BAD_INPUT limit"


def test_14_what_was_forgotten_is_never_answered(path: Path) -> None:
    with opened(path) as services:
        doomed = remembered(services, "the zebra disk").memory
        failed(services, "copy", caused_by=because(doomed.id))
        assert texts(asked(services, "zebra").facts) == ["the zebra disk"]
        services.forget.forget(NS, doomed.id)
    with opened(path, seed=1) as restarted:
        assert asked(restarted, "zebra").facts == ()
        assert [memory.ref for memory in restarted.explain.explain(NS, "E-1").nodes] == ["E-1"]
        assert refused(restarted, restarted.browse.memory, NS, doomed.id) == "NOT_FOUND id"
        assert restarted.forget.forget(NS, doomed.id).already_gone
        assert state(restarted).counts["FACT"] == 0
        assert restarted.inspect.status(NS).digest_matches


def test_16_an_update_loses_nothing_and_skips_no_check(services: Services) -> None:
    metadata = {"category": "ops", "priority": 1, "source": "wiki"}
    old = remembered(services, "alpha disk", metadata=metadata, tags=("t",), occurred_at=at(-9)).memory
    new = services.revise.update(NS, MemoryUpdate(id="F-1", text="omega network"))
    for name in ("metadata", "tags", "occurred_at", "recorded_at"):
        assert getattr(new, name) == getattr(old, name)
    assert new.version == 2
    assert asked(services, "alpha disk").facts == ()
    (hit,) = asked(services, "omega network").facts
    assert hit.lexical_score > 0
    assert hit.similarity == pytest.approx(1.0, abs=1e-5)
    kept = services.store.records(NS, RecordKind.VERSION, RecordSelection(subject=old.id), PageRequest())
    assert [item.body["memory"]["statement"] for item in kept.items] == ["alpha disk"]
    long = MemoryUpdate(id="F-1", text="x" * 70_000)
    assert refused(services, services.revise.update, NS, long) == "TOO_LARGE text"
    secret = services.revise.update(NS, MemoryUpdate(id="F-1", text="API_TOKEN=fake-123456"))
    assert secret.text == "API_TOKEN=[redacted:token]"


def test_17_times_without_a_zone_and_clocks_that_differ(services: Services) -> None:
    naive = datetime.fromisoformat("2026-03-01T10:00:00")
    for wrong in (naive, at(10 * 86_400)):
        assert refused(services, remembered, services, "x", occurred_at=wrong) == "BAD_INPUT occurred_at"
    late, early = (
        datetime.fromisoformat("2026-03-01T10:00:00+00:00"),
        datetime.fromisoformat("2026-03-01T10:00:00+08:00"),
    )
    times = {"late": late, "early": early, "old": datetime.fromisoformat("0001-01-01T00:00:00+00:00")}
    times |= {"soon": at(12 * 3_600), "far": at(23 * 3_600)}
    for name, time in times.items():
        recorded(services, f"walk {name}", occurred_at=time)
    page = services.browse.memories(NS, Selection(), PageRequest())
    assert [item.text for item in page.items] == [
        f"walk {name}" for name in ("far", "soon", "late", "early", "old")
    ]
    decays = {hit.memory.text: hit.decay for hit in asked(services, "walk", limit=20).worked}
    assert all(0 <= value <= 1 for value in decays.values())
    assert decays["walk far"] == decays["walk soon"] == 1.0
    found = asked(services, "walk", during=Period(start=early, end=late))
    assert texts(found.worked) == ["walk early"]


def test_19_what_is_answered_is_stored(services: Services) -> None:
    first, second = failed(services, "a"), failed(services, "b")
    unknown = CauseLink(effect="E-1", cause=CauseRef(id="no-such-id"))
    assert refused(services, services.link.link, NS, unknown) == "NOT_FOUND cause.id"
    edge = services.link.link(NS, CauseLink(effect="E-2", cause=CauseRef(id="E-1")))
    assert services.explain.explain(NS, "E-2").edges == (edge,)
    assert [services.browse.memory(NS, item.memory.id).text for item in (first, second)] == ["a", "b"]


def test_20_cycles_and_long_chains(services: Services) -> None:
    ids = [failed(services, f"step {number}", occurred_at=at(0)).memory.id for number in range(30)]
    drawn = random.Random(20)
    pairs = {(ids[number], ids[number + 1]) for number in range(29)} | {(ids[9], ids[0])}
    while len(pairs) < 90:
        pairs.add(tuple(drawn.sample(ids, 2)))  # type: ignore[arg-type]
    for effect, cause in sorted(pairs):
        services.link.link(NS, CauseLink(effect=effect, cause=CauseRef(id=cause)))
    short, whole = services.explain.explain(NS, "E-1", max_hops=1), services.explain.explain(NS, "E-1")
    assert (short.truncated, whole.truncated) == (True, False)
    assert sorted(memory.id for memory in whole.nodes) == sorted(ids)
    assert len(whole.edges) == 90
    itself = CauseLink(effect="E-1", cause=CauseRef(id="E-1"))
    assert refused(services, services.link.link, NS, itself) == "BAD_INPUT cause"
    assert refused(services, services.explain.explain, NS, "E-1", max_hops=10**6) == "BAD_INPUT max_hops"


def test_21_numbers_that_do_not_fit(services: Services) -> None:
    exact = {"n": 9007199254740993, "durationMs": 3_000_000_000}
    assert services.browse.memory(NS, remembered(services, "x", metadata=exact).memory.id).metadata == exact
    for bad in (2**70, float("1e400"), float("nan")):
        assert refused(services, remembered, services, "x", metadata={"n": bad}) == "BAD_INPUT metadata.n"
    causes = because("F-1", confidence=float("1e400"))
    assert refused(services, failed, services, "x", caused_by=causes) == "BAD_INPUT caused_by[0].confidence"
    for hit in asked(services, "x").facts:
        assert {type(hit.relevance), type(hit.lexical_score), type(hit.decay)} == {float}


def test_23_a_lost_store_says_so_and_starts_again(path: Path) -> None:
    for number in range(5):
        with opened(path, seed=number) as services:
            services.remember.fact(NS, FactDraft(statement=f"disk {number}"))
    for verb in (asked, remembered):
        with pytest.raises(Unavailable):
            verb(services, "disk")
    with opened(path, seed=5) as again:
        assert len(asked(again, "disk", limit=20).facts) == 5
