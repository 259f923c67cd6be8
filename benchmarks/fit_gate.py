"""Fits the reminder gate's prior and shows what reminders do on held-out situations.

python -m benchmarks.fit_gate --data DIR [--embedder e5-small]

Failures: boundary50 (own, 50 cases of 10 families) and AgentRx (82: Magentic roots and tau). Each is asked with the
others in store, never with its own trace. Right = the best failure is of the asked one's class. Folds: one family,
one trace at a time. Ordinary twins (same situation, harmless input) and controls must stay silent.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

from benchmarks.agentrx_traces import FILES, read_traces
from benchmarks.reporting import Figure, arguments, emit, mean_figure, require_data
from graphmem.analysis.calibration import SHIPPED, features, probability
from graphmem.analysis.past_runs import Asked, PastFailure
from graphmem.analysis.reminding import decide
from graphmem.config import Settings
from graphmem.domain.answers import Strength
from graphmem.domain.drafts import ExperienceDraft, Question, SituationKeys
from graphmem.domain.gate import GateFeatures, GatePrior
from graphmem.domain.memories import Experience, Result
from graphmem.domain.rules import error_class
from graphmem.wiring import Services, build

BOUNDARY = Path(__file__).parent / "data" / "boundary50"
RIDGE = 0.05
"""Weight of the squared slopes: with few labels it keeps them finite."""
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A failure, or a harmless situation (family ''). group: what is held out together."""

    name: str
    family: str
    group: str
    situation: str
    concern: str = ""
    keys: SituationKeys = field(default_factory=SituationKeys)
    outcome: str = ""
    correction: str = ""


@dataclass(frozen=True)
class Asking:
    """What one question found: the gate's view, whether the best is right, and what is said."""

    case: Case
    evidence: GateFeatures | None
    right: bool
    failures: tuple[PastFailure, ...]


def boundary_cases(name: str) -> list[Case]:
    """Cases of one file of boundary50, asked with their visible input; twins and controls have no family."""
    cases = []
    for line in (BOUNDARY / name).read_text(encoding="utf8").splitlines():
        item = json.loads(line)
        shown = f"{item['situation']}\n{item.get('visible_input', '')}".strip()
        cases.append(
            Case(
                name=item["id"],
                family=item.get("family", ""),
                group=item.get("family") or item.get("case", item["id"]),
                situation=shown,
                outcome=item.get("what_went_wrong", ""),
                correction=item.get("lesson", ""),
            )
        )
    return cases


def agentrx_cases(data: Path) -> list[Case]:
    """Root failures of Magentic-One and all failures of tau, with the message before as situation."""
    cases = []
    for trace in read_traces(data):
        for place, failure in enumerate(trace.failures):
            if trace.name.startswith("magentic") and failure.id != trace.root:
                continue
            before = trace.failures[place - 1].message if place else trace.task
            cases.append(
                Case(
                    name=f"{trace.name}/{failure.id}",
                    family=_category(failure.category),
                    group=trace.name,
                    situation=f"{trace.task[:150]}\n{before[:300]}" if trace.task else failure.agent,
                    concern=failure.reason,
                    keys=SituationKeys(agent=failure.agent),
                    outcome=failure.reason,
                )
            )
    return cases


def _category(name: str) -> str:
    return error_class(name).replace("/plan", "")


@contextmanager
def filled(cases: Sequence[Case], embedder: str) -> Iterator[Services]:
    """Services over a temporary store that holds the cases as failures."""
    with tempfile.TemporaryDirectory() as folder:
        services = build(Settings(store=f"sqlite:///{folder}/gate.db", embedder=embedder, embed_timeout_s=60))
        for case in cases:
            services.remember.experience("main", _draft(case))
        yield services
        services.close()


def _draft(case: Case) -> ExperienceDraft:
    return ExperienceDraft(
        key=case.name,
        action=case.situation,
        result=Result.FAILURE,
        error_type=case.family,
        manifestation=case.outcome,
        correction=case.correction,
        agent=case.keys.agent,
        task_id=case.group,
        tool="agent",
    )


def ask(services: Services, case: Case, with_concern: bool) -> Asking:
    """Ask for a case without seeing anything of its own group's trace or itself."""
    question = Question(situation=case.situation, keys=case.keys, limit=20)
    if with_concern:
        question = replace(question, concern=case.concern or case.correction)
    errors = services.recall.ask("main", question).errors
    failures = tuple(
        PastFailure(
            id=hit.memory.id,
            relevance=hit.relevance,
            action=hit.memory.action,
            situation=hit.memory.situation,
            family=hit.memory.error_type,
            tool=hit.memory.tool,
            task_type="",
            cluster=hit.memory.cluster_id,
        )
        for hit in errors
        if isinstance(hit.memory, Experience) and not _own(hit.memory, case)
    )
    scored = [(failure.classes, failure.relevance) for failure in failures]
    right = bool(failures) and bool(case.family) and failures[0].family == case.family
    return Asking(case, features(scored) if scored else None, right, failures)


def _own(memory: Experience, case: Case) -> bool:
    return memory.situation == case.situation or (memory.task_id == case.group and "/" in case.group)


def fit(askings: Sequence[Asking]) -> GatePrior:
    """Logistic regression with slopes >= 0 (L-BFGS-B) on the questions that found something."""
    seen = [asking for asking in askings if asking.evidence is not None]
    x = np.array([asking.evidence.values() for asking in seen if asking.evidence])
    y = np.array([asking.right for asking in seen], dtype=float)

    def loss(weights: Numbers) -> float:
        z = weights[0] + x @ weights[1:]
        return float(np.mean(np.logaddexp(0, z) - y * z) + RIDGE * np.sum(weights[1:] ** 2) / len(y))

    bounds = [(None, None)] + [(0.0, None)] * x.shape[1]
    found = minimize(loss, np.zeros(x.shape[1] + 1), method="L-BFGS-B", bounds=bounds).x
    return GatePrior(float(found[0]), tuple(float(slope) for slope in found[1:]))


def held_out(askings: Sequence[Asking]) -> list[tuple[float, bool]]:
    """Probability and truth of every question, fitted on the other groups."""
    results = []
    for group in sorted({asking.case.group for asking in askings}):
        prior = fit([asking for asking in askings if asking.case.group != group])
        for asking in askings:
            if asking.case.group == group:
                p = probability(prior, asking.evidence) if asking.evidence else 0.0
                results.append((p, asking.right))
    return results


def gate_figures(label: str, results: Sequence[tuple[float, bool]]) -> dict[str, Figure]:
    """AUROC, firing rate and precision at .75, beside the base rate."""
    p, right = np.array([r[0] for r in results]), np.array([r[1] for r in results])
    fired = p >= 0.75
    base = {"base rate": float(right.mean())}
    figures = {
        f"{label}: AUROC": auroc(p, right),
        f"{label}: fires at .75": mean_figure(fired.astype(float).tolist()),
    }
    if fired.any():
        figures[f"{label}: right when it fires"] = mean_figure(right[fired].astype(float).tolist(), base)
    return figures


def auroc(p: Numbers, right: NDArray[np.bool_]) -> Figure:
    """Area under the curve with a bootstrap interval over the questions."""
    chance = np.random.default_rng(1)
    drawn = []
    for _ in range(500):
        rows = chance.integers(0, len(p), len(p))
        if 0 < right[rows].sum() < len(rows):
            drawn.append(float(roc_auc_score(right[rows], p[rows])))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Figure(float(roc_auc_score(right, p)), float(low), float(high), len(p), {"constant": 0.5})


def said_figures(label: str, askings: Sequence[Asking]) -> dict[str, Figure]:
    """How often something is said, as the product says it today (shipped prior)."""
    said = [decide(Asked(asking.case.situation), asking.failures, SHIPPED).said for asking in askings]
    counts = {}
    for strength in (Strength.REMIND, Strength.ASK):
        hits = [float(any(item.strength is strength for item in each)) for each in said]
        counts[f"{label}: {strength.value}"] = mean_figure(hits, {"never": 0.0, "always": 1.0})
    return counts


def main() -> None:
    """Ask, fit, print."""
    parser = arguments(__doc__ or "")
    parser.add_argument("--embedder", default="e5-small")
    options = parser.parse_args()
    data = require_data(options.data, *FILES)
    cases = boundary_cases("cases.jsonl")
    figures: dict[str, Figure] = {}
    pooled: list[Asking] = []
    with filled(cases, options.embedder) as services:
        for concern in (False, True):
            askings = [ask(services, case, concern) for case in cases + boundary_cases("controls.jsonl")]
            pooled += askings
            form = "concern" if concern else "visible input"
            figures |= gate_figures(f"boundary50, {form}", held_out(askings))
        for name in ("cases", "twins", "controls", "fresh", "fresh_twins"):
            askings = [ask(services, case, False) for case in boundary_cases(f"{name}.jsonl")]
            figures |= said_figures(name, askings)
    traces = agentrx_cases(data)
    with filled(traces, options.embedder) as services:
        for concern in (False, True):
            askings = [ask(services, case, concern) for case in traces]
            pooled += askings
            figures |= gate_figures(f"AgentRx, {'reason' if concern else 'situation'}", held_out(askings))
    emit({f"The reminder gate, {options.embedder}": figures}, options.json, [f"fitted on all: {fit(pooled)}"])


if __name__ == "__main__":
    main()
