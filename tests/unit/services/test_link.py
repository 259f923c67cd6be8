"""Causes after the fact: stated, confirmed, refuted, proposed."""

from __future__ import annotations

from typing import Any

import pytest

from graphmem.domain.causation import CauseEdge, Grade, VerdictKind
from graphmem.domain.drafts import CauseLink, CauseRef, CauseReview
from graphmem.domain.errors import AmbiguousError, BadInputError, NotFoundError, TooLargeError
from graphmem.domain.records import RecordKind
from graphmem.ports.queries import EdgeSelection, PageRequest, RecordSelection
from graphmem.wiring import Services
from tests.builders import NS, at
from tests.services import failed, recorded, refusal, remembered, state

CONFIRM, REFUTE = VerdictKind.CONFIRM, VerdictKind.REFUTE


@pytest.fixture(autouse=True)
def _pair(services: Services) -> None:
    """E-1 happened before E-2, F-1 is a fact, all of one task."""
    failed(services, "delete the index", task_id="t", occurred_at=at(0))
    failed(services, "search finds nothing", task_id="t", occurred_at=at(10))
    remembered(services, "the index lies on disk a", task_id="t")


def link(services: Services, effect: str = "E-2", **fields: Any) -> CauseEdge:
    """State that E-1 caused E-2, or what else is given."""
    cause = {name: fields.pop(name) for name in ("id", "key", "text", "confidence", "note") if name in fields}
    if not {"id", "key", "text"} & cause.keys():
        cause["id"] = "E-1"
    wanted = CauseLink(effect=effect, cause=CauseRef(**cause), **fields)
    return services.link.link(NS, wanted)


def review(
    services: Services, kind: VerdictKind, effect: str = "E-2", cause: str = "E-1", **fields: Any
) -> CauseEdge:
    """Say whether E-1 caused E-2."""
    return services.link.review(NS, CauseReview(effect=effect, cause=cause, verdict=kind, **fields))


def stored(services: Services) -> list[CauseEdge]:
    """All cause edges."""
    page = services.store.edges(NS, EdgeSelection(), PageRequest(first=100))
    return [edge for edge in page.items if isinstance(edge, CauseEdge)]


def test_the_receipt_is_the_edge_as_stored(services: Services) -> None:
    edge = link(services, confidence=0.6, note="seen in the log", by="anna")
    assert stored(services) == [edge]
    (evidence,) = edge.evidence
    assert (evidence.grade, evidence.confidence, evidence.note, evidence.by) == (
        Grade.ASSERTED,
        0.6,
        "seen in the log",
        "anna",
    )
    assert edge.lag_ms == 10_000


def test_a_second_statement_adds_evidence_to_the_same_edge(services: Services) -> None:
    link(services, confidence=0.6)
    edge = link(services, confidence=0.9, grade=Grade.TRACED)
    assert len(stored(services)) == 1
    assert [item.confidence for item in edge.evidence] == [0.6, 0.9]
    assert (edge.confidence, edge.grade) == (0.9, Grade.ASSERTED)


def test_a_fact_may_be_the_cause(services: Services) -> None:
    assert link(services, id="F-1").cause_id == services.browse.memory(NS, "F-1").id


def test_a_cause_may_be_named_by_a_text_of_the_task(services: Services) -> None:
    assert link(services, text="delete the").cause_id == services.browse.memory(NS, "E-1").id


def test_every_statement_is_noted_for_the_auditor(services: Services) -> None:
    link(services, by="anna")
    review(services, CONFIRM, by="bert")
    page = services.store.records(NS, RecordKind.AUDIT, RecordSelection(), PageRequest(first=10))
    assert [(item.body["action"], item.body["by"]) for item in page.items] == [
        ("linkCause", "anna"),
        ("reviewCause", "bert"),
    ]


BAD: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "itself": ({"id": "E-2"}, BadInputError, "cause"),
    "unknown cause": ({"id": "no-such-id"}, NotFoundError, "cause.id"),
    "unknown effect": ({"effect": "no-such-id"}, NotFoundError, "effect"),
    "effect is a fact": ({"effect": "F-1"}, BadInputError, "cause"),
    "later cause": ({"effect": "E-1", "id": "E-2"}, BadInputError, "cause"),
    "no cause": ({"id": ""}, BadInputError, "cause"),
    "two names": ({"id": "E-1", "key": "k"}, BadInputError, "cause"),
    "unknown key": ({"key": "k"}, NotFoundError, "cause.key"),
    "two fit": ({"text": "the index"}, AmbiguousError, "cause.text"),
    "inferred": ({"grade": Grade.INFERRED}, BadInputError, "grade"),
    "confirmed": ({"grade": Grade.CONFIRMED}, BadInputError, "grade"),
    "confidence 2": ({"id": "E-1", "confidence": 2.0}, BadInputError, "cause.confidence"),
    "confidence 1e400": ({"id": "E-1", "confidence": float("inf")}, BadInputError, "cause.confidence"),
    "long by": ({"by": "x" * 300}, TooLargeError, "by"),
    "NUL in note": ({"id": "E-1", "note": "\0"}, BadInputError, "note"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_statement_is_refused_and_names_its_field(services: Services, name: str) -> None:
    fields, kind, field = BAD[name]
    error = refusal(lambda: link(services, **fields), services)
    assert isinstance(error, kind)
    assert error.field == field


def test_a_cause_of_another_namespace_is_unknown(services: Services) -> None:
    foreign = failed(services, "x", "other")
    assert isinstance(refusal(lambda: link(services, id=foreign.memory.id), services), NotFoundError)


def test_the_latest_verdict_counts(services: Services) -> None:
    link(services)
    assert not review(services, REFUTE).active
    assert [item.memory.ref for item in services.explain.explain(NS, "E-2").root_causes] == ["E-2"]
    edge = review(services, CONFIRM)
    assert (edge.grade, len(edge.verdicts), len(edge.evidence)) == (Grade.CONFIRMED, 2, 1)
    assert services.explain.explain(NS, "E-2").root_causes[0].memory.ref == "E-1"


def test_a_refuted_edge_is_kept(services: Services) -> None:
    link(services)
    review(services, REFUTE, reason="the index was there")
    (edge,) = stored(services)
    assert edge.verdicts[0].reason == "the index was there"


@pytest.mark.parametrize(
    ("effect", "cause", "field"),
    [("E-1", "E-2", "cause"), ("E-9", "E-1", "effect"), ("E-2", "E-9", "cause"), ("E-2", "F-1", "cause")],
)
def test_only_a_stated_cause_can_be_reviewed(services: Services, effect: str, cause: str, field: str) -> None:
    link(services)
    error = refusal(lambda: review(services, CONFIRM, effect, cause), services)
    assert isinstance(error, NotFoundError)
    assert error.field == field


def test_secrets_in_notes_and_reasons_are_replaced(services: Services) -> None:
    assert "[redacted:token]" in link(services, id="E-1", note="API_TOKEN=fake-123456").evidence[0].note
    assert "[redacted:token]" in review(services, REFUTE, reason="API_TOKEN=fake-123456").verdicts[0].reason


def test_a_proposal_is_no_edge(services: Services) -> None:
    before = state(services)
    found = services.link.suggest(NS, "E-2")
    assert [item.memory.ref for item in found] == ["E-1"]
    assert state(services) == before


def test_only_what_happened_before_in_the_same_task_is_proposed(services: Services) -> None:
    failed(services, "later", task_id="t", occurred_at=at(11))
    failed(services, "elsewhere", task_id="u", occurred_at=at(9))
    assert [item.memory.ref for item in services.link.suggest(NS, "E-2")] == ["E-1"]


def test_without_a_task_the_session_is_looked_at(services: Services) -> None:
    failed(services, "sooner", session_id="s", occurred_at=at(0))
    failed(services, "later", session_id="s", occurred_at=at(1))
    assert [item.memory.ref for item in services.link.suggest(NS, "E-4")] == ["E-3"]


def test_without_task_and_session_nothing_is_proposed(services: Services) -> None:
    failed(services, "alone")
    assert services.link.suggest(NS, "E-3") == ()


def test_two_at_the_same_instant_are_ordered_by_id(services: Services) -> None:
    for name in "ab":
        failed(services, name, session_id="s", occurred_at=at(0))
    assert [item.memory.ref for item in services.link.suggest(NS, "E-4")] == ["E-3"]
    assert services.link.suggest(NS, "E-3") == ()


def test_a_cause_is_found_however_much_happened_afterwards(services: Services) -> None:
    for number in range(210):
        recorded(services, f"clean up {number}", task_id="t", occurred_at=at(100 + number))
    assert [item.memory.ref for item in services.link.suggest(NS, "E-2")] == ["E-1"]


@pytest.mark.parametrize(("name", "kind"), [("F-1", BadInputError), ("E-9", NotFoundError)])
def test_only_experiences_have_proposals(services: Services, name: str, kind: type[Exception]) -> None:
    error = refusal(lambda: services.link.suggest(NS, name), services)
    assert isinstance(error, kind)
    assert error.field == "id"


def test_a_statement_and_a_review_repeated_change_nothing(services: Services) -> None:
    """A retry after a lost answer is harmless, though neither call has a key."""
    for call in (
        lambda: link(services, note="n", by="me"),
        lambda: review(services, REFUTE, by="me", reason="no"),
    ):
        first = call()
        before = services.store.state(NS)
        assert call() == first
        assert services.store.state(NS) == before


def test_what_is_linked_is_not_proposed_again(services: Services) -> None:
    assert [item.memory.ref for item in services.link.suggest(NS, "E-2")] == ["E-1"]
    link(services)
    assert services.link.suggest(NS, "E-2") == ()
