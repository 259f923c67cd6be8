"""Commands on how the memory is."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import Annotated

from graphmem.config import FROM_SERVER
from graphmem.domain.answers import Finding
from graphmem.domain.drafts import Question, SituationKeys
from graphmem.entrypoints.cli import progress
from graphmem.entrypoints.cli.answers import show_findings, show_status
from graphmem.entrypoints.cli.calling import Call, Printing, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.piping import piped
from graphmem.entrypoints.cli.words import say
from graphmem.wiring import Services, build

REPAIRED_AT_ONCE = 20
"""Memories between two signs of progress."""


@dataclass(frozen=True, kw_only=True)
class Status(Printing):
    """Options of status."""


@dataclass(frozen=True, kw_only=True)
class Doctor(Printing):
    """Options of doctor."""

    ask: Annotated[str, piped(option("--ask"))] = ""
    tool: Annotated[str, option("--tool")] = ""
    repair: Annotated[bool, option("--repair")] = False


def status(call: Call, options: Status) -> None:
    """Say where the namespace stands."""
    with closing(build(call.settings)) as services:
        found = services.inspect.status(call.namespace)
    found = replace(found, notes=(*_notes(call), *found.notes))
    if call.json:
        call.terminal.json(as_data(found))
    else:
        show_status(found, call.terminal)


def doctor(call: Call, options: Doctor) -> None:
    """Say what is in order, and why an answer is empty; repair what can be repaired."""
    keys = SituationKeys(tool=options.tool)
    question = Question(situation=options.ask, keys=keys) if options.ask else None
    with closing(build(call.settings)) as services:
        revived = services.repair.revive(call.namespace) if options.repair else 0
        repaired = _repair(services, call.namespace) if options.repair else 0
        balanced = options.repair and services.repair.balance(call.namespace)
        findings = services.inspect.doctor(call.namespace, question, services.recall)
    findings = (*(Finding(ok=True, what=note) for note in _notes(call)), *findings)
    if call.json:
        done = {"repaired": repaired, "balanced": balanced, "revived": revived}
        call.terminal.json(done | {"findings": as_data(findings)})
        return
    if options.repair:
        call.terminal.line(say("doctor.repaired", count=repaired))
    if revived:
        call.terminal.line(say("doctor.revived", count=revived))
    if balanced:
        call.terminal.line(say("doctor.balanced"))
    show_findings(findings, call.terminal)


def _notes(call: Call) -> tuple[str, ...]:
    """What should be known about the settings: a server that only the environment names is used."""
    return (say("status.from_server"),) if call.settings.store_from == FROM_SERVER else ()


def _repair(services: Services, namespace: str) -> int:
    """Vectors that wait for their job, and those that a hand edit spoilt; how many memories got theirs."""
    repaired = 0
    while done := services.maintain.embed_pending(namespace, limit=REPAIRED_AT_ONCE, patient=True):
        repaired += done
        progress.show(say("doctor.repaired", count=repaired))
    unusable = services.repair.unusable(namespace)
    for start in range(0, len(unusable), REPAIRED_AT_ONCE):
        repaired += services.repair.embed(namespace, unusable[start : start + REPAIRED_AT_ONCE])
        progress.show(say("doctor.repaired", count=repaired))
    progress.show("")
    return repaired
