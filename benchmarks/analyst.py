"""How often does the rule analyst name the right type of root cause? Our own labels, and AgentRx categories.

python -m benchmarks.analyst [--data DIR]

Labels of ours: benchmarks/data/root_causes.jsonl, committed before the method; a third is held out. AgentRx: the
category of 334 annotated failures mapped to the four types by benchmarks/data/agentrx_types.json; the analyst
reads the annotator's reason and the agent's message at that step, never the category. The lines of tau were read
while the words were collected, those of magentic were not.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.agentrx_traces import FILES, read_traces
from benchmarks.reporting import Figure, arguments, difference, emit, mean_figure
from graphmem.analysis.diagnosis import root_cause_of
from graphmem.domain.drafts import ExperienceDraft
from graphmem.domain.memories import Result, RootCause, RootCauseType

OWN = Path(__file__).parent / "data" / "root_causes.jsonl"
MAPPING = Path(__file__).parent / "data" / "agentrx_types.json"
NAMES = (*(kind.value for kind in RootCauseType), "-")
"""The types, and '-' for "the text does not tell"."""


@dataclass(frozen=True)
class Case:
    """A labelled failure and what the analyst says of it."""

    true: str
    said: str
    label: Mapping[str, Any]
    found: RootCause


def main() -> None:
    """Read, diagnose, count, print."""
    options = arguments(__doc__ or "").parse_args()
    own = [_own(json.loads(line)) for line in OWN.read_text(encoding="utf8").splitlines()]
    tables: dict[str, Mapping[str, Figure]] = {}
    notes = []
    for part in ("build", "held-out"):
        cases = [case for case in own if case.label["part"] == part]
        tables[f"own labels, {part} (n = {len(cases)})"] = _figures(cases) | _steps(cases)
        notes.append(f"\nown labels, {part}: rows true, columns said\n{_confusion(cases)}")
    if options.data is None or not (options.data / FILES[0]).exists():
        notes.append("AgentRx NOT RUN: give --data DIR (benchmarks/data.toml tells the sources)")
    else:
        for source in ("tau", "magentic"):
            cases = _agentrx(options.data, source)
            tables[f"AgentRx, {source} (n = {len(cases)})"] = _figures(cases)
            notes.append(f"\nAgentRx, {source}: rows true, columns said\n{_confusion(cases)}")
    emit(tables, options.json, [] if options.json else notes)


def _own(label: Mapping[str, Any]) -> Case:
    return _case(label["type"] or "-", label, manifestation=label["manifestation"], trace=label["trace"])


def _agentrx(data: Path, source: str) -> list[Case]:
    types = json.loads(MAPPING.read_text(encoding="utf8"))["types"]
    return [
        _case(types[failure.category], {}, manifestation=failure.reason, output=failure.message)
        for trace in read_traces(data)
        if trace.name.startswith(source)
        for failure in trace.failures
    ]


def _case(true: str, label: Mapping[str, Any], **told: Any) -> Case:
    draft = ExperienceDraft(action="act", result=Result.FAILURE, **told)
    found = root_cause_of(draft) or RootCause(summary="")
    return Case(true, found.type.value if found.type else "-", label, found)


def _figures(cases: Sequence[Case]) -> dict[str, Figure]:
    """Accuracy beside the most frequent type, precision where a type is said, and how often one is said."""
    majority = Counter(case.true for case in cases).most_common(1)[0][0]
    right = [float(case.said == case.true) for case in cases]
    trivial = [float(case.true == majority) for case in cases]
    said = [case for case in cases if case.said != "-"]
    figures = {
        "accuracy": mean_figure(right, {"majority": sum(trivial) / len(cases)}),
        "accuracy minus majority": difference(right, trivial),
        "said": mean_figure([float(case.said != "-") for case in cases]),
    }
    if said:
        beside = {"majority": sum(case.true == majority for case in said) / len(said)}
        figures["right when said"] = mean_figure([float(case.said == case.true) for case in said], beside)
    figures["macro recall"] = _macro(cases)
    return figures


def _macro(cases: Sequence[Case]) -> Figure:
    """Mean over the types of the share found; a constant answer gets one in as many. Interval: each case weighs
    as the inverse of how often its type occurs.
    """
    counts = Counter(case.true for case in cases)
    weighted = [
        len(cases) / len(counts) / counts[case.true] * float(case.said == case.true) for case in cases
    ]
    return mean_figure(weighted, {"majority": 1 / len(counts)})


def _steps(cases: Sequence[Case]) -> dict[str, Figure]:
    """Sufficiency over all cases; the steps over those with a labelled trace."""
    told = [case for case in cases if case.label["context"]]
    traced = [case for case in cases if case.label["deviated_at"]]
    most = Counter(case.label["context"] for case in told).most_common(1)[0][0]
    figures = {
        "context sufficiency": mean_figure(
            [float(case.found.context_sufficiency == case.label["context"]) for case in told],
            {"majority": sum(case.label["context"] == most for case in told) / len(told)},
        )
    }
    for name in ("deviated_at", "change_at"):
        own = [float(getattr(case.found, name) == case.label[name]) for case in traced]
        second = sum(case.label[name] == 2 for case in traced) / len(traced)
        figures[name] = mean_figure(own, {"always step 2": second})
    return figures


def _confusion(cases: Sequence[Case]) -> str:
    counts = Counter((case.true, case.said) for case in cases)
    head = f"{'':<20}" + "".join(f"{name[:11]:>12}" for name in NAMES)
    rows = [
        f"{true:<20}" + "".join(f"{counts[true, said]:>12}" for said in NAMES)
        for true in NAMES
        if any(counts[true, said] for said in NAMES)
    ]
    return "\n".join([head, *rows])


if __name__ == "__main__":
    main()
