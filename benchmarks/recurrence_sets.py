"""What the scripted agent works through: boundary50 with its controls, and the 82 failures of AgentRx."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.agentrx_traces import AnnotatedFailure, Trace, read_traces
from benchmarks.cluster_sets import EMBEDDERS, OWN, kept_vectors
from benchmarks.fit_gate import Case
from graphmem.adapters.embedders.both import Both
from graphmem.analysis.tokens import language_of
from graphmem.domain.drafts import SituationKeys
from graphmem.domain.records import EmbeddingSpace, SpaceParameters
from graphmem.domain.rules import error_class
from graphmem.ports.embedder import Embedder

THREE: dict[str, Callable[[], Embedder]] = {**EMBEDDERS, "both": lambda: Both(language_of)}
"""The embedders that are compared; they come from the product."""
FORMS = ("bare", "visible", "concern")
"""How boundary50 is asked: the situation, with its input, with the input and the case's own lesson as concern."""


@dataclass(frozen=True)
class Task(Case):
    """Something to be done: a case that goes wrong unless the agent is warned.

    situation and concern: what is asked with; done, outcome, correction, error_type: what a failure of it leaves in
    memory.
    """

    done: str = ""
    error_type: str = ""


def boundary_tasks(form: str, named: bool, cases: str = "cases", of: str = "boundary50") -> list[Task]:
    """The 50 cases, or the 30 "fresh" ones that nothing is chosen on, and 20 controls; of "traps50": 50 cases of ten
    other families, on which gates are chosen.

    named: the agent writes the family down as the error type.
    """
    rows = [row for name in (cases, "controls") for row in _lines(OWN / of / f"{name}.jsonl")]
    return [_boundary(row, form, named) for row in rows]


def _boundary(row: Mapping[str, Any], form: str, named: bool) -> Task:
    family = row.get("family", "")
    whole = f"{row['situation']}\n{row.get('visible_input', '')}".strip()
    return Task(
        name=row["id"],
        family=family,
        group=family or row["id"],
        situation=row["situation"] if form == "bare" else whole,
        concern=row.get("lesson", "") if form == "concern" else "",
        done=whole,
        outcome=row.get("what_went_wrong", ""),
        correction=row.get("lesson", ""),
        error_type=family if named else "",
    )


def agentrx_tasks(data: Path, with_reason: bool, with_keys: bool = True) -> list[Task]:
    """Roots of Magentic-One and all failures of tau, in the order of the traces. No text holds a class's name."""
    return [
        _agentrx(trace, failure, with_reason, with_keys)
        for trace in read_traces(data)
        for failure in trace.failures
        if trace.name.startswith("tau") or failure.id == trace.root
    ]


def _agentrx(trace: Trace, failure: AnnotatedFailure, with_reason: bool, with_keys: bool) -> Task:
    source = trace.name.partition("/")[0]
    keys = SituationKeys(agent=failure.agent, tool=failure.planned, task_type=source)
    parts = (
        trace.task[:150],
        failure.agent,
        failure.planned,
        failure.instruction[:220],
        failure.before[:300],
    )
    situation = "\n".join(part for part in parts if part.strip())
    return Task(
        name=f"{trace.name}/{failure.id}",
        family=error_class(failure.category).replace("/plan", "").replace("-", " "),
        group=trace.name,
        situation=situation,
        concern=failure.reason if with_reason else "",
        keys=keys if with_keys else SituationKeys(),
        done=situation,
        outcome=failure.reason,
    )


def texts_of(tasks: Sequence[Task]) -> set[str]:
    """Everything that is embedded for the tasks."""
    found = {text for task in tasks for text in (task.situation, task.concern, task.done) if text}
    for task in tasks:
        found.add("\n".join(part for part in (task.error_type, task.outcome, task.correction) if part))
    return found - {""}


class KeptEmbedder:
    """An embedder whose vectors of known texts are computed once and kept between runs."""

    def __init__(self, name: str, texts: set[str]) -> None:
        """Embed the texts with the embedder named."""
        self._inner = THREE[name]()
        self._of = kept_vectors(self._inner, texts)

    @property
    def space(self) -> EmbeddingSpace:
        """The embedder's own."""
        return self._inner.space

    @property
    def parameters(self) -> SpaceParameters:
        """The embedder's own."""
        return self._inner.parameters

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """The kept vectors; unknown texts are embedded now."""
        return [self._of[t].tobytes() if t in self._of else self._inner.embed([t])[0] for t in texts]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]
