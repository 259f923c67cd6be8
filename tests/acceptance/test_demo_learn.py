"""The learning loop as it is shown, on both stores and in both languages: every claim on the screen is measured."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.config import Settings
from graphmem.domain.answers import Strength
from graphmem.domain.memories import Level, Pattern, Strategy, StrategyStatus
from graphmem.domain.recurrence import Answer, Outcome
from graphmem.tooling.demo import Clock, numbered_ids
from graphmem.tooling.demo_learn import FILES, HOLDOUT, SESSIONS, LearnPlay
from graphmem.wiring import Services, build
from tests.acceptance.test_demo import NS, Notes
from tests.contract.neo4j_places import neo4j_places, neo4j_runs
from tests.contract.stores import REAL, parameters

__all__ = ["neo4j_places", "neo4j_runs"]


@pytest.fixture(params=parameters(REAL))
def services(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Services]:
    """A store of its own, words only, the coin at work."""
    store = REAL[request.param](tmp_path / "store")
    settings = Settings(store="sqlite:///here.db", embedder="none", holdout=HOLDOUT)
    made = build(settings, store=store, clock=Clock(), new_id=numbered_ids())
    yield made
    made.close()


@pytest.mark.parametrize("language", FILES)
def test_from_five_failures_to_a_proof(services: Services, language: str) -> None:
    notes = Notes()
    play = LearnPlay(services, NS, language, notes)
    play.show()
    pattern, strategy = play.lessons_now()
    assert isinstance(pattern, Pattern)
    assert isinstance(strategy, Strategy)
    assert (pattern.level, strategy.status) == (Level.HIGH, StrategyStatus.ACTIVE)
    standing = [text.strip().split("  ")[0] for text in notes.texts if text.strip().startswith(("P-", "S-"))]
    assert standing == ["P-1 medium, 3", "P-1 high, 5", "S-1 active"]
    (asked,) = notes.found
    assert asked.reminders[0].strength in (Strength.REMIND, Strength.ASK)
    assert asked.reminders[0].subject.ref == "P-1"
    table, shares = notes.tables
    shown = [row for row in table[1:] if row[2] == "✓"]
    assert len(table) == 1 + SESSIONS
    assert 0 < len(shown) < SESSIONS
    assert pattern.episodes == len(FILES[language]) + SESSIONS - len(shown)
    measured = services.measure.experiment(NS)
    assert (measured.shown.rate.count, measured.shown.rate.n) == (0, len(shown))
    assert (measured.withheld.rate.count, measured.withheld.rate.n) == (SESSIONS - len(shown),) * 2
    assert measured.effect.high is not None
    assert measured.effect.high < 0
    assert str(len(shown)) in shares[0][1]
    told = services.measure.recurrence(NS, "P-1")
    assert (told.shown.outcomes[Outcome.AVOIDED], told.answers) == (len(shown), {Answer.APPLIED: len(shown)})


def test_played_again_it_writes_nothing_twice(services: Services) -> None:
    """Every write has a key: the same store shows the same lessons."""
    LearnPlay(services, NS, "en", Notes()).show()
    before = services.store.state(NS).counts
    LearnPlay(services, NS, "en", Notes()).show()
    assert services.store.state(NS).counts == before
