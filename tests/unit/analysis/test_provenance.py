"""Served text is known again when it comes back."""

from __future__ import annotations

import pytest

from graphmem.analysis.provenance import lessons, sources
from graphmem.domain.memories import Memory, RootCause
from tests.builders import experience, fact, failure, pattern, strategy

FIX = "return an empty result when there are no rows"
SERVED = failure("clean the column", correction=FIX)


@pytest.mark.parametrize(
    "text",
    [
        FIX,
        "  Return an EMPTY result\nwhen there are no rows",
        "return an empty result when there are no rows!",
        "when there are no rows, return an empty result",
    ],
)
def test_a_copy_names_its_source(text: str) -> None:
    assert sources(failure("clean", correction=text), [SERVED]) == (SERVED.id,)
    assert sources(experience("clean", generalization=text), [SERVED]) == (SERVED.id,)


@pytest.mark.parametrize(
    "text", ["", "raise an error when a row is broken", "return rows", "look at the rows first"]
)
def test_other_words_are_the_writers_own(text: str) -> None:
    assert sources(failure("clean", correction=text), [SERVED]) == ()


def test_short_texts_are_copies_only_where_they_are_equal() -> None:
    assert sources(failure(correction="retry"), [failure(correction="Retry")]) != ()
    assert sources(failure(correction="retry later"), [failure(correction="later, retry")]) == ()


def test_chinese_texts_are_compared_as_well() -> None:
    served = failure(correction="空数组要返回空结果，不要报错")
    assert sources(failure(correction="空数组要返回空结果, 不要报错。"), [served]) == (served.id,)
    assert sources(failure(correction="时区要先换算成世界时"), [served]) == ()


@pytest.mark.parametrize(
    "served",
    [
        pattern(FIX),
        pattern("other", prevention=FIX),
        strategy(FIX),
        fact(FIX),
        failure(generalization=FIX),
        failure(root_cause=RootCause("?", prevention=FIX)),
    ],
)
def test_every_kind_of_lesson_can_come_back(served: Memory) -> None:
    assert sources(failure(correction=FIX), [fact(), served]) == (served.id,)


def test_a_repeated_action_is_no_copy() -> None:
    """What was done and how it failed is the writer's own, however often it happens."""
    assert sources(failure("clean the column", error_type="IndexError"), [SERVED]) == ()
    assert lessons(failure("clean the column")) == ()
