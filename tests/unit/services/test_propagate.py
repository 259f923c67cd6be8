"""How one kind of failure leads to another: what the service counts, and what it says of it."""

from __future__ import annotations

import pytest

from graphmem.domain.causation import VerdictKind
from graphmem.domain.drafts import CauseReview
from graphmem.domain.memories import State
from graphmem.domain.overview import Bond, Reading
from graphmem.tooling.chains import Planted, hidden_confounders
from graphmem.wiring import Services
from tests.builders import NS, T0, at, changed, changes
from tests.histories import write
from tests.services import because, failed, recorded, refused


@pytest.fixture
def short(services: Services) -> Services:
    """Four tasks: twice a unit error led to a wrong sum, once nothing followed it, once it came last."""
    for number, follows in enumerate((True, True, False)):
        task = f"t{number}"
        first = failed(services, "read", error_type="UnitError", task_id=task, occurred_at=at(100 * number))
        if follows:
            failed(
                services,
                "sum",
                error_type="app.WrongSum",
                task_id=task,
                occurred_at=at(100 * number + 1),
                caused_by=because(first),
            )
        else:
            recorded(services, "sum", task_id=task, occurred_at=at(100 * number + 1))
    failed(services, "read", error_type="UnitError", task_id="t3", occurred_at=at(1_000))
    failed(services, "click", task_id="t4", occurred_at=at(1_001))
    return services


def test_trials_and_successes(short: Services) -> None:
    found = short.overview.propagation(NS, min_trials=3)
    (pair,) = found.pairs
    assert (pair.cause_class, pair.effect_class) == ("uniterror", "wrongsum")
    assert (pair.trials, pair.caused, pair.followed, pair.together) == (3, 2, 2, 2)
    assert pair.low < pair.probability == 2.5 / 4 < pair.high
    assert (pair.bond, pair.q) == (Bond.CO_OCCURS, None)
    assert (found.total, found.episodes, found.needed, found.unclassed) == (1, 5, 100, 1)
    assert found.classes == ("uniterror", "wrongsum")


def test_few_trials_a_time_and_a_limit(short: Services) -> None:
    assert short.overview.propagation(NS, min_trials=4).pairs == ()
    late = short.overview.propagation(NS, at(100), min_trials=2)
    assert [(pair.trials, pair.caused) for pair in late.pairs] == [(2, 1)]
    assert (late.episodes, late.unclassed) == (4, 1)
    assert short.overview.propagation("elsewhere").episodes == 0


def test_what_is_refuted_or_retracted_counts_for_nothing(short: Services) -> None:
    short.link.review(NS, CauseReview(effect="E-2", cause="E-1", verdict=VerdictKind.REFUTE, by="anna"))
    (pair,) = short.overview.propagation(NS, min_trials=3).pairs
    assert (pair.caused, pair.followed) == (1, 2)
    second = short.browse.memory(NS, "E-4")
    short.store.apply(changes(update=(changed(second, state=State.RETRACTED),)))
    (pair,) = short.overview.propagation(NS, min_trials=2).pairs
    assert (pair.trials, pair.caused) == (2, 0)


@pytest.fixture(scope="module")
def history() -> Planted:
    """300 tasks of twenty classes; a hidden cause strikes four of them in any order."""
    return hidden_confounders(300, 12)


def test_planted_links_are_told_and_the_hidden_cause_is_marked(services: Services, history: Planted) -> None:
    write(services.store, history, NS)
    found = services.overview.propagation(NS, limit=40_000)
    planted = {(a.lower(), b.lower()) for a, b in history.class_links}
    struck = {name.lower() for name in history.confounded}
    told = {bond: {(p.cause_class, p.effect_class) for p in found.pairs if p.bond is bond} for bond in Bond}
    assert found.episodes == 300
    assert len(told[Bond.LEADS_TO] & planted) >= 0.6 * len(planted)
    assert not any({a, b} <= struck for a, b in told[Bond.LEADS_TO])
    marked = {frozenset(pair) for pair in told[Bond.HIDDEN_CAUSE] if set(pair) <= struck}
    assert len(marked) == 6
    assert all(p.q is not None and p.q <= 0.05 for p in found.pairs if p.bond is not Bond.CO_OCCURS)
    probable = [pair.probability for pair in found.pairs]
    assert probable == sorted(probable, reverse=True)
    few = services.overview.propagation(NS, limit=7)
    assert (few.pairs, few.total) == (found.pairs[:7], found.total)


def test_how_far_it_is_is_told(short: Services) -> None:
    told: list[Reading] = []
    short.overview.propagation(NS, tell=told.append)
    assert [reading.counting for reading in told] == [False, True]


def test_refusals(services: Services) -> None:
    verb = services.overview.propagation
    for number in (0, 1_000_001):
        assert refused(services, verb, NS, min_trials=number) == "BAD_INPUT min_trials"
    for number in (0, 40_001):
        assert refused(services, verb, NS, limit=number) == "BAD_INPUT limit"
    assert refused(services, verb, NS, T0.replace(tzinfo=None)) == "BAD_INPUT since"
    assert refused(services, verb, "") == "BAD_INPUT namespace"
