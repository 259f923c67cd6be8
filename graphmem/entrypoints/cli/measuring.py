"""Commands on whether it helped: answers to reminders, ends of sessions, recurrence, experiment, and the gate."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Annotated

from graphmem.analysis.calibration import LEAST, LEAST_OF_EACH
from graphmem.domain.proof import Arm, Effect, Rate, Retirement
from graphmem.domain.recurrence import Answer, Outcome, ReminderAnswer
from graphmem.entrypoints.cli.calling import Call, Printing, argument, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.memories import lined
from graphmem.entrypoints.cli.terminal import Terminal, plain, rows
from graphmem.entrypoints.cli.values import moment_of, now
from graphmem.entrypoints.cli.words import say
from graphmem.wiring import build


@dataclass(frozen=True, kw_only=True)
class AnswerReminder(Printing):
    """Options of answer."""

    exposure: Annotated[str, argument("EXPOSURE")]
    answer: Annotated[Answer, argument("ANSWER", case_sensitive=False)]
    note: Annotated[str, option("--note", text="answer_note")] = ""


@dataclass(frozen=True, kw_only=True)
class End(Printing):
    """Options of end."""

    session: Annotated[str, argument("SESSION")]


@dataclass(frozen=True, kw_only=True)
class Measuring(Printing):
    """Options of recurrence and experiment."""

    subject: Annotated[str, argument("SUBJECT")] = ""
    since: Annotated[str, option("--since")] = ""


@dataclass(frozen=True, kw_only=True)
class Calibrate(Printing):
    """Options of calibrate."""

    dry_run: Annotated[bool, option("--dry-run")] = False


def answer(call: Call, options: AnswerReminder) -> None:
    """Say how a reminder was taken."""
    given = ReminderAnswer(exposure_id=options.exposure, answer=options.answer, note=options.note)
    with closing(build(call.settings)) as services:
        found = services.sessions.answer(call.namespace, given)
    if call.json:
        call.terminal.json(as_data(found))
    else:
        call.terminal.line(say("answer.done", answer=say(f"answer.{options.answer}")))


def end(call: Call, options: End) -> None:
    """Say that a session is over."""
    with closing(build(call.settings)) as services:
        found = services.sessions.end(call.namespace, options.session)
    if call.json:
        call.terminal.json(as_data(found))
    else:
        call.terminal.line(
            say("end.already" if found.already else "end.done", session=plain(found.session_id))
        )


def recurrence(call: Call, options: Measuring) -> None:
    """Say how often what was shown came back."""
    since = moment_of("since", options.since, now())
    with closing(build(call.settings)) as services:
        found = services.measure.recurrence(call.namespace, options.subject, since)
    if call.json:
        call.terminal.json(as_data(found))
        return
    terminal = call.terminal
    if found.subject is not None:
        terminal.line(lined(found.subject, terminal))
    cells = [
        [say("proof.shown"), share_of(found.shown.rate), _outcomes(found.shown)],
        [say("proof.before"), share_of(found.before), ""],
        [say("proof.after"), share_of(found.after), _effect(found.effect)],
    ]
    terminal.lines(rows(cells))
    counted = {name: found.answers.get(name, 0) for name in Answer}
    if any(counted.values()):
        terminal.line(
            say("proof.answers", **{name.value.lower(): number for name, number in counted.items()})
        )
    terminal.line(terminal.paint(say("proof.confounded"), "dim"))
    _truncated(terminal, found.truncated)


def experiment(call: Call, options: Measuring) -> None:
    """Say what showing did against withholding."""
    since = moment_of("since", options.since, now())
    with closing(build(call.settings)) as services:
        found = services.measure.experiment(call.namespace, options.subject, since)
    if call.json:
        call.terminal.json(as_data(found))
        return
    terminal = call.terminal
    if found.subject is not None:
        terminal.line(lined(found.subject, terminal))
    if not found.rate:
        terminal.line(say("proof.no_holdout"))
        return
    cells = [
        [say("proof.shown"), share_of(found.shown.rate), _outcomes(found.shown)],
        [say("proof.withheld"), share_of(found.withheld.rate), _outcomes(found.withheld)],
        [say("proof.difference"), _effect(found.effect), say("proof.rate", rate=f"{found.rate:.2f}")],
    ]
    terminal.lines(rows(cells))
    if found.effect.harm:
        terminal.line(terminal.paint(say("proof.harm"), "yellow"))
    for item in found.retirements:
        _retirement(terminal, item)
    _truncated(terminal, found.truncated)


def calibrate(call: Call, options: Calibrate) -> None:
    """Fit the gate on what became of exposures, or say what that would do."""
    with closing(build(call.settings)) as services:
        found = services.calibrate.calibrate(call.namespace, options.dry_run)
    if call.json:
        call.terminal.json(as_data(found))
        return
    terminal, trial = call.terminal, found.trial
    counted = {"exposures": found.exposures, "labels": found.labels, "withheld": found.withheld}
    others = found.labels - found.relevant
    terminal.line(say("calibrate.labels", **counted, relevant=found.relevant, others=others))
    if trial is None:
        terminal.line(say("calibrate.too_few", least=LEAST, each=LEAST_OF_EACH))
    else:
        losses = {"shipped": f"{trial.shipped_loss:.3f}", "refitted": f"{trial.refitted_loss:.3f}"}
        gain = f"{trial.gain:+.3f} [{trial.low:+.3f}, {trial.high:+.3f}]"
        terminal.line(say("calibrate.trial", **losses, gain=gain))
        terminal.line(say("calibrate.better" if trial.better else "calibrate.no_better"))
    state = "same" if not found.changed else "would" if found.dry_run else "done"
    terminal.line(say(f"calibrate.{state}"))
    if not found.withheld:
        terminal.line(terminal.paint(say("calibrate.selected"), "dim"))
    _truncated(terminal, found.truncated)


def share_of(rate: Rate) -> str:
    """A share with its interval, in words."""
    if rate.value is None:
        return say("proof.nothing")
    return say("proof.share", count=rate.count, n=rate.n, value=f"{rate.value:.2f}", interval=_interval(rate))


def _interval(figure: Rate | Effect) -> str:
    return f"[{figure.low:.2f}, {figure.high:.2f}]"


def _outcomes(arm: Arm) -> str:
    counts = {name.value.lower(): arm.outcomes.get(name, 0) for name in Outcome}
    return say("proof.outcomes", exposures=arm.exposures, **counts)


def _effect(effect: Effect) -> str:
    if effect.difference is None:
        return say("proof.nothing")
    return f"{effect.difference:+.2f} {_interval(effect)} p = {effect.p:.3f}"


def _retirement(terminal: Terminal, item: Retirement) -> None:
    line = say(f"fate.{item.fate}", ref=item.memory.ref, effect=_effect(item.effect))
    terminal.line(terminal.paint(line, "yellow"))


def _truncated(terminal: Terminal, truncated: bool) -> None:
    if truncated:
        terminal.line(terminal.paint(say("proof.truncated"), "yellow"))
