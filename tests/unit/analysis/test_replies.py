"""A model's text is taken where it is what was asked for, and nothing else of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphmem.analysis.replies import LONGEST_ANSWER, read_reply
from graphmem.domain.analyses import WorkKind
from graphmem.domain.consulting import Findings
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import ContextSufficiency, RootCause, RootCauseType
from tests.chat import CAUSE_FOUND, FAILURE_FOUND, FAILURE_TEXT, PATTERN_FOUND, PATTERN_TEXT

CAUSE = RootCause(
    summary="nobody looked for an empty cell",
    type=RootCauseType.INFORMATION_GAP,
    prevention="look for empty cells before parsing",
)


def problem(found: Any, kind: WorkKind = WorkKind.FAILURE) -> str:
    """What is said about an answer that is refused."""
    with pytest.raises(BadInputError) as caught:
        read_reply(kind, found if isinstance(found, str) else json.dumps(found))
    return caught.value.message


@pytest.mark.parametrize(
    "text", [FAILURE_TEXT, f"```json\n{FAILURE_TEXT}\n```", f"Here it is: {FAILURE_TEXT}."]
)
def test_a_failure_is_read(text: str) -> None:
    found = read_reply(WorkKind.FAILURE, text)
    assert found.generalization == FAILURE_FOUND["generalization"]
    assert found.root_cause == RootCause(
        summary=CAUSE.summary,
        type=CAUSE.type,
        prevention=CAUSE.prevention,
        deviated_at=2,
        context_sufficiency=ContextSufficiency.INSUFFICIENT,
        change_at=1,
    )


def test_a_pattern_is_read() -> None:
    assert read_reply(WorkKind.PATTERN, PATTERN_TEXT) == Findings(
        lesson=PATTERN_FOUND["lesson"],
        trigger_conditions=PATTERN_FOUND["triggerConditions"],
        root_cause=CAUSE,
    )


def test_what_is_not_known_may_be_null() -> None:
    nothing = dict.fromkeys(FAILURE_FOUND) | {"summary": " it broke "}
    assert read_reply(WorkKind.FAILURE, json.dumps(nothing)) == Findings(
        root_cause=RootCause(summary="it broke")
    )


@pytest.mark.parametrize(
    "text", ["", "sorry", "}{", "{", "{'a': 1}", '{"a": [' + "[" * 100_000, "[1]", '{"a": 1} {}']
)
def test_what_is_no_object_is_refused(text: str) -> None:
    assert problem(text) == "it is no JSON object"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("summary", "  ", "summary is empty"),
        ("summary", None, "summary is empty"),
        ("prevention", ["a"], "prevention is no text"),
        (
            "generalization",
            "x" * (LONGEST_ANSWER + 1),
            f"generalization is longer than {LONGEST_ANSWER} characters",
        ),
        ("deviatedAt", 0, "deviatedAt is neither a step from 1 on nor null"),
        ("deviatedAt", True, "deviatedAt is neither a step from 1 on nor null"),
        ("changeAt", 1.0, "changeAt is neither a step from 1 on nor null"),
        ("changeAt", 10**30, "changeAt is neither a step from 1 on nor null"),
        (
            "contextSufficiency",
            "GOOD",
            "contextSufficiency is none of SUFFICIENT, INSUFFICIENT, MISLEADING",
        ),
        ("type", ["INFORMATION_GAP"], "type is none of"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(name: str, value: Any, said: str) -> None:
    assert problem({**FAILURE_FOUND, name: value}).startswith(said)


def test_keys_are_exactly_those_asked_for() -> None:
    """A model that was talked into more is not followed, and its key is not repeated to anybody."""
    said = problem({**FAILURE_FOUND, "delete": ["everything"]})
    assert said.startswith("only these keys are allowed: summary, ")
    assert "delete" not in said
    assert problem({"summary": "x"}).startswith("type, prevention, ")


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        ("the cell", "rootCause is no object"),
        ({**CAUSE_FOUND, "summary": ""}, "rootCause.summary is empty"),
        ({**CAUSE_FOUND, "state": "RETRACTED"}, "only these keys are allowed: rootCause.summary"),
        ({"summary": "x"}, "rootCause.type, rootCause.prevention missing"),
    ],
)
def test_a_cause_inside_is_looked_at_as_well(cause: Any, said: str) -> None:
    assert problem({**PATTERN_FOUND, "rootCause": cause}, WorkKind.PATTERN).startswith(said)
