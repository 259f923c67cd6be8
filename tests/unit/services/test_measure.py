"""Recurrence and experiment over sessions that were really asked and recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.domain.memories import Result
from graphmem.domain.proof import Fate
from graphmem.domain.recurrence import Answer, Outcome, ReminderAnswer, exposure_id, withheld
from graphmem.ports.queries import PageRequest, Selection
from graphmem.services import history
from graphmem.wiring import Services
from tests.builders import NS, Clock, at, changed, changes, fact, failure, generalizes, pattern, strategy
from tests.services import asked, failed, opened, recorded, refused, state
from tests.unit.services.test_sessions import answer

DAY = 86_400
CACHE = "empty the cache"


def work(services: Services, name: str, *, fails: bool = False, tool: str = "bash", task: str = "") -> None:
    """Do the work in a session."""
    verb = failed if fails else recorded
    verb(services, CACHE, session_id=name, task_id=task, tool=tool, error_type="OSError" if fails else "")


def ask(services: Services, name: str) -> str:
    """Ask in a session; the exposure of the reminder, '' without one."""
    return next((item.exposure_id for item in asked(services, CACHE, session_id=name).reminders), "")


def begin(services: Services) -> str:
    """The first failure; its id."""
    return failed(services, CACHE, tool="bash", error_type="OSError", task_id="first").memory.id


def cluster(services: Services) -> None:
    """Put all failures into one cluster."""
    failures = services.browse.memories(NS, Selection(results=(Result.FAILURE,)), PageRequest(first=100))
    services.store.apply(changes(update=tuple(changed(memory, cluster_id="c1") for memory in failures.items)))


def test_nothing_is_known_at_first(services: Services) -> None:
    found = services.measure.recurrence(NS)
    assert (found.shown.exposures, found.shown.rate.value, found.before.n, found.after.n) == (0, None, 0, 0)
    assert services.measure.experiment(NS).rate == 0


def test_each_outcome_is_counted_apart(services: Services) -> None:
    begin(services)
    for name in ("came back", "avoided", "no occasion", "open"):
        ask(services, name)
    work(services, "came back", fails=True)
    work(services, "avoided")
    work(services, "no occasion", tool="editor")
    for name in ("came back", "avoided", "no occasion"):
        services.sessions.end(NS, name)
    found = services.measure.recurrence(NS, "E-1")
    assert found.shown.outcomes == {
        Outcome.RECURRED: 1,
        Outcome.AVOIDED: 1,
        Outcome.CENSORED: 1,
        Outcome.OPEN: 1,
    }
    assert (found.shown.rate.count, found.shown.rate.n, found.withheld) == (1, 2, 0)
    assert found.subject is not None
    assert found.subject.ref == "E-1"


def test_silence_ends_a_session(path: Path) -> None:
    clock = Clock()
    with opened(path, clock=clock) as services:
        begin(services)
        ask(services, "s")
        work(services, "s")
        assert services.measure.recurrence(NS).shown.outcomes[Outcome.OPEN] == 1
        clock.now = at(2 * DAY)
        assert services.measure.recurrence(NS).shown.outcomes[Outcome.AVOIDED] == 1


def test_occasions_before_and_after_the_first_saying(services: Services) -> None:
    """Before: two of three tasks failed beside the one in which it began; after: none of two."""
    begin(services)
    for task, fails in (("t1", True), ("t2", True), ("t3", False)):
        work(services, "", fails=fails, task=task)
    cluster(services)
    ask(services, "s")
    for task in ("t4", "t5"):
        work(services, "s", task=task)
    found = services.measure.recurrence(NS, "E-1")
    assert (found.before.count, found.before.n, found.after.count, found.after.n) == (2, 3, 0, 2)
    assert found.effect.difference == pytest.approx(-2 / 3)
    assert found.effect.lift == 1


def test_what_was_never_said_has_no_after(services: Services) -> None:
    begin(services)
    work(services, "", fails=True, task="t1")
    found = services.measure.recurrence(NS, "E-1")
    assert (found.before.n, found.after.n, found.effect.difference) == (1, 0, None)


def test_since_bounds_exposures_and_occasions_but_not_the_first_saying(path: Path) -> None:
    clock = Clock()
    with opened(path, clock=clock) as services:
        begin(services)
        ask(services, "early")
        work(services, "early")
        clock.now = at(9 * DAY)
        work(services, "", task="between")
        ask(services, "late")
        work(services, "late")
        clock.now = at(20 * DAY)
        found = services.measure.recurrence(NS, "E-1", at(5 * DAY))
    assert (found.shown.exposures, found.before.n, found.after.n) == (1, 0, 2)


def test_an_exposure_follows_its_failure_into_a_cluster(services: Services) -> None:
    """What was said of the failure counts for the cluster that holds it today, once a session."""
    first = begin(services)
    ask(services, "s")
    memory = services.browse.memory(NS, first)
    lesson = pattern("empty it twice")
    joined = (changed(memory, cluster_id="c1"),)
    services.store.apply(changes(lesson, update=joined, edges=(generalizes(lesson, memory),)))
    ask(services, "s")
    services.store.apply(
        changes(failure(CACHE, cluster_id="c1", tool="bash", session_id="s", occurred_at=at(3_600)))
    )
    services.sessions.end(NS, "s")
    for subject in (first, lesson.id):
        found = services.measure.recurrence(NS, subject)
        assert (found.shown.exposures, sum(found.shown.outcomes.values())) == (1, 1)


def test_answers_are_counted(services: Services) -> None:
    begin(services)
    for name, given in (("a", Answer.APPLIED), ("b", Answer.APPLIED), ("c", Answer.REFUTED)):
        services.sessions.answer(NS, ReminderAnswer(exposure_id=ask(services, name), answer=given))
    ask(services, "d")
    found = services.measure.recurrence(NS)
    assert found.answers == {Answer.APPLIED: 2, Answer.REFUTED: 1}


def test_a_forgotten_failure_counts_no_more(services: Services) -> None:
    begin(services)
    ask(services, "s")
    services.notebook.flush()
    services.forget.forget(NS, "E-1")
    assert services.measure.recurrence(NS).shown.exposures == 0


def test_measuring_changes_no_memory(services: Services) -> None:
    begin(services)
    ask(services, "s")
    services.notebook.flush()
    before = state(services)
    services.measure.recurrence(NS)
    services.measure.experiment(NS)
    assert state(services) == before


def trial(services: Services, sessions: int, *, helps: bool) -> None:
    """Sessions that ask and work; they fail where the lineage was withheld (or, if it harms, where it was shown)."""
    lesson, guidance = pattern(CACHE), strategy(CACHE)
    first = failure(CACHE, cluster_id="c1", tool="bash", task_id="first")
    edges = (generalizes(lesson, first), generalizes(guidance, lesson))
    services.store.apply(changes(first, lesson, guidance, edges=edges))
    for number in range(sessions):
        name = f"s{number}"
        ask(services, name)
        hidden = withheld("graphmem", name, "c1", 0.5)
        at_work = services.remember._clock()  # the same clock as that of the exposures
        made = failure(CACHE, cluster_id="c1", tool="bash", session_id=name, occurred_at=at_work)
        if hidden is helps:
            services.store.apply(changes(made))
        else:
            work(services, name)
        services.sessions.end(NS, name)


@pytest.mark.parametrize("helps", [True, False])
def test_the_coin_tells_help_from_harm(path: Path, helps: bool) -> None:
    with opened(path, holdout=0.5) as services:
        trial(services, 24, helps=helps)
        found = services.measure.experiment(NS)
    assert (found.rate, found.shown.exposures + found.withheld.exposures) == (0.5, 24)
    assert min(found.shown.exposures, found.withheld.exposures) >= 6
    assert (found.shown.rate.value, found.withheld.rate.value) == ((0, 1) if helps else (1, 0))
    assert found.effect.difference == (-1 if helps else 1)
    assert found.effect.p is not None
    assert found.effect.p < 0.001
    assert found.effect.harm is not helps
    assert {item.fate for item in found.retirements} == (set() if helps else {Fate.HARMS})
    assert {str(item.memory.kind) for item in found.retirements} == (
        set() if helps else {"PATTERN", "STRATEGY"}
    )


def test_nothing_is_retired_by_a_proposal(path: Path) -> None:
    with opened(path, holdout=0.5) as services:
        trial(services, 20, helps=False)
        before = state(services)
        (proposal,) = services.measure.experiment(NS, "P-1").retirements
        assert proposal.memory == services.browse.memory(NS, "P-1")
        assert services.measure.experiment(NS, "E-1").retirements == ()
        assert state(services) == before


def test_only_what_was_drawn_at_the_last_rate_is_compared(path: Path) -> None:
    for number, rate in enumerate((0.0, 0.3, 0.6)):
        with opened(path, holdout=rate, seed=number, clock=Clock(at(number * 10 * DAY))) as services:
            if not number:
                begin(services)
            for name in range(5):
                ask(services, f"s{number}-{name}")
            found = services.measure.experiment(NS, "E-1")
            exposed = found.shown.exposures + found.withheld.exposures
            assert (found.rate, exposed) == (rate, 5 if number else 0)
    with opened(path, seed=9) as services:
        whole = services.measure.recurrence(NS, "E-1")
        assert whole.shown.exposures + whole.withheld == 15


def test_more_exposures_than_are_read_are_said(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST_READ", 3)
    monkeypatch.setattr(history, "_PAGE", 2)
    begin(services)
    for number in range(3):
        ask(services, f"s{number}")
    assert services.measure.recurrence(NS).truncated is False
    ask(services, "one more")
    found = services.measure.recurrence(NS)
    assert (found.truncated, found.shown.exposures) == (True, 3)


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("E-9", "NOT_FOUND subject"),
        ("F-1", "BAD_INPUT subject"),
        ("E-2", "BAD_INPUT subject"),
        ("\0", "BAD_INPUT subject"),
    ],
)
def test_a_subject_without_a_lineage_is_refused(services: Services, subject: str, expected: str) -> None:
    begin(services)
    recorded(services, "it worked")
    services.store.apply(changes(fact()))
    for verb in (services.measure.recurrence, services.measure.experiment):
        assert refused(services, verb, NS, subject) == expected


def test_a_time_without_a_zone_is_refused(services: Services) -> None:
    naive = at().replace(tzinfo=None)
    assert refused(services, services.measure.recurrence, NS, "", naive) == "BAD_INPUT since"


def test_an_exposure_is_found_by_its_parts(services: Services) -> None:
    """The id is a hash, so that a client can compute it as well."""
    first = begin(services)
    assert ask(services, "s") == exposure_id("s", first)
    assert services.sessions.answer(NS, answer(exposure_id("s", first))).lineage == first
