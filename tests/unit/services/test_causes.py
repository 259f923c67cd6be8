"""Causes named by the writer: by id, ref, key or text."""

from __future__ import annotations

from typing import Any

from graphmem.domain.causation import Grade
from graphmem.domain.drafts import CauseRef, ExperienceDraft
from graphmem.domain.errors import (
    AmbiguousError,
    BadInputError,
)
from graphmem.domain.memories import (
    Result,
)
from graphmem.wiring import Services
from tests.builders import NS, at, bare
from tests.services import because, failed, refusal, remembered


def experience(action: str = "copy", **fields: Any) -> ExperienceDraft:
    """A draft of a failure."""
    return ExperienceDraft(**({"action": action, "result": Result.FAILURE} | fields))


def test_a_cause_may_be_named_by_ref_key_or_text(services: Services) -> None:
    cause = failed(services, "delete the index", key="k", task_id="t")
    for ref in (CauseRef(id="E-1"), CauseRef(key="k"), CauseRef(text=" DELETE the "), *because(cause)):
        effect = failed(services, "search", task_id="t", caused_by=(ref,))
        assert [item.id for item in services.explain.explain(NS, effect.memory.id).nodes] == [
            effect.memory.id,
            cause.memory.id,
        ]


def test_a_text_that_fits_several_memories_is_refused_with_their_refs(services: Services) -> None:
    for action in ("delete a", "delete b"):
        failed(services, action, task_id="t")
    failed(services, "delete c", task_id="another")
    error = refusal(
        lambda: failed(services, "x", task_id="t", caused_by=(CauseRef(text="delete"),)), services
    )
    assert isinstance(error, AmbiguousError)
    assert sorted(error.candidates) == ["E-1", "E-2"]
    assert error.field == "caused_by[0].text"


def test_a_text_is_looked_up_among_the_items_of_the_same_call(services: Services) -> None:
    drafts = [
        experience("open the gate", task_id="t"),
        experience("walk", task_id="t", caused_by=(CauseRef(text="gate"),)),
    ]
    first, second = services.remember.many(NS, drafts)
    assert services.explain.explain(NS, second.memory.id).earliest == first.memory.id


def test_an_item_of_another_task_in_the_same_call_is_not_looked_at(services: Services) -> None:
    drafts = [
        experience("open the gate", task_id="t"),
        experience("open the gate again", task_id="another"),
        experience("walk", task_id="t", caused_by=(CauseRef(text="gate"),)),
    ]
    first, _, third = services.remember.many(NS, drafts)
    assert services.explain.explain(NS, third.memory.id).earliest == first.memory.id


def test_a_fact_may_be_a_cause(services: Services) -> None:
    fact = remembered(services, "port 80 is open")
    effect = failed(services, "connect", caused_by=because(fact))
    assert services.explain.explain(NS, effect.memory.id).root_causes[0].memory == bare(fact.memory)


def test_a_cause_after_its_effect_is_refused(services: Services) -> None:
    cause = failed(services, "later", occurred_at=at(100))
    error = refusal(
        lambda: failed(services, "sooner", occurred_at=at(94.9), caused_by=because(cause)), services
    )
    assert isinstance(error, BadInputError)
    assert error.field == "caused_by[0]"


def test_clocks_may_differ_by_five_seconds(services: Services) -> None:
    cause = failed(services, "later", occurred_at=at(100))
    assert failed(services, "sooner", occurred_at=at(95), caused_by=because(cause)).created


def test_a_cause_may_be_traced_but_not_confirmed_by_its_writer(services: Services) -> None:
    cause = failed(services, "delete the index")
    effect = failed(services, "search", caused_by=because(cause, grade=Grade.TRACED))
    (edge,) = services.explain.explain(NS, effect.memory.id).edges
    assert edge.grade is Grade.TRACED
    error = refusal(lambda: failed(services, "x", caused_by=because(cause, grade=Grade.CONFIRMED)), services)
    assert (error.code, error.field) == ("BAD_INPUT", "caused_by[0].grade")
