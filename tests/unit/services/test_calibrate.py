"""The gate of a namespace, fitted on what became of its own exposures through the public verbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from graphmem.analysis.calibration import LEAST, LEAST_OF_EACH, SHIPPED, Judgement, probability, tried
from graphmem.domain.answers import RecallMode, Strength
from graphmem.domain.errors import StaleError
from graphmem.domain.gate import FEATURES, GateTrial
from graphmem.domain.proof import Calibration
from graphmem.domain.recurrence import Answer, exposure_id, withheld
from graphmem.services import calibrate
from graphmem.wiring import Services
from tests.builders import NS, Clock
from tests.services import (
    DOWN,
    FlakyEmbedder,
    asked,
    exposures,
    failed,
    opened,
    recorded,
    refused,
    remembered,
    state,
)
from tests.unit.services.test_sessions import answer

COPY = "copy the disk"
NEAR = "copy the old disk of the office tonight"
FAR = "copy a letter"
"""Shares a word with the failure, and is no repeat of it."""


def begin(services: Services) -> str:
    """The failure that all is about; its id."""
    return failed(services, COPY, tool="bash", error_type="OSError", task_id="first").memory.id


def judge(services: Services, lineage: str, situation: str, number: int, given: Answer, name: str) -> None:
    """So many sessions that ask and say how it was."""
    for place in range(number):
        session = f"{name}{place}"
        asked(services, situation, session_id=session)
        services.sessions.answer(NS, answer(exposure_id(session, lineage), given))


def judged(services: Services, relevant: int = 40, other: int = 12) -> str:
    """Near questions that were to the point and far ones that were not; the failure."""
    lineage = begin(services)
    judge(services, lineage, NEAR, relevant, Answer.APPLIED, "near")
    judge(services, lineage, FAR, other, Answer.NOT_APPLICABLE, "far")
    return lineage


def calibrated(services: Services, **given: bool) -> Calibration:
    """What the outcomes say."""
    return services.calibrate.calibrate(NS, **given)


def test_outcomes_move_the_gate_for_every_process(path: Path) -> None:
    """Before, what is near is only listed; after, it is said, and what is far is not."""
    with opened(path) as services, opened(path, seed=1) as other:
        judged(services)
        assert asked(services, NEAR).reminders == asked(other, NEAR).reminders == ()
        found = calibrated(services)
        assert (found.exposures, found.labels, found.relevant, found.withheld) == (52, 52, 40, 0)
        assert found.trial is not None
        assert (found.trial.better, found.changed, found.gate) == (True, True, found.trial.refitted)
        for each in (services, other):
            (reminder,) = asked(each, NEAR).reminders
            assert reminder.strength is Strength.REMIND
            assert reminder.confidence is not None
            assert 0.75 <= reminder.confidence < 1
            assert asked(each, FAR).reminders == ()
        assert remembered(other, "the other process writes vectors as before").embedded
        assert not calibrated(other).changed


def test_a_dry_run_only_tells(services: Services) -> None:
    judged(services)
    services.notebook.flush()
    before = state(services)
    found = calibrated(services, dry_run=True)
    assert (found.changed, found.dry_run, state(services)) == (True, True, before)
    assert asked(services, NEAR).reminders == ()
    assert replace(calibrated(services), dry_run=True) == found


@pytest.mark.parametrize(
    ("relevant", "other"),
    [(LEAST - LEAST_OF_EACH - 1, LEAST_OF_EACH), (LEAST, LEAST_OF_EACH - 1), (LEAST, 0)],
)
def test_too_few_labels_of_a_kind_change_nothing(services: Services, relevant: int, other: int) -> None:
    judged(services, relevant, other)
    found = calibrated(services)
    assert (found.labels, found.trial, found.gate, found.changed) == (relevant + other, None, SHIPPED, False)
    assert asked(services, NEAR).reminders == ()


def test_labels_that_say_what_the_shipped_gate_says_change_nothing(services: Services) -> None:
    lineage = begin(services)
    asked(services, NEAR, session_id="first")
    (seen,) = exposures(services)
    assert seen.look is not None
    right = round(60 * probability(SHIPPED, seen.look.evidence))
    assert right >= LEAST_OF_EACH
    judge(services, lineage, NEAR, right, Answer.APPLIED, "a")
    judge(services, lineage, NEAR, 60 - right, Answer.REFUTED, "b")
    found = calibrated(services)
    assert found.trial is not None
    assert (found.trial.better, found.gate, found.changed) == (False, SHIPPED, False)


def test_a_gate_that_is_better_no_longer_goes(services: Services) -> None:
    """As many near questions later turn out not to be to the point."""
    lineage = judged(services)
    assert calibrated(services).changed
    judge(services, lineage, NEAR, 100, Answer.NOT_APPLICABLE, "later")
    found = calibrated(services)
    assert found.trial is not None
    assert (found.gate, found.changed) == (SHIPPED, not found.trial.better)
    assert asked(services, NEAR).reminders == ()


def test_the_coin_makes_labels_of_what_it_withholds(path: Path) -> None:
    with opened(path, holdout=0.5) as services:
        lineage = begin(services)
        shown, hidden = (
            next(name for name in map(str, range(99)) if withheld("graphmem", name, lineage, 0.5) is side)
            for side in (False, True)
        )
        for name in (shown, hidden):
            asked(services, NEAR, session_id=name)
            recorded(services, NEAR, tool="bash", session_id=name)
            services.sessions.end(NS, name)
        found = calibrated(services)
    assert (found.exposures, found.labels, found.relevant, found.withheld) == (2, 1, 0, 1)


def test_answers_by_words_alone_make_no_labels(flaky: Services, embedder: FlakyEmbedder) -> None:
    """Relevance without meaning is another measure."""
    lineage = begin(flaky)
    embedder.broken = DOWN
    assert asked(flaky, NEAR, session_id="s").mode is RecallMode.LEXICAL
    flaky.sessions.answer(NS, answer(exposure_id("s", lineage), Answer.APPLIED))
    assert calibrated(flaky).exposures == 0


def test_what_waits_in_memory_counts(services: Services) -> None:
    begin(services)
    asked(services, NEAR, session_id="s")
    assert calibrated(services).exposures == 1


def test_looks_at_other_features_are_left_out(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    judged(services)
    monkeypatch.setattr(calibrate, "FEATURES", FEATURES + 1)
    found = calibrated(services)
    assert (found.exposures, found.changed) == (0, False)


def test_vectors_that_are_still_to_be_made_are_made_afterwards(
    flaky: Services, embedder: FlakyEmbedder
) -> None:
    judged(flaky)
    embedder.broken = DOWN
    assert not remembered(flaky, "written meanwhile").embedded
    embedder.broken = None
    assert calibrated(flaky).changed
    assert flaky.maintain.embed_pending(NS) == 1


def test_another_space_begins_with_the_shipped_gate_and_without_labels(path: Path) -> None:
    clock = Clock()
    with opened(path, clock=clock) as services:
        judged(services)
        assert calibrated(services).changed
    with opened(path, embedder=FlakyEmbedder(), seed=1, clock=clock) as moved:
        moved.reembed.reembed(NS)
        found = calibrated(moved)
        assert (found.exposures, found.gate, found.changed) == (0, SHIPPED, False)
        assert asked(moved, NEAR).reminders == ()


def test_whoever_is_overtaken_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(path) as services, opened(path, seed=1) as other:
        judged(services)

        def slowly(judgements: Sequence[Judgement]) -> GateTrial | None:
            monkeypatch.undo()
            assert calibrated(other).changed
            return tried(judgements)

        monkeypatch.setattr(calibrate, "tried", slowly)
        with pytest.raises(StaleError) as caught:
            calibrated(services)
        assert (caught.value.field, caught.value.remedy) == ("namespace", "calibrate again")
        assert not calibrated(services).changed


def test_without_vectors_the_shipped_gate_stays(path: Path) -> None:
    with opened(path, words_only=True) as services:
        judged(services)
        services.notebook.flush()
        before = state(services)
        found = calibrated(services)
        assert (found.exposures, found.trial, found.gate, found.changed) == (0, None, SHIPPED, False)
        assert state(services) == before
        assert refused(services, services.calibrate.calibrate, "") == "BAD_INPUT namespace"


def test_an_empty_namespace_says_nothing_of_the_gate(services: Services) -> None:
    assert calibrated(services).exposures == 0
