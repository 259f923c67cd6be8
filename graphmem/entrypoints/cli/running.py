"""The command that runs another one and remembers how it ended."""

from __future__ import annotations

import re
import secrets
import shlex
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from graphmem.analysis.diagnosis import error_type_of
from graphmem.domain.drafts import CHANGED, ExperienceDraft
from graphmem.domain.memories import Channel, Experience, Result
from graphmem.domain.rules import MAX_SHORT, MAX_TEXT
from graphmem.entrypoints.capture.changed_files import changed_since
from graphmem.entrypoints.capture.processes import Ending, end_as, run_command
from graphmem.entrypoints.capture.repeats import AFTER, Past, note_success, past_of, retried
from graphmem.entrypoints.cli.calling import PROGRAM, Call, Shared, argument, option
from graphmem.entrypoints.cli.memories import moment
from graphmem.entrypoints.cli.terminal import plain
from graphmem.entrypoints.cli.values import writer_of
from graphmem.entrypoints.cli.words import say
from graphmem.wiring import Services, build

TASK_TYPE = "command"
OUTPUT = 4_000
"""Characters of the end of a command's output that are kept."""
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")


@dataclass(frozen=True, kw_only=True)
class Run(Shared):
    """Options of run."""

    words: Annotated[list[str], argument("COMMAND")]
    task_id: Annotated[str, option("--task-id")] = ""
    session_id: Annotated[str, option("--session-id")] = ""
    agent: Annotated[str, option("--agent")] = ""


def run(call: Call, options: Run) -> None:
    """Run the command, remember a failure and what ended it, and leave as the command left."""
    ending = run_command(options.words)
    if ending.error:
        print(f"{PROGRAM}: {plain(ending.error)}", file=sys.stderr)
    if not ending.stopped:
        _quietly(lambda: _remember(call, options, ending))
    end_as(ending)
    raise typer.Exit(ending.code)


def _quietly(remember: Callable[[], None]) -> None:
    """The command's own ending counts: a memory that fails is told in a line and changes nothing."""
    try:
        remember()
    except Exception as error:
        print(f"{PROGRAM}: {say('run.not_recorded', error=type(error).__name__)}", file=sys.stderr)


def _remember(call: Call, options: Run, ending: Ending) -> None:
    draft = _draft(options, ending)
    with closing(build(call.settings)) as services:
        past = past_of(services, call.namespace, draft)
        if ending.code:
            written = services.remember.experience(call.namespace, _placed(draft, past))
            _tell([say("run.recorded", ref=written.memory.ref), *_advice(past)])
        elif past.unsolved is not None:
            _tell([_solved(services, call.namespace, draft, past.unsolved)])


def _placed(draft: ExperienceDraft, past: Past) -> ExperienceDraft:
    """The draft with a task, where the caller named neither task nor session: trying again is the same task."""
    if draft.task_id or draft.session_id:
        return draft
    task = retried(past, draft.error_type, datetime.now(UTC)) or f"run:{secrets.token_hex(4)}"
    return replace(draft, task_id=task)


def _draft(options: Run, ending: Ending) -> ExperienceDraft:
    output = _ESCAPES.sub("", ending.tail.decode(errors="replace")).replace("\0", "").strip()[-OUTPUT:]
    last = next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "")
    ended = f"exit {ending.code}"
    shown = ending.error or last
    draft = ExperienceDraft(
        action=shlex.join(options.words)[:MAX_TEXT],
        context=f"in {Path.cwd().name}",
        result=Result.FAILURE,
        output=output,
        manifestation=f"{ended}: {shown}" if shown else ended,
        tool=Path(options.words[0]).name[:MAX_SHORT],
        task_type=TASK_TYPE,
        task_id=options.task_id,
        session_id=options.session_id,
        agent=options.agent,
        writer=writer_of("", Channel.TOOL),
    )
    return replace(draft, error_type=error_type_of(draft) or ended)


def _advice(past: Past) -> list[str]:
    """What is known of earlier failures of the same command in the same folder."""
    if not past.failures:
        return []
    last = past.failures[0]
    lines = [
        say(
            "run.before",
            count=len(past.failures),
            ref=last.ref,
            at=moment(last.occurred_at),
            how=last.manifestation,
        )
    ]
    if past.correction:
        lines.append(say("run.fix", fix=past.correction))
    if past.worked is not None:
        lines.append(_worked(past.worked))
    return lines


def _worked(success: Experience) -> str:
    changed = ", ".join(str(name) for name in success.metadata.get(CHANGED, ()))
    key = "run.worked_after" if changed else "run.worked"
    return say(key, ref=success.ref, failure=success.metadata[AFTER], changed=changed)


def _solved(services: Services, namespace: str, draft: ExperienceDraft, failed: Experience) -> str:
    changed = changed_since(Path.cwd(), failed.occurred_at)
    written = note_success(services, namespace, draft, failed, changed)
    return say("run.solved", ref=written.memory.ref, failure=failed.ref)


def _tell(lines: list[str]) -> None:
    for line in lines:
        print(f"{PROGRAM}: {plain(line)}", file=sys.stderr)
