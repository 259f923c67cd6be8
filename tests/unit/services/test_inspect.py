"""Where it stands, and why an answer may be empty."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.answers import Finding, RecallMode
from graphmem.domain.drafts import Question
from graphmem.wiring import Services
from tests.builders import NS, changes, strategy
from tests.services import DOWN, FlakyEmbedder, by_hand, failed, opened, recorded, refusal, remembered, state


def doctor(services: Services, situation: str = "", namespace: str = NS) -> tuple[Finding, ...]:
    """The findings, with a question where one is given."""
    question = Question(situation=situation) if situation else None
    return services.inspect.doctor(namespace, question, services.recall)


def wrong(findings: tuple[Finding, ...]) -> str:
    """The one thing that is not in order; that it says what to do is checked here."""
    (found,) = [finding for finding in findings if not finding.ok]
    assert found.remedy
    return found.what


def test_the_status_of_a_namespace(services: Services, path: Path) -> None:
    remembered(services, "x")
    failed(services, "y")
    found = services.inspect.status(NS)
    assert (found.namespace, found.store) == (NS, f"sqlite:///{path}")
    assert (found.revision, found.index_revision, found.digest_matches) == (2, 2, True)
    assert (found.counts["FACT"], found.counts["EXPERIENCE"], found.counts["FAILURE"]) == (1, 1, 1)
    assert (found.embedder, found.mode) == ("hash:signed-features", RecallMode.HYBRID)
    assert (found.without_vectors, found.bad_vectors, found.notes) == (0, 0, ())


def test_waiting_jobs_are_counted(path: Path) -> None:
    embedder = FlakyEmbedder()
    embedder.broken = DOWN
    with opened(path, embedder=embedder) as services:
        remembered(services, "x")
        remembered(services, "y")
        assert services.inspect.status(NS).pending_jobs == 2
        embedder.broken = None
        services.maintain.embed_pending(NS)
        assert services.inspect.status(NS).pending_jobs == 0


def test_the_status_of_nothing(services: Services) -> None:
    found = services.inspect.status("nobody")
    assert (found.revision, found.index_revision, found.digest_matches) == (0, 0, True)
    assert list(services.store.namespaces()) == []


def test_when_all_is_well_the_doctor_finds_nothing_wrong(services: Services) -> None:
    remembered(services, "the disk is full")
    findings = doctor(services, "disk")
    assert all(finding.ok for finding in findings)
    assert [finding.what for finding in findings][-2:] == [
        "1 memory is listed",
        "no past failure is near enough to warn about; those listed are background",
    ]


def test_the_doctor_writes_nothing(services: Services) -> None:
    remembered(services, "the disk is full")
    before = state(services)
    doctor(services, "disk")
    assert state(services) == before


def test_it_says_what_would_be_said(services: Services) -> None:
    failed(services, "copy the disk")
    assert doctor(services, "copy the disk")[-1].what == "said: REMIND"


def test_an_empty_store_is_empty(services: Services) -> None:
    findings = doctor(services, "disk")
    assert wrong(findings) == "namespace 'main' is empty"
    assert findings[0].remedy == "record something first"


def test_an_empty_namespace_names_the_others(services: Services) -> None:
    remembered(services, "x", "mian")
    findings = doctor(services, "disk")
    assert wrong(findings) == "namespace 'main' is empty"
    assert "'mian'" in findings[0].remedy


def test_a_question_that_nothing_fits(services: Services) -> None:
    remembered(services, "the disk is full")
    assert wrong(doctor(services, "qqqq")) == "nothing shares a word or comes near in meaning"


def test_a_question_that_only_a_strategy_fits(services: Services) -> None:
    services.store.apply(changes(strategy("look at the disk")))
    findings = doctor(services, "disk")
    assert "1 memory is listed" in [finding.what for finding in findings]


def test_vectors_of_another_model(path: Path) -> None:
    with opened(path, embedder=FlakyEmbedder(model="m1")) as first:
        remembered(first, "the disk is full")
    with opened(path, embedder=FlakyEmbedder(model="m2"), seed=1) as second:
        assert wrong(doctor(second, "disk")) == "vectors of this namespace were made by hash:m1: words only"


def test_no_embedder(path: Path) -> None:
    with opened(path, words_only=True) as services:
        remembered(services, "the disk is full")
        assert wrong(doctor(services, "disk")) == "no embedder: words only"


def test_an_embedder_that_does_not_answer_any_more(flaky: Services, embedder: FlakyEmbedder) -> None:
    remembered(flaky, "the disk is full")
    assert all(finding.ok for finding in doctor(flaky, "disk"))
    embedder.broken = DOWN
    assert wrong(doctor(flaky, "disk")) == "embedder hash:m1 does not answer"


def test_memories_that_wait_for_their_vectors(flaky: Services, embedder: FlakyEmbedder) -> None:
    embedder.broken = DOWN
    remembered(flaky, "the disk is full")
    recorded(flaky, "copy", correction="x")
    embedder.broken = None
    assert wrong(doctor(flaky)) == "hash:m1: 2 memories without a usable vector"


def test_vectors_that_cannot_be_compared(services: Services, path: Path) -> None:
    remembered(services, "the disk is full")
    remembered(services, "the network is down")
    by_hand(path, "UPDATE vectors SET vector = x'00' WHERE memory_id = (SELECT min(memory_id) FROM vectors)")
    assert services.inspect.status(NS).bad_vectors == 1
    assert "1 memory without a usable vector" in wrong(doctor(services))


def test_an_index_that_differs_is_rebuilt(services: Services) -> None:
    remembered(services, "the disk is full")
    services.inspect.status(NS)
    indexes: Any = services.inspect._indexes
    indexes._indexes._followers[NS]._digests.clear()
    assert "the index differed and was rebuilt" in [finding.what for finding in doctor(services)]
    assert services.inspect.status(NS).digest_matches


@pytest.mark.parametrize("name", ["", None, 1])
def test_a_bad_namespace_is_refused(services: Services, name: Any) -> None:
    assert refusal(lambda: services.inspect.status(name), services).field == "namespace"
