"""What if some causes of a failure had not been: over one explanation."""

from __future__ import annotations

import pytest

from graphmem.domain.errors import BadInputError
from graphmem.domain.explanations import Explanation
from graphmem.services.what_if import what_if
from graphmem.wiring import Services
from tests.builders import NS
from tests.services import because, failed, refusal, remembered


@pytest.fixture
def found(services: Services) -> Explanation:
    """E-3 has two causes: E-1 (.9) and E-2 (.5), both because of F-1."""
    fact = remembered(services, "the config says port 80")
    one = failed(services, "one", caused_by=because(fact, confidence=1.0))
    other = failed(services, "other", caused_by=because(fact, confidence=1.0))
    failed(services, "both", caused_by=(*because(one, confidence=0.9), *because(other, confidence=0.5)))
    return services.explain.explain(NS, "E-3")


def test_what_is_left_is_told_with_its_interval(found: Explanation) -> None:
    """Of the worlds in which it happened (.95), the other cause alone was enough in .5."""
    answer = what_if(found, ["E-1"])
    asked, first, second = answer.still
    assert (asked.memory.ref, first.memory.ref, second.memory.ref) == ("E-3", "E-1", "E-2")
    assert asked.low < 0.5 / 0.95 < asked.high
    assert asked.high - asked.low < 0.06
    assert (first.probability, second.probability) == (0.0, 1.0)
    assert answer.avoided == pytest.approx(1 + 1 - asked.probability)


def test_what_loses_every_way_is_prevented(found: Explanation) -> None:
    assert what_if(found, ["E-1"]).prevented == (found.root_causes[1].memory.id,)
    assert len(what_if(found, ["E-1", "E-2"]).prevented) == 3
    assert len(what_if(found, ["F-1"]).prevented) == 3


def test_ids_and_refs_name_the_same(found: Explanation) -> None:
    by_ref = what_if(found, ["F-1"])
    assert what_if(found, list(by_ref.removed)) == by_ref


def test_without_names_the_smallest_fix_is_taken(found: Explanation) -> None:
    answer = what_if(found)
    assert answer.removed == found.joint_fix
    assert found.of.id in answer.prevented


def test_where_nothing_can_be_fixed_nothing_is_removed(services: Services) -> None:
    failed(services, "alone")
    answer = what_if(services.explain.explain(NS, "E-1"))
    assert (answer.removed, answer.prevented, answer.avoided) == ((), (), 0.0)
    assert [item.probability for item in answer.still] == [1.0]


@pytest.mark.parametrize("remove", [[], ["E-9"], ["E-1", ""], ["no-such-id"]])
def test_what_is_not_in_the_explanation_is_refused(
    services: Services, found: Explanation, remove: list[str]
) -> None:
    error = refusal(lambda: what_if(found, remove), services)
    assert isinstance(error, BadInputError)
    assert error.field == "remove"


def test_a_memory_outside_the_explanation_is_refused(services: Services, found: Explanation) -> None:
    failed(services, "elsewhere")
    assert isinstance(refusal(lambda: what_if(found, ["E-4"]), services), BadInputError)
