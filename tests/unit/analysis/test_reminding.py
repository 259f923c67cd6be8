"""When a past failure is said, asked about, or only listed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.analysis.asking import ASK_FAILURES, ASK_RELEVANCE
from graphmem.analysis.calibration import SHIPPED
from graphmem.analysis.inputs import profile
from graphmem.analysis.past_runs import Asked, PastFailure
from graphmem.analysis.reminding import MAX_REMINDERS, Said, decide
from graphmem.domain.answers import Strength
from graphmem.domain.gate import GatePrior
from graphmem.domain.rules import REMIND_PROBABILITY

unhurried = settings(deadline=None)

SILENT = GatePrior(-100.0, (0.0, 0.0, 0.0, 0.0))
"""A gate that never opens."""
OPEN = GatePrior(100.0, (0.0, 0.0, 0.0, 0.0))
"""A gate that always opens."""


def past(name: str, situation: str, relevance: float = 0.5, **fields: Any) -> PastFailure:
    """A failure of no known class, tool or task type."""
    given: dict[str, Any] = {"family": "", "tool": "", "task_type": "", "action": situation}
    return PastFailure(id=name, situation=situation, relevance=relevance, **(given | fields))


def said(situation: str, *failures: PastFailure, tool: str = "", prior: GatePrior = SILENT) -> list[Said]:
    """What is said of the failures."""
    return list(decide(Asked(situation, tool), failures, prior).said)


def family(count: int, situation: str = "read the file", relevance: float = 0.5) -> list[PastFailure]:
    """Failures of one tool and error class, told each in its own words."""
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
    return [
        past(f"e{number}", f"{situation} {word} {word}x", relevance, family="indexerror", tool="bash")
        for number, word in enumerate(words[:count])
    ]


def test_failures_of_another_tool_are_no_reason_to_ask_about_this_one() -> None:
    told = family(3)
    assert [item.strength for item in said("read the file omega", *told)] == [Strength.ASK]
    assert [item.strength for item in said("read the file omega", *told, tool="bash")] == [Strength.ASK]
    assert said("read the file omega", *told, tool="mail") == []


def test_failures_of_another_tool_are_asked_about_where_they_are_one_pattern() -> None:
    told = [replace(failure, pattern="p1") for failure in family(3)]
    assert [item.strength for item in said("read the file omega", *told, tool="mail")] == [Strength.ASK]


def test_failures_of_one_cluster_agree_without_an_error_class() -> None:
    """Told by nobody what failed, the gate goes by what is alike."""
    alone = [past(f"e{number}", f"alpha {number}", 0.6) for number in range(5)]
    alike = [past(f"e{number}", f"alpha {number}", 0.6, cluster="c1") for number in range(5)]
    assert said("omega", *alone, prior=SHIPPED) == []
    assert [item.ids for item in said("omega", *alike, prior=SHIPPED)] == [("e0",)]


def test_failures_of_one_error_class_agree_in_two_clusters_or_in_none() -> None:
    places = ("c1", "c2", "", "c3", "")
    told = [
        past(f"e{n}", f"alpha {n}", 0.6, cluster=place, family="timeout") for n, place in enumerate(places)
    ]
    assert [item.ids for item in said("omega", *told, prior=SHIPPED)] == [("e0",)]


def test_nothing_found_nothing_is_said() -> None:
    assert said("sort the list", prior=OPEN) == []


def test_an_exact_repeat_is_warned_about_for_certain() -> None:
    assert said("sum [1, 2] with bash", past("e1", "sum [1, 2] with bash")) == [
        Said(Strength.REMIND, ("e1",), 1.0)
    ]


def test_case_and_spaces_do_not_hide_a_repeat() -> None:
    assert said("Copy  the FILE to disk", past("e1", "copy the file\nto disk"))


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("sum of [1, 2] over the ledger", "sum of [1, 3] over the ledger"),
        ("open port 8080 on the server", "open port 8081 on the server"),
        ("the value 1.5 of the ledger entry", "the value 2.5 of the ledger entry"),
        ("rename 'a b' in the ledger", "rename 'a c' in the ledger"),
        ("divide the ledger by x = 5 again", "divide the ledger by x = -5 again"),
        ("把账本的 第 3 行 改为 大写", "把账本的 第 4 行 改为 大写"),
    ],
)
def test_the_same_situation_with_other_literals_is_no_repeat(before: str, now: str) -> None:
    assert said(now, past("e1", before)) == []


def test_another_tool_is_no_repeat() -> None:
    repeat = past("e1", "copy the file", tool="bash")
    assert said("copy the file", repeat, tool="python") == []
    assert said("copy the file", repeat, tool="bash") != []
    assert said("copy the file", repeat) != []


def test_of_several_repeats_the_best_is_said() -> None:
    assert said("copy the file", past("e1", "copy the file"), past("e2", "copy the file"))[0].ids == ("e1",)


def test_a_repeat_is_said_in_place_of_the_gate() -> None:
    found = said("copy the file", past("near", "move a disk"), past("same", "copy the file"), prior=OPEN)
    assert [item.ids for item in found] == [("same",)]


def test_the_gate_says_the_best_failure_with_its_probability() -> None:
    (found,) = said("read it", *family(1), prior=OPEN)
    assert found.strength is Strength.REMIND
    assert found.ids == ("e0",)
    assert found.probability == pytest.approx(1.0)


def test_the_gate_opens_at_its_threshold_only() -> None:
    five = [past(f"e{number}", f"word{number} other{number}", 1.0, family="timeout") for number in range(5)]
    (found,) = said("read it", *five, prior=SHIPPED)
    assert found.probability is not None
    assert found.probability >= REMIND_PROBABILITY
    assert said("read it", *five[:2], prior=SHIPPED) == []


@pytest.mark.parametrize("past_input", ["[]", "None", "x = 0", "-1", "空数组"])
def test_an_ordinary_input_is_not_warned_for_a_failure_on_a_special_one(past_input: str) -> None:
    repeats = [past(f"e{number}", f"sum of: {past_input}", 1.0, family="indexerror") for number in range(5)]
    assert said("sum of: [3, 5, 8]", *repeats, prior=OPEN) == []


def test_a_special_input_is_warned_for_a_failure_on_a_special_one() -> None:
    assert said("sum of []", past("e1", "mean of []"), prior=OPEN)


def test_without_a_visible_input_a_special_failure_may_be_said() -> None:
    assert said("sum of a list", past("e1", "sum of []"), prior=OPEN)


@pytest.mark.parametrize(("count", "asks"), [(ASK_FAILURES - 1, False), (ASK_FAILURES, True), (5, True)])
def test_a_question_needs_three_failures(count: int, asks: bool) -> None:
    found = said("look at something else", *family(count))
    assert [item.strength for item in found] == [Strength.ASK] * asks
    assert all(len(item.ids) == count and item.probability is None for item in found)


def test_failures_of_another_class_do_not_count_towards_a_question() -> None:
    others = [past("x", "word other", family="timeout", tool="bash")]
    assert said("look at something else", *family(2), *others) == []


def test_failures_that_are_not_near_do_not_count_towards_a_question() -> None:
    assert said("look at something else", *family(3, relevance=ASK_RELEVANCE - 0.01)) == []


def test_failures_of_one_task_type_make_a_question_too() -> None:
    own = [
        past(f"e{number}", f"word{number} other{number}", family="timeout", task_type="etl")
        for number in range(3)
    ]
    assert [item.strength for item in said("look at something else", *own)] == [Strength.ASK]


def test_without_an_error_class_nothing_is_asked() -> None:
    own = [past(f"e{number}", f"word{number}", tool="bash", task_type="etl") for number in range(5)]
    assert said("look at something else", *own) == []


def test_what_was_warned_about_is_not_asked_about_again() -> None:
    same = [past("same", "copy the file", family="indexerror", tool="bash"), *family(4)]
    assert [item.strength for item in said("copy the file", *same)] == [Strength.REMIND]


def test_a_group_of_one_tool_and_one_task_type_asks_once() -> None:
    own = [
        past(f"e{number}", f"word{number} other{number}", family="timeout", tool="bash", task_type="etl")
        for number in range(3)
    ]
    assert len(said("look at something else", *own)) == 1


def test_a_group_that_failed_on_two_kinds_of_special_input_asks_about_a_third() -> None:
    own = [
        past(name, f"{text} {name}word", 0.01, family="valueerror", tool="bash")
        for name, text in [("a", "parse []"), ("b", "parse None"), ("c", "parse []")]
    ]
    assert [item.strength for item in said("parse x = 0", *own)] == [Strength.ASK]


kinds = st.sampled_from(["", "timeout", "keyerror"])
situations = st.sampled_from(["sum of []", "sum of [1, 2]", "parse None", "copy the file", "x = 0", "空数组"])
failures = st.lists(
    st.builds(PastFailure, st.uuids().map(str), st.floats(-1, 2), situations, kinds, kinds, kinds),
    max_size=30,
    unique_by=lambda item: item.id,
)


@unhurried
@given(situations, kinds, failures, st.sampled_from([SILENT, OPEN, SHIPPED]))
def test_at_most_three_things_are_said_each_of_other_failures(
    situation: str, tool: str, found: list[PastFailure], prior: GatePrior
) -> None:
    things = decide(Asked(situation, tool), found, prior).said
    named = [name for item in things for name in item.ids]
    assert len(things) <= MAX_REMINDERS
    assert len(named) == len(set(named))
    assert set(named) <= {failure.id for failure in found}
    assert [item.strength for item in things] == sorted(
        (item.strength for item in things), key=[Strength.REMIND, Strength.ASK].index
    )


@unhurried
@given(kinds, failures, st.sampled_from([SILENT, OPEN, SHIPPED]))
def test_no_failure_on_a_special_input_is_ever_held_against_an_ordinary_one(
    tool: str, found: list[PastFailure], prior: GatePrior
) -> None:
    by_id = {failure.id: failure for failure in found}
    for item in decide(Asked("sum of [1, 2]", tool), found, prior).said:
        assert not any(profile(by_id[name].situation).special for name in item.ids)


@unhurried
@given(situations, failures)
def test_every_question_names_three_failures_at_least(situation: str, found: list[PastFailure]) -> None:
    asks = [item for item in decide(Asked(situation), found, SHIPPED).said if item.strength is Strength.ASK]
    assert all(len(item.ids) >= ASK_FAILURES for item in asks)


def test_an_action_repeated_without_its_input_is_a_repeat() -> None:
    failure = past("a", "deploy checkout\nhelm upgrade, 3 replicas", action="deploy checkout", tool="helm")
    assert [item.strength for item in said("deploy checkout", failure, tool="helm")] == [Strength.REMIND]


def test_the_same_action_on_another_visible_input_is_no_repeat() -> None:
    failure = past("a", "clean the column\ninput [1, 2]", action="clean the column")
    assert said("clean the column, input [3, 4]", failure) == []


def test_copies_of_what_was_said_do_not_open_the_gate() -> None:
    """Twenty write-backs that agree with one weak witness leave the gate where the witness alone leaves it."""
    witness = past("e1", "read the ledger", 0.8, family="indexerror")
    copies = [
        past(f"x{number}", f"open book {number}", 0.79, family="indexerror", witness=False)
        for number in range(20)
    ]
    believed = [past(one.id, one.situation, one.relevance, family=one.family) for one in copies]
    assert said("count the pages", witness, *believed, prior=SHIPPED) != []
    assert said("count the pages", witness, *copies, prior=SHIPPED) == said(
        "count the pages", witness, prior=SHIPPED
    )


def test_the_best_witness_is_the_subject() -> None:
    copy = past("x", "open book", 0.9, family="indexerror", witness=False)
    (warned,) = said("count the pages", copy, past("e1", "read the ledger", 0.5), prior=OPEN)
    assert warned.ids == ("e1",)
    assert said("count the pages", copy, prior=OPEN) == []


def test_an_informed_failure_still_counts_towards_a_question() -> None:
    """It really happened; only its word is not its own."""
    group = [
        past(one.id, one.situation, family=one.family, tool=one.tool, witness=False) for one in family(3)
    ]
    assert [item.strength for item in said("read the file", *group)] == [Strength.ASK]


def test_a_weak_failure_counts_in_the_gate_and_towards_no_question() -> None:
    """Only the nearest there is: it may be the one meant, it agrees with others; that it is there says nothing."""
    group = family(3)
    weak = [past(one.id, one.situation, family=one.family, tool=one.tool, weak=True) for one in group]
    assert [item.strength for item in said("look at it", *group)] == [Strength.ASK]
    assert said("look at it", *weak) == []
    assert said("look at it", *weak, prior=OPEN) == said("look at it", *group, prior=OPEN)
    looks = [decide(Asked("look at it"), found, SHIPPED).look for found in (weak, group)]
    assert looks[0] == looks[1] is not None
