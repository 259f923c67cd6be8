"""AgentRx through the Python library: what the notebook of a real trace records and asks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from benchmarks.agentrx_traces import FILES, AnnotatedFailure, Trace, experiences, key, read_traces
from graphmem.domain.drafts import CauseRef
from graphmem.entrypoints.library import GraphMemory
from graphmem.tooling.chains import PlantedEpisode

PLACES = (Path("../shared/data"), Path("../../shared/data"))
"""Where the data lie, from the top of the checkout and from its notebooks."""
EXAMPLE = Trace(
    name="example/own",
    task="Which of the two suppliers delivers brass screws sooner, and for how much?",
    steps=9,
    failures=(
        AnnotatedFailure(
            1, 2, "browser", "Intent-Plan Misalignment", "opened the steel screws", "I opened steel screws."
        ),
        AnnotatedFailure(
            2, 4, "browser", "Invention of new information", "took the price of the steel screws", "4.20"
        ),
        AnnotatedFailure(
            3, 5, "orchestrator", "Instruction/Plan Adherence Failure", "skipped the delivery time", "Next."
        ),
        AnnotatedFailure(
            4, 7, "browser", "Invalid Invocation", "asked the shop for an unknown article", "404"
        ),
        AnnotatedFailure(
            5, 8, "orchestrator", "Invention of new information", "named a date nobody gave", "Tuesday."
        ),
    ),
    root=1,
)
"""One small trace of our own, in the same form; its root is what we say it is."""


def found_traces() -> list[Trace]:
    """All traces; none where the data are not there."""
    for place in PLACES:
        if all((place / name).is_file() for name in FILES):
            return read_traces(place)
    return []


def record(memory: GraphMemory, trace: Trace) -> dict[int | str, str]:
    """Record the failures of a trace and the failed run ('final'); ids by the failure's number. Twice is once."""
    ids: dict[str, str] = {}
    for told in experiences(trace):
        written = memory.record(
            told["action"],
            told["result"],
            key=told["key"],
            context=told["context"],
            output=told["output"],
            error_type=told["errorType"],
            agent=told["agent"],
            task_id=told["taskId"],
            occurred_at=datetime.fromisoformat(told["occurredAt"]),
            caused_by=tuple(CauseRef(key=cause["key"]) for cause in told["causedBy"]),
        )
        ids[told["key"]] = written.memory.id
    numbers: list[int | str] = [*(failure.id for failure in trace.failures), "final"]
    return {number: ids[key(trace, number)] for number in numbers}


def asked(trace: Trace, ids: Mapping[int | str, str]) -> PlantedEpisode:
    """The run's failure, with the failure that people marked as its root. Raises ValueError where none is marked."""
    if trace.root is None:
        raise ValueError(f"{trace.name} has no marked root")
    return PlantedEpisode(trace.name, ids["final"], (ids["final"], ids[trace.root]))
