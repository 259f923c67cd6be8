"""Commands that write or remove a memory."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from graphmem.domain.answers import Written
from graphmem.domain.drafts import ExperienceDraft, FactDraft, FailureDraft
from graphmem.domain.errors import NotFoundError
from graphmem.domain.memories import Channel, Result
from graphmem.entrypoints.cli.calling import Call, Printing, argument, option, options_of
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.memories import lined
from graphmem.entrypoints.cli.piping import piped
from graphmem.entrypoints.cli.values import moment_of, now, writer_of
from graphmem.entrypoints.cli.words import say
from graphmem.entrypoints.plain import cause_of
from graphmem.wiring import build


@dataclass(frozen=True, kw_only=True)
class Writing(Printing):
    """Options of both kinds of writes."""

    key: Annotated[str, option("--key")] = ""
    task_type: Annotated[str, option("--task-type")] = ""
    task_id: Annotated[str, option("--task-id")] = ""
    session_id: Annotated[str, option("--session-id")] = ""
    tag: Annotated[list[str], options_of("--tag")] = field(default_factory=list)
    occurred_at: Annotated[str, option("--occurred-at")] = ""
    by: Annotated[str, option("--by")] = ""


@dataclass(frozen=True, kw_only=True)
class Remember(Writing):
    """Options of remember."""

    statement: Annotated[str, piped(argument("STATEMENT"))]
    subject: Annotated[str, option("--subject")] = ""
    valid_from: Annotated[str, option("--valid-from")] = ""
    valid_to: Annotated[str, option("--valid-to")] = ""
    supersedes: Annotated[list[str], options_of("--supersedes")] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Record(Writing):
    """Options of record."""

    action: Annotated[str, piped(argument("ACTION"))]
    result: Annotated[Result, option("--result", case_sensitive=False)]
    context: Annotated[str, piped(option("--context"))] = ""
    output: Annotated[str, piped(option("--output"))] = ""
    expected: Annotated[str, piped(option("--expected"))] = ""
    error_type: Annotated[str, option("--error-type")] = ""
    manifestation: Annotated[str, piped(option("--manifestation"))] = ""
    correction: Annotated[str, piped(option("--correction"))] = ""
    generalization: Annotated[str, piped(option("--generalization"))] = ""
    tool: Annotated[str, option("--tool")] = ""
    agent: Annotated[str, option("--agent")] = ""
    caused_by: Annotated[list[str], options_of("--caused-by")] = field(default_factory=list)
    informed_by: Annotated[list[str], options_of("--informed-by")] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Capture(Writing):
    """Options of capture."""

    manifestation: Annotated[str, piped(argument("MANIFESTATION"))]
    trace: Annotated[str, piped(option("--trace"))] = ""
    action: Annotated[str, piped(option("--action"))] = ""
    context: Annotated[str, piped(option("--context"))] = ""
    error_type: Annotated[str, option("--error-type")] = ""
    tool: Annotated[str, option("--tool")] = ""
    agent: Annotated[str, option("--agent")] = ""
    caused_by: Annotated[list[str], options_of("--caused-by")] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Forget(Printing):
    """Options of forget."""

    ref: Annotated[str, argument("REF")]
    yes: Annotated[bool, option("--yes", "-y")] = False
    dry_run: Annotated[bool, option("--dry-run")] = False


def remember(call: Call, options: Remember) -> None:
    """Remember a fact."""
    draft = FactDraft(
        statement=options.statement,
        subject=options.subject,
        valid_from=moment_of("valid_from", options.valid_from, now()),
        valid_to=moment_of("valid_to", options.valid_to, now()),
        supersedes=tuple(options.supersedes),
        **_shared(options, Channel.USER),
    )
    with closing(build(call.settings)) as services:
        _show(call, services.remember.fact(call.namespace, draft))


def record(call: Call, options: Record) -> None:
    """Record an action and its result."""
    draft = ExperienceDraft(
        action=options.action,
        result=options.result,
        context=options.context,
        output=options.output,
        expected=options.expected,
        error_type=options.error_type,
        manifestation=options.manifestation,
        correction=options.correction,
        generalization=options.generalization,
        tool=options.tool,
        agent=options.agent,
        caused_by=tuple(cause_of(text) for text in options.caused_by),
        informed_by=tuple(options.informed_by),
        **_shared(options, Channel.AGENT),
    )
    with closing(build(call.settings)) as services:
        _show(call, services.remember.experience(call.namespace, draft))


def capture(call: Call, options: Capture) -> None:
    """Record a failure the moment it happens."""
    draft = FailureDraft(
        manifestation=options.manifestation,
        agent_trace=options.trace,
        action=options.action,
        context=options.context,
        error_type=options.error_type,
        tool=options.tool,
        agent=options.agent,
        caused_by=tuple(cause_of(text) for text in options.caused_by),
        **_shared(options, Channel.AGENT),
    )
    with closing(build(call.settings)) as services:
        _show(call, services.capture.failure(call.namespace, draft))


def forget(call: Call, options: Forget) -> None:
    """Show what would be removed, ask, and remove it."""
    with closing(build(call.settings)) as services:
        plan = services.forget.forget(call.namespace, options.ref, dry_run=True)
        if plan.already_gone:
            raise NotFoundError("no such memory here (any more)", field="ref", remedy="see graphmem failures")
        if not call.json:
            memory = services.browse.memory(call.namespace, options.ref)
            call.terminal.line(lined(memory, call.terminal))
            call.terminal.line(say("forget.plan", edges=plan.edges))
        if not options.dry_run:
            if not options.yes:
                typer.confirm(say("forget.ask"), abort=True, err=True)
            plan = services.forget.forget(call.namespace, options.ref)
    if call.json:
        call.terminal.json(as_data(plan))
    elif not options.dry_run:
        call.terminal.line(say("forget.done", refs=", ".join(plan.refs)))


def _shared(options: Writing, channel: Channel) -> dict[str, Any]:
    return {
        "key": options.key,
        "task_type": options.task_type,
        "task_id": options.task_id,
        "session_id": options.session_id,
        "tags": tuple(options.tag),
        "occurred_at": moment_of("occurred_at", options.occurred_at, now()),
        "writer": writer_of(options.by, channel),
    }


def _show(call: Call, written: Written) -> None:
    if call.json:
        call.terminal.json(as_data(written))
        return
    call.terminal.line(lined(written.memory, call.terminal))
    state = "write.created" if written.created else "write.known"
    notes = [say(state, revision=written.revision, key=written.key)]
    if written.redactions:
        notes.append(say("write.redacted", count=written.redactions))
    if not written.embedded and call.settings.embedder != "none":
        notes.append(say("write.no_vectors"))
    call.terminal.lines(notes)
