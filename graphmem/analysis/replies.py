"""A model's text as findings: only what was asked for, in the form that was asked for, or a word on what is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeVar

from graphmem.analysis.prompts import SCHEMAS
from graphmem.domain.analyses import WorkKind
from graphmem.domain.consulting import Findings
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import ContextSufficiency, Json, RootCause, RootCauseType

LONGEST_ANSWER = 2_000
"""Characters of one text of an answer."""
LAST_STEP = 1_000_000

_Choice = TypeVar("_Choice", RootCauseType, ContextSufficiency)


def read_reply(kind: WorkKind, text: str) -> Findings:
    """The findings in a model's text; a fence or words around the object do no harm.

    Raises BadInputError saying what is wrong, in words for the model: it repeats nothing of the text but key names
    of ours.
    """
    answer = _object(text)
    _check_keys(answer, SCHEMAS[kind], "")
    if kind is WorkKind.FAILURE:
        cause = _cause(answer, "")
        return Findings(root_cause=cause, generalization=_text(answer, "generalization"))
    return Findings(
        lesson=_required(answer, "lesson"),
        trigger_conditions=_text(answer, "triggerConditions"),
        root_cause=_cause(answer["rootCause"], "rootCause."),
    )


def _object(text: str) -> dict[str, Json]:
    start, end = text.find("{"), text.rfind("}")
    try:
        answer = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise BadInputError("it is no JSON object")
    return answer


def _check_keys(answer: Json, schema: Mapping[str, Json], prefix: str) -> None:
    """Refuse keys that were not asked for and the lack of those that were."""
    if not isinstance(answer, dict):
        raise BadInputError(f"{prefix.rstrip('.')} is no object")
    wanted = schema["properties"]
    missing = [prefix + name for name in wanted if name not in answer]
    if missing:
        raise BadInputError(f"{', '.join(missing)} missing")
    if len(answer) > len(wanted):
        raise BadInputError(f"only these keys are allowed: {', '.join(prefix + name for name in wanted)}")
    for name, inner in wanted.items():
        if inner.get("type") == "object":
            _check_keys(answer[name], inner, f"{prefix}{name}.")


def _cause(answer: Mapping[str, Json], prefix: str) -> RootCause:
    whole = not prefix
    return RootCause(
        summary=_required(answer, "summary", prefix),
        type=_choice(RootCauseType, answer, "type", prefix),
        prevention=_text(answer, "prevention", prefix),
        deviated_at=_step(answer, "deviatedAt") if whole else None,
        context_sufficiency=_choice(ContextSufficiency, answer, "contextSufficiency", "") if whole else None,
        change_at=_step(answer, "changeAt") if whole else None,
    )


def _text(answer: Mapping[str, Json], name: str, prefix: str = "") -> str:
    value = answer[name]
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadInputError(f"{prefix}{name} is no text")
    if len(value) > LONGEST_ANSWER:
        raise BadInputError(f"{prefix}{name} is longer than {LONGEST_ANSWER} characters")
    return value.strip()


def _required(answer: Mapping[str, Json], name: str, prefix: str = "") -> str:
    text = _text(answer, name, prefix)
    if not text:
        raise BadInputError(f"{prefix}{name} is empty")
    return text


def _step(answer: Mapping[str, Json], name: str) -> int | None:
    value = answer[name]
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= LAST_STEP:
        raise BadInputError(f"{name} is neither a step from 1 on nor null")
    return value


def _choice(kind: type[_Choice], answer: Mapping[str, Json], name: str, prefix: str) -> _Choice | None:
    value = answer[name]
    if value is None:
        return None
    try:
        return kind(value)
    except ValueError as error:
        names = ", ".join(one.value for one in kind)
        raise BadInputError(f"{prefix}{name} is none of {names}, and not null") from error
