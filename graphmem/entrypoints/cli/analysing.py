"""Commands on analyses: the worker, and what waits for an analyst."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from threading import Event
from typing import Annotated, TypeVar

from graphmem.config import model_endpoint
from graphmem.consulting import consultant
from graphmem.domain.analyses import AnalysisDraft, WorkItem
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import ContextSufficiency, RootCause, RootCauseType
from graphmem.entrypoints.cli.calling import Call, Printing, Shared, argument, option
from graphmem.entrypoints.cli.consulting import consult_all, consult_for_ever, show_plan
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.memories import lined
from graphmem.entrypoints.cli.piping import piped
from graphmem.entrypoints.cli.terminal import plain
from graphmem.entrypoints.cli.words import say
from graphmem.services.consult import Consult
from graphmem.services.work import Worker
from graphmem.wiring import build


@dataclass(frozen=True, kw_only=True)
class Work(Shared):
    """Options of work."""

    once: Annotated[bool, option("--once")] = False
    llm: Annotated[bool, option("--llm")] = False
    dry_run: Annotated[bool, option("--dry-run", text="llm_dry_run")] = False


@dataclass(frozen=True, kw_only=True)
class Pending(Printing):
    """Options of pending."""

    limit: Annotated[int, option("--limit")] = 5


@dataclass(frozen=True, kw_only=True)
class Claim(Printing):
    """Options of claim."""

    owner: Annotated[str, option("--owner")]
    limit: Annotated[int, option("--limit")] = 5


@dataclass(frozen=True, kw_only=True)
class Submit(Printing):
    """Options of submit."""

    work: Annotated[str, argument("WORK")]
    owner: Annotated[str, option("--owner")]
    attempt: Annotated[int, option("--attempt")]
    summary: Annotated[str, piped(option("--summary"))] = ""
    type: Annotated[str, option("--type", text="cause_type")] = ""
    prevention: Annotated[str, piped(option("--prevention"))] = ""
    deviated_at: Annotated[int, option("--deviated-at")] = 0
    change_at: Annotated[int, option("--change-at")] = 0
    sufficiency: Annotated[str, option("--sufficiency")] = ""
    generalization: Annotated[str, piped(option("--generalization"))] = ""
    lesson: Annotated[str, piped(option("--lesson"))] = ""
    triggers: Annotated[str, piped(option("--triggers"))] = ""
    session_id: Annotated[str, option("--session-id")] = ""


def work(call: Call, options: Work) -> None:
    """Do what was left for after the commit, once or until it is stopped; with --llm a model answers what waits."""
    if options.dry_run and not options.llm:
        raise BadInputError("shows what a model would be asked", field="--dry-run", remedy="add --llm")
    with closing(build(call.settings)) as services:
        if options.dry_run:
            show_plan(call, services.analyse, model_endpoint())
            return
        consult = consultant(services.analyse, model_endpoint()) if options.llm else None
        if options.once:
            call.terminal.line(say("work.done", n=_everything(call, services.worker, consult)))
            return
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            services.worker.start()
            call.terminal.line(say("work.at", store=call.settings.store))
            call.terminal.flush()
            if consult is not None:
                consult_for_ever(call, consult, Event())
            Event().wait()


def _everything(call: Call, worker: Worker, consult: Consult | None) -> int:
    """How many things were done until nothing was left, answers of the model among them."""
    done = 0
    while count := worker.round() + (consult_all(call, consult).answered if consult else 0):
        done += count
    return done


def pending(call: Call, options: Pending) -> None:
    """List what waits for an analyst."""
    with closing(build(call.settings)) as services:
        _show(call, services.analyse.pending(call.namespace, options.limit))


def claim(call: Call, options: Claim) -> None:
    """Hold work, to answer it."""
    with closing(build(call.settings)) as services:
        _show(call, services.analyse.claim(call.namespace, options.owner, options.limit))


def submit(call: Call, options: Submit) -> None:
    """Answer work that is held."""
    draft = AnalysisDraft(
        work_id=options.work,
        owner=options.owner,
        attempt=options.attempt,
        root_cause=_root_cause(options),
        generalization=options.generalization,
        lesson=options.lesson,
        trigger_conditions=options.triggers,
        session_id=options.session_id,
    )
    with closing(build(call.settings)) as services:
        written = services.analyse.submit(call.namespace, draft)
    if call.json:
        call.terminal.json(as_data(written))
        return
    memory = written.memory
    call.terminal.line(lined(memory, call.terminal))
    call.terminal.line(f"  {say('submit.written' if written.created else 'submit.known')}")


_Choice = TypeVar("_Choice", RootCauseType, ContextSufficiency)


def _root_cause(options: Submit) -> RootCause | None:
    cause = RootCause(
        summary=options.summary,
        type=_choice(RootCauseType, "type", options.type),
        prevention=options.prevention,
        deviated_at=options.deviated_at or None,
        context_sufficiency=_choice(ContextSufficiency, "sufficiency", options.sufficiency),
        change_at=options.change_at or None,
    )
    return cause if cause != RootCause(summary="") else None


def _choice(kind: type[_Choice], field: str, text: str) -> _Choice | None:
    try:
        return kind(text.upper().replace("-", "_")) if text else None
    except ValueError as error:
        names = ", ".join(name.lower() for name in kind)
        raise BadInputError(f"{text!r} is none", field=field, remedy=f"one of {names}") from error


def _show(call: Call, items: Sequence[WorkItem]) -> None:
    if call.json:
        call.terminal.json([as_data(item) for item in items])
        return
    if not items:
        call.terminal.line(say("pending.none"))
    for item in items:
        call.terminal.line(lined(item.subject, call.terminal))
        held = say("pending.held", owner=plain(item.owner), attempt=item.attempt) if item.attempt else ""
        call.terminal.line(f"  {plain(item.id)}{held}")
        call.terminal.lines([f"  {plain(question)}" for question in item.questions])
        call.terminal.lines([f"    {lined(one, call.terminal)}" for one in item.evidence])
