"""Out as lines, in anywhere, as often as you like."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.causation import CauseEdge, VerdictKind
from graphmem.domain.drafts import CauseReview, MemoryUpdate
from graphmem.domain.encoding import canonical
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Experience, Memory
from graphmem.ports.queries import EdgeSelection, PageRequest, Selection
from graphmem.services import analyse
from graphmem.wiring import Services
from tests.analyses import CAUSE
from tests.builders import NS, at, changes, generalizes, pattern
from tests.lessons import broke
from tests.services import (
    DOWN,
    FlakyEmbedder,
    asked,
    because,
    failed,
    lines,
    opened,
    refusal,
    remembered,
    state,
    texts,
)


@pytest.fixture
def exported(services: Services) -> list[str]:
    """Lines of a namespace with edges, verdicts, evidence, and a superseded fact."""
    fact = remembered(services, "端口是 80", tags=("a",), metadata={"n": 2**53 + 1}, occurred_at=at(-50))
    remembered(services, "端口是 8080", supersedes=("F-1",))
    cause = failed(
        services, "open the port", task_id="t", occurred_at=at(0), caused_by=because(fact, note="seen")
    )
    effect = failed(
        services, "connect", task_id="t", occurred_at=at(3), caused_by=because(cause, confidence=0.6)
    )
    services.link.review(
        NS, CauseReview(effect="E-2", cause="E-1", verdict=VerdictKind.CONFIRM, reason="log")
    )
    services.link.review(NS, CauseReview(effect="E-1", cause="F-1", verdict=VerdictKind.REFUTE, reason="no"))
    services.revise.update(NS, MemoryUpdate(id="E-2", correction="use 8080"))
    lesson = pattern("check the port")
    services.store.apply(changes(lesson, edges=(generalizes(lesson, effect.memory),)))
    return list(services.transfer.export(NS))


def memories(services: Services, namespace: str) -> list[Memory]:
    """All memories, oldest first."""
    page = PageRequest(first=100, ascending=True)
    return list(services.store.find(namespace, Selection(), page).items)


def told(services: Services, namespace: str) -> tuple[list[Any], list[Any]]:
    """What a namespace says, without ids and refs."""
    found = memories(services, namespace)
    names = {memory.id: memory.text for memory in found}
    kept = [(item.kind, item.text, item.state, item.tags, item.metadata, item.occurred_at) for item in found]
    edges = services.store.edges(namespace, EdgeSelection(), PageRequest(first=100)).items
    joined = sorted(
        (names[edge.from_id], names[edge.to_id], edge.kind, edge.recorded_at)
        + ((edge.evidence, edge.verdicts, edge.lag_ms) if isinstance(edge, CauseEdge) else ())
        for edge in edges
    )
    return sorted(kept, key=str), joined


def test_the_first_line_says_what_it_is(exported: list[str]) -> None:
    assert lines(exported)[0] == {"graphmem": "export", "format": 1, "source": NS, "revision": 8}


def test_memories_come_oldest_first_and_then_the_edges(exported: list[str]) -> None:
    data = lines(exported)[1:]
    assert ["from_id" in item for item in data] == [False] * 5 + [True] * 4
    times = [item["occurred_at"] for item in data[:5]]
    assert times == sorted(times)


def test_an_empty_namespace_is_one_line(services: Services) -> None:
    assert len(list(services.transfer.export("nobody"))) == 1


def test_many_pages_are_all_written(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.services.transfer.MAX_ITEMS", 2)
    cause = failed(services, "0")
    for number in range(1, 6):
        failed(services, str(number), caused_by=because(cause))
    data = lines(list(services.transfer.export(NS)))[1:]
    assert len({item.get("id") or item["from_id"] + "-" for item in data}) == 11


def test_another_namespace_gets_the_same_texts_edges_and_verdicts(
    services: Services, exported: list[str]
) -> None:
    report = services.transfer.import_lines("copy", exported)
    assert (report.created, report.known, report.edges, report.failures) == (5, 0, 4, ())
    assert told(services, "copy") == told(services, NS)


def test_another_store_gets_the_same_texts_edges_and_verdicts(
    services: Services, exported: list[str], tmp_path: Path
) -> None:
    with opened(tmp_path / "other.db", seed=1) as other:
        other.transfer.import_lines(NS, exported)
        assert told(other, NS) == told(services, NS)
        assert other.inspect.status(NS).digest_matches


def test_what_was_imported_can_be_asked_and_explained(services: Services, exported: list[str]) -> None:
    services.transfer.import_lines("copy", exported)
    found = asked(services, "connect", "copy")
    assert texts(found.errors)[0] == "connect"
    (root, *_) = services.explain.explain("copy", found.errors[0].memory.id).root_causes
    assert root.memory.text == "open the port"


def test_an_import_gives_its_own_ids_and_refs(services: Services, exported: list[str]) -> None:
    remembered(services, "here before", "copy")
    services.transfer.import_lines("copy", exported)
    old, new = memories(services, NS), memories(services, "copy")
    assert not {memory.id for memory in old} & {memory.id for memory in new}
    assert len({memory.ref for memory in new}) == 6


def test_a_second_import_changes_nothing(services: Services, exported: list[str]) -> None:
    services.transfer.import_lines("copy", exported)
    before = state(services, "copy")
    report = services.transfer.import_lines("copy", exported)
    assert (report.created, report.known) == (0, 5)
    assert state(services, "copy") == before


def test_a_later_export_brings_only_what_is_new(services: Services, exported: list[str]) -> None:
    services.transfer.import_lines("copy", exported)
    effect = services.browse.memory(NS, "E-2")
    failed(services, "retry", caused_by=because(effect.id))
    report = services.transfer.import_lines("copy", services.transfer.export(NS))
    assert (report.created, report.known) == (1, 5)
    assert told(services, "copy") == told(services, NS)


def test_what_was_forgotten_after_an_import_does_not_come_back(
    services: Services, exported: list[str]
) -> None:
    services.transfer.import_lines("copy", exported)
    (doomed,) = [memory for memory in memories(services, "copy") if memory.text.startswith("open")]
    services.forget.forget("copy", doomed.id)
    services.transfer.import_lines("copy", exported)
    assert not any(memory.text.startswith("open") for memory in memories(services, "copy"))


def test_the_source_stays_as_it_was(services: Services, exported: list[str]) -> None:
    before = state(services)
    services.transfer.import_lines("copy", exported)
    assert state(services) == before


def test_without_vectors_in_time_they_follow(flaky: Services, embedder: FlakyEmbedder) -> None:
    remembered(flaky, "the disk is full")
    told_lines = list(flaky.transfer.export(NS))
    embedder.broken = DOWN
    flaky.embedding._cache.clear()
    flaky.transfer.import_lines("copy", told_lines)
    embedder.broken = None
    assert flaky.maintain.embed_pending("copy") == 1
    assert flaky.inspect.status("copy").without_vectors == 0


def test_blank_lines_are_passed_over(services: Services, exported: list[str]) -> None:
    spaced = [part for line in exported for part in (line + "\n", "\n", "   ")]
    assert services.transfer.import_lines("copy", spaced).created == 5


HEADER = canonical({"graphmem": "export", "format": 1, "source": "x", "revision": 1})
BAD = {
    "no header": ["{}"],
    "nothing": [],
    "no JSON": [HEADER, "{"],
    "a number": [HEADER, "5"],
    "null": [HEADER, "null"],
    "a list": [HEADER, "[1]"],
    "an unknown kind": [HEADER, '{"kind":"DREAM"}'],
    "no kind": [HEADER, '{"id":"x"}'],
    "an unknown field": [HEADER, '{"kind":"FACT","colour":"red"}'],
    "a field is missing": [HEADER, '{"kind":"FACT","statement":"x"}'],
    "another format": [canonical({"graphmem": "export", "format": 2, "source": "x"})],
    "no source": [canonical({"graphmem": "export", "format": 1})],
    "3,000 deep": [HEADER, "[" * 100_000],
    "a time without a zone": [
        HEADER,
        '{"kind":"FACT","id":"a","namespace":"x","statement":"x","occurred_at":"2026-01-01T00:00:00",'
        '"recorded_at":"2026-01-01T00:00:00+00:00"}',
    ],
    "an impossible confidence": [
        HEADER,
        '{"kind":"CAUSED_BY","from_id":"a","to_id":"b","recorded_at":"2026-01-01T00:00:00+00:00",'
        '"evidence":[{"grade":"ASSERTED","confidence":0,"method":"m","by":"b",'
        '"at":"2026-01-01T00:00:00+00:00"}]}',
    ],
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_export_is_refused_whole(services: Services, exported: list[str], name: str) -> None:
    error = refusal(lambda: services.transfer.import_lines("copy", BAD[name]), services)
    assert isinstance(error, BadInputError)
    assert error.field == "lines"
    assert "copy" not in services.store.namespaces()


def test_one_bad_line_refuses_all_lines_and_is_numbered(services: Services, exported: list[str]) -> None:
    error = refusal(lambda: services.transfer.import_lines("copy", [*exported, "{"]), services)
    assert f"line {len(exported) + 1}" in str(error)
    assert "copy" not in services.store.namespaces()


def test_secrets_in_lines_from_elsewhere_are_replaced(services: Services, exported: list[str]) -> None:
    foreign = [line.replace("open the port", "API_TOKEN=fake-123456") for line in exported]
    services.transfer.import_lines("copy", foreign)
    assert not any("fake-123456" in memory.text for memory in memories(services, "copy"))


def test_what_a_namespace_exported_itself_is_known(services: Services, exported: list[str]) -> None:
    before = services.store.state(NS)
    report = services.transfer.import_lines(NS, exported)
    assert (report.created, report.known > 0) == (0, True)
    assert services.store.state(NS) == before


def test_imported_failures_are_learned_from(services: Services) -> None:
    """Those without a root cause wait for an analyst, given up elsewhere or not; alike ones come into one cluster."""
    for number in range(3):
        broke(services, number)
    failed(services, "plant an oak", root_cause=CAUSE)
    for _ in range(analyse.POISONED + 1):
        services.analyse.claim(NS, "nobody", 10)
        services.analyse._clock.now += analyse.LEASE  # type: ignore[attr-defined]
    exported = list(services.transfer.export(NS))
    assert [memory.analysis for memory in failures(services, NS)] == ["FAILED"] * 3 + ["NOT_NEEDED"]
    services.transfer.import_lines("copy", exported)
    there = failures(services, "copy")
    assert [memory.analysis for memory in there] == ["PENDING"] * 3 + ["NOT_NEEDED"]
    assert len({memory.cluster_id for memory in there[:3]} - {""}) == 1
    waiting = services.analyse.pending("copy", 100)
    assert [item.subject.ref for item in waiting] == ["P-1", "E-1", "E-2", "E-3"]
    before = services.store.state("copy")
    assert before.pending_jobs == 0
    services.transfer.import_lines("copy", exported)
    assert services.store.state("copy") == before


def failures(services: Services, namespace: str) -> list[Experience]:
    """The failures of a namespace, oldest first."""
    return [memory for memory in memories(services, namespace) if isinstance(memory, Experience)]
