"""answer, end, recurrence, experiment: from a reminder in a session to a rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from graphmem.analysis.calibration import SHIPPED
from graphmem.domain.gate import GateTrial
from graphmem.domain.proof import Calibration
from graphmem.domain.recurrence import withheld
from graphmem.services.calibrate import Calibrate
from tests.unit.entrypoints.cli.conftest import Run

Fail = Callable[..., str]
COPY = "copy the disk"


@pytest.fixture
def told(run: Run, fail: Fail) -> str:
    """The exposure of a reminder in session s."""
    fail(COPY, "--tool", "bash", "--error-type", "OSError", "--task-id", "first")
    return str(run("recall", COPY, "--session-id", "s", "--json").data["reminders"][0]["exposure_id"])


def test_a_reminder_says_how_to_answer_it(run: Run, told: str) -> None:
    lines = run("recall", COPY, "--session-id", "s").lines
    assert f"  was it right? graphmem answer {told} applied|not_applicable|refuted" in lines
    assert "graphmem answer" not in run("recall", COPY).out


def test_an_answer_is_noted(run: Run, told: str) -> None:
    assert run("answer", told, "applied", "--note", "did so").lines == ["Noted: applied"]
    assert run("answer", told, "NOT_APPLICABLE", "--json").data["answer"] == "NOT_APPLICABLE"


def test_a_session_is_ended(run: Run, told: str) -> None:
    assert run("end", "s").lines == ["Session s is over"]
    assert run("end", "s").lines == ["Session s was over already"]
    assert run("end", "s", "--json").data["already"] is True


def test_recurrence_is_told_with_its_interval(run: Run, fail: Fail, told: str) -> None:
    fail(COPY, "--tool", "bash", "--error-type", "OSError", "--session-id", "s")
    run("answer", told, "refuted")
    run("end", "s")
    lines = run("recurrence", "E-1").lines
    assert lines[0].startswith("E-1")
    assert "1 of 1 = 1.00 [0.21, 1.00]" in lines[1]
    assert "1 exposure: 1 recurred, 0 avoided, 0 without an occasion, 0 open" in lines[1]
    assert lines[2].endswith("nothing decided yet")
    assert "answers: 0 applied, 0 not applicable, 1 refuted" in lines
    assert "graphmem experiment" in lines[-1]
    assert run("recurrence", "--json").data["shown"]["outcomes"]["RECURRED"] == 1
    assert run("recurrence", "--since", "2w").code == 0


def test_without_a_holdout_there_is_nothing_to_compare(run: Run, told: str) -> None:
    assert "GRAPHMEM_HOLDOUT" in run("experiment").out
    assert run("experiment", "--json").data["rate"] == 0


def test_an_experiment_names_what_harms(run: Run, fail: Fail, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shown, it comes back; withheld, it does not."""
    monkeypatch.setenv("GRAPHMEM_HOLDOUT", "0.5")
    first = fail(COPY, "--tool", "bash", "--error-type", "OSError", "--task-id", "first")
    id = run("show", first, "--json").data["id"]
    for number in range(8):
        name = f"s{number}"
        run("recall", COPY, "--session-id", name)
        result = "success" if withheld("graphmem", name, id, 0.5) else "failure"
        kind = ("--tool", "bash", "--error-type", "OSError", "--session-id", name)
        run("record", f"{COPY} {number}", "--result", result, *kind)
        run("end", name)
    lines = run("experiment", first).lines
    assert lines[0].startswith("E-1")
    assert lines[3].split()[:2] == ["difference", "+1.00"]
    assert "withheld at a rate of 0.50" in lines[3]
    assert "Alarm: it comes back more often where it is shown." in lines


def test_a_calibration_tells_what_it_lacks(run: Run, fail: Fail, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "hash")
    fail(COPY)
    run("recall", COPY, "--session-id", "s")
    lines = run("calibrate", "--dry-run").lines
    assert lines[:3] == [
        "1 exposure seen by the gate, 0 labels: 0 to the point, 0 not; 0 by the hold-out.",
        "Too few: 50 make a fit, with 10 of each kind, from questions that were answered by meaning and words.",
        "The gate stays as it is.",
    ]
    assert "GRAPHMEM_HOLDOUT" in lines[3]
    data = run("calibrate", "--json").data
    assert (data["trial"], data["changed"], data["dry_run"]) == (None, False, False)
    assert len(data["gate"]["slopes"]) == 4


def test_a_calibration_is_told_with_its_interval(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = GateTrial(
        refitted=SHIPPED, shipped_loss=0.7, refitted_loss=0.5, gain=0.2, low=0.1, high=0.3, better=True
    )
    found = Calibration(
        exposures=60, labels=52, relevant=40, withheld=5, trial=trial, gate=SHIPPED, changed=True
    )
    monkeypatch.setattr(Calibrate, "calibrate", lambda *_: found)
    assert run("calibrate").lines == [
        "60 exposures seen by the gate, 52 labels: 40 to the point, 12 not; 5 by the hold-out.",
        "On sessions held out, log loss 0.700 with the shipped gate, 0.500 refitted; gain +0.200 [+0.100, +0.300].",
        "The refit is better.",
        "The gate was changed; every process uses it from its next answer on.",
    ]
    worse = replace(found, trial=replace(trial, low=-0.1, better=False), dry_run=True)
    monkeypatch.setattr(Calibrate, "calibrate", lambda *_: worse)
    assert run("calibrate", "--dry-run").lines[2:] == [
        "The refit is not surely better: the interval reaches 0, so the shipped gate is preferred.",
        "The gate would change.",
    ]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("answer", "0" * 32, "applied"), 3),
        (("answer", "0" * 32, "perhaps"), 2),
        (("end", "nobody"), 3),
        (("recurrence", "E-9"), 3),
        (("experiment", "E-9"), 3),
        (("recurrence", "--since", "then"), 2),
    ],
)
def test_what_cannot_be_done_is_said_once(run: Run, words: tuple[str, ...], code: int) -> None:
    ended = run(*words)
    assert (ended.code, ended.out) == (code, "")
