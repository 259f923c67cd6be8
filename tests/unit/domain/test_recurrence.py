"""The coin, the rule of the outcome, and what counts as an occasion."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.domain.answers import Strength
from graphmem.domain.encoding import decode, encode
from graphmem.domain.gate import GateFeatures, GateLook
from graphmem.domain.recurrence import (
    SESSION_SILENCE,
    Answer,
    Exposure,
    Lineage,
    Outcome,
    Step,
    by_session,
    exposure_id,
    lineage_from,
    occasions,
    outcome,
    session_end,
    united,
    was_relevant,
    withheld,
)
from tests.builders import T0, at

DAY = 86_400
LATER = at(3 * DAY)
LINEAGE = Lineage(
    id="c1",
    tools=frozenset({"bash"}),
    task_types=frozenset({"import"}),
    families=frozenset({"oserror"}),
    begun="t0",
)

_numbers = count(1)


def step(seconds: float, **fields: Any) -> Step:
    """A success with bash, unless said otherwise."""
    given: dict[str, Any] = {"id": f"e{next(_numbers)}", "at": at(seconds), "failed": False, "tool": "bash"}
    return Step(**(given | fields))


def fail(seconds: float, **fields: Any) -> Step:
    """A failure of the cluster."""
    return step(seconds, **({"failed": True, "cluster_id": "c1"} | fields))


def exposure(**fields: Any) -> Exposure:
    """The lineage, shown in session s at T0."""
    given: dict[str, Any] = {"id": "x", "session_id": "s", "lineage": "c1", "memory_id": "m", "at": T0}
    return Exposure(**(given | fields))


def after(*steps: Step, ended: datetime | None = None, now: datetime = LATER) -> Outcome:
    """What became of the exposure."""
    return outcome(exposure(), LINEAGE, steps, ended, now)


def test_a_later_failure_of_the_lineage_recurred() -> None:
    assert after(fail(10)) is Outcome.RECURRED
    assert after(step(5), fail(10), step(20)) is Outcome.RECURRED


def test_later_work_of_the_kind_without_such_a_failure_avoided_it() -> None:
    assert after(step(10)) is Outcome.AVOIDED
    assert after(step(10, tool="", task_type="import")) is Outcome.AVOIDED
    assert after(fail(10, cluster_id="c2")) is Outcome.AVOIDED
    assert after(fail(10, cluster_id="", family="keyerror")) is Outcome.AVOIDED


def test_without_an_occasion_the_outcome_is_censored() -> None:
    assert after() is Outcome.CENSORED
    assert after(step(10, tool="editor")) is Outcome.CENSORED
    assert after(step(-10)) is Outcome.CENSORED


def test_what_came_before_does_not_count() -> None:
    assert after(fail(-10), step(10)) is Outcome.AVOIDED
    assert after(fail(0), step(10)) is Outcome.AVOIDED


def test_a_failure_that_no_cluster_holds_counts_by_its_kind() -> None:
    assert after(fail(10, cluster_id="", family="oserror")) is Outcome.RECURRED
    assert after(fail(10, cluster_id="", family="oserror", tool="", task_type="import")) is Outcome.RECURRED
    assert after(step(5), fail(10, cluster_id="", family="oserror", tool="editor")) is Outcome.AVOIDED


def test_a_failure_of_unknown_kind_decides_nothing() -> None:
    assert after(step(5), fail(10, cluster_id="")) is Outcome.CENSORED
    assert after(fail(5), fail(10, cluster_id="")) is Outcome.RECURRED


def test_nothing_is_decided_while_the_session_goes_on() -> None:
    """Failures show before successes: to count them first would make every rate too high."""
    assert after(fail(10), now=at(20)) is Outcome.OPEN
    assert after(step(10), now=at(20)) is Outcome.OPEN


def test_a_session_ends_by_a_call_or_by_silence() -> None:
    assert after(fail(10), ended=at(20), now=at(30)) is Outcome.RECURRED
    assert after(step(10), fail(40), ended=at(20), now=at(50)) is Outcome.AVOIDED
    assert after(step(10), fail(11 + DAY), now=at(5 * DAY)) is Outcome.AVOIDED
    assert after(step(10), fail(9 + DAY), now=at(5 * DAY)) is Outcome.RECURRED


@pytest.mark.parametrize(
    ("instants", "ended", "now", "expected"),
    [
        ((), None, DAY - 1, None),
        ((), None, DAY, DAY),
        ((100,), None, DAY + 99, None),
        ((100,), None, DAY + 100, DAY + 100),
        ((100, 100 + DAY), None, 9 * DAY, 100 + DAY),
        ((100,), 50, 200, 50),
        ((100,), 150, 200, 150),
        ((-500, 100), -400, 200, None),
        ((), 3 * DAY, 4 * DAY, DAY),
        ((2 * DAY,), 3 * DAY, 4 * DAY, DAY),
    ],
)
def test_when_a_session_ends(
    instants: tuple[float, ...], ended: float | None, now: float, expected: float | None
) -> None:
    """Seconds from the exposure; a call before it ended another sitting."""
    found = session_end(T0, map(at, instants), None if ended is None else at(ended), at(now))
    assert found == (None if expected is None else at(expected))


@given(st.lists(st.integers(-2 * DAY, 4 * DAY)), st.integers(0, 9 * DAY))
def test_a_silent_session_ended_at_most_a_day_after_its_last_sign(instants: list[int], now: int) -> None:
    end = session_end(T0, map(at, instants), None, at(now))
    last = max([at(0), *map(at, instants)])
    assert end is None or T0 + SESSION_SILENCE <= end <= last + SESSION_SILENCE


def test_a_lineage_is_made_of_its_failures() -> None:
    late = fail(20, tool="editor", family="oserror", episode="b")
    early = fail(10, tool="bash", task_type="import", episode="a")
    made = lineage_from("c1", [late, early])
    assert (made.tools, made.task_types, made.families, made.begun) == (
        {"bash", "editor"},
        {"import"},
        {"oserror"},
        "a",
    )
    assert lineage_from("gone", []) == Lineage(id="gone")


def test_one_failure_is_a_lineage_of_its_own() -> None:
    alone = fail(0, id="f1", cluster_id="", family="oserror")
    lineage = lineage_from("f1", [alone])
    assert lineage.holds(alone) is True
    assert lineage.holds(fail(5, cluster_id="", family="oserror")) is True
    assert lineage.holds(fail(5, cluster_id="c2", family="oserror")) is False
    assert lineage.holds(step(5)) is False


def test_what_has_no_tool_and_no_task_type_gives_no_occasion() -> None:
    assert not Lineage(id="c1").could_happen(step(0, tool=""))
    assert not LINEAGE.could_happen(step(0, tool="", task_type=""))


def test_occasions_are_counted_by_episode_before_and_after() -> None:
    steps = [
        fail(0, episode="t0"),
        step(1, episode="t1"),
        fail(2, episode="t1"),
        step(3, episode="t2"),
        step(4, episode="t3", tool="editor"),
        step(11, episode="t4"),
        step(12, episode="t4"),
        fail(13, episode="t5"),
    ]
    assert occasions(LINEAGE, steps, at(10)) == ([True, False], [False, True])
    assert occasions(LINEAGE, steps, None) == ([True, False, False, True], [])


def test_an_episode_may_lie_on_both_sides() -> None:
    steps = [fail(5, episode="t1"), step(15, episode="t1")]
    assert occasions(LINEAGE, steps, at(10)) == ([True], [False])


def test_steps_are_sorted_into_named_sessions() -> None:
    one, two, none = step(1, session_id="a"), step(2, session_id="a"), step(3)
    assert by_session([one, two, none]) == {"a": [one, two]}


def test_the_coin_is_the_same_everywhere_and_always() -> None:
    """Written down, so that a change of the hash is seen: it would mix the arms of a running experiment."""
    assert exposure_id("s", "c1") == "84ea567a708e213b95079e271f2e8c23"
    drawn = [withheld("seed", f"s{n}", "c1", 0.5) for n in range(12)]
    assert "".join("01"[hidden] for hidden in drawn) == "010010010100"


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_the_coin_falls_at_its_rate(rate: float) -> None:
    """Of 4,000 sessions; four standard errors are .032 at most."""
    drawn = sum(withheld("seed", f"session-{n}", "c1", rate) for n in range(4_000)) / 4_000
    assert abs(drawn - rate) < 0.032


def test_the_coin_of_a_higher_rate_hides_what_that_of_a_lower_one_hid() -> None:
    for n in range(200):
        assert withheld("seed", f"s{n}", "c", 0.3) <= withheld("seed", f"s{n}", "c", 0.6)


def test_without_a_rate_nothing_is_withheld() -> None:
    assert not any(withheld("seed", f"s{n}", "c", 0.0) for n in range(1_000))


def test_lineages_and_seeds_are_drawn_apart() -> None:
    sessions = [f"s{n}" for n in range(400)]
    first = [withheld("seed", name, "c1", 0.5) for name in sessions]
    for other in (("seed", "c2"), ("other", "c1")):
        second = [withheld(other[0], name, other[1], 0.5) for name in sessions]
        equal = sum(a == b for a, b in zip(first, second, strict=True))
        assert 150 < equal < 250


@given(st.text(), st.text(), st.text(), st.text())
def test_different_pairs_have_different_ids(a: str, b: str, c: str, d: str) -> None:
    assert (exposure_id(a, b) == exposure_id(c, d)) == ((a, b) == (c, d))


def test_two_notes_become_one() -> None:
    little, much = (GateLook("e1", GateFeatures(relevance, 0.1, 0.2, 0.4)) for relevance in (0.3, 0.6))
    listed = exposure(at=at(1), shown=False, rate=0.5, look=little)
    said = exposure(at=at(5), strength=Strength.REMIND, said_at=at(5), look=much)
    answered = exposure(at=at(7), answer=Answer.APPLIED, note="did so", answered_at=at(8))
    expected = exposure(
        at=at(1),
        shown=False,
        rate=0.5,
        strength=Strength.REMIND,
        said_at=at(5),
        answer=Answer.APPLIED,
        note="did so",
        answered_at=at(8),
        look=much,
    )
    assert united(united(listed, said), answered) == expected
    assert united(answered, united(said, listed)) == expected


def test_an_exposure_survives_its_record() -> None:
    whole = exposure(
        strength=Strength.ASK, said_at=at(2), answer=Answer.REFUTED, note="否", answered_at=at(3), rate=0.25
    )
    seen = GateLook("e1", GateFeatures(0.3, 0.1, 0.2, 0.4))
    assert decode(Exposure, encode(replace(whole, look=seen))) == replace(whole, look=seen)
    assert decode(Exposure, encode(whole)) == whole


def test_the_version_of_a_look_stays_when_that_of_the_service_moves_on() -> None:
    """What is not written is version 1 for ever, not what the service has by then."""
    seen = GateLook("e1", GateFeatures(0.3, 0.1, 0.2, 0.4))
    later = replace(seen, version=2)
    assert (decode(GateLook, encode(seen)).version, decode(GateLook, encode(later)).version) == (1, 2)
    assert encode(later)["version"] == 2


@pytest.mark.parametrize(
    ("became", "fields", "expected"),
    [
        (Outcome.RECURRED, {}, True),
        (Outcome.RECURRED, {"shown": False}, True),
        (Outcome.RECURRED, {"answer": Answer.NOT_APPLICABLE}, True),
        (Outcome.AVOIDED, {"answer": Answer.APPLIED}, True),
        (Outcome.OPEN, {"answer": Answer.APPLIED}, True),
        (Outcome.AVOIDED, {"answer": Answer.NOT_APPLICABLE}, False),
        (Outcome.CENSORED, {"answer": Answer.REFUTED}, False),
        (Outcome.AVOIDED, {"shown": False}, False),
        (Outcome.AVOIDED, {}, None),
        (Outcome.CENSORED, {"shown": False}, None),
        (Outcome.OPEN, {"shown": False}, None),
    ],
)
def test_what_an_outcome_tells_of_the_reminder(
    became: Outcome, fields: dict[str, Any], expected: bool | None
) -> None:
    assert was_relevant(exposure(**fields), became) is expected


def test_a_day_is_the_silence() -> None:
    assert timedelta(days=1) == SESSION_SILENCE
