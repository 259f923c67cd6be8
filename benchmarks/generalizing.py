"""Does a general form, made by rule at write, help recall? And do the rule analyst's words? boundary50, our own set.

python -m benchmarks.generalizing [--quick]

50 boundary failures of 10 families are stored; a question is right when its list of three holds one of its family.
Asked: each of the 50 with the others listed, and 30 fresh ones that are in no store; by the situation with its
visible input, and with what is feared as a concern. Columns: the bare failure, with the analyst's words (what is
shipped), with the general form added. Baseline: three at random. --quick: by words only.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from benchmarks.fit_gate import Case, boundary_cases
from benchmarks.reporting import Figure, arguments, difference, emit, mean_figure
from graphmem.analysis.generalizing import generalized
from graphmem.config import Settings
from graphmem.domain.drafts import ExperienceDraft, Question
from graphmem.domain.memories import Result, RootCause
from graphmem.wiring import Services, build

LISTED = 3
NOTHING = RootCause(summary="")
"""A root cause that a writer left empty: the analyst adds nothing to it."""


def main() -> None:
    """Fill a store per column, ask, count, print."""
    options = arguments(__doc__ or "").parse_args()
    stored, fresh = boundary_cases("cases.jsonl"), boundary_cases("fresh.jsonl")
    tables = {}
    for embedder in ("none",) if options.quick else ("none", "e5-small"):
        for concern in (False, True):
            asked = "stated concern" if concern else "visible input"
            for name, cases in (("own 50", stored), ("fresh 30", fresh)):
                scores = {
                    column: _scores(stored, cases, column, embedder, concern)
                    for column in ("bare", "analyst", "general")
                }
                tables[f"{embedder}, {asked}, {name}"] = _table(scores, stored, cases)
    emit(tables, options.json)


def _table(
    scores: Mapping[str, Sequence[float]], stored: Sequence[Case], cases: Sequence[Case]
) -> dict[str, Figure]:
    chance = sum(_by_chance(stored, case) for case in cases) / len(cases)
    table = {column: mean_figure(values, {"random three": chance}) for column, values in scores.items()}
    table["analyst minus bare"] = difference(scores["analyst"], scores["bare"])
    table["general minus analyst"] = difference(scores["general"], scores["analyst"])
    return table


def _by_chance(stored: Sequence[Case], case: Case) -> float:
    """Chance that three of the others hold one of the family."""
    others = [other for other in stored if other.name != case.name]
    kin = sum(other.family == case.family for other in others)
    return 1 - math.comb(len(others) - kin, LISTED) / math.comb(len(others), LISTED)


def _scores(
    stored: Sequence[Case], cases: Sequence[Case], column: str, embedder: str, concern: bool
) -> list[float]:
    families = {case.name: case.family for case in stored}
    with filled_with([_draft(case, column) for case in stored], embedder) as services:
        return [float(_right(services, case, families, concern)) for case in cases]


def _right(services: Services, case: Case, families: Mapping[str, str], concern: bool) -> bool:
    question = Question(situation=case.situation, concern=case.outcome if concern else "", limit=LISTED + 1)
    hits = services.recall.ask("main", question).errors
    names = [str(hit.memory.metadata["case"]) for hit in hits]
    others = [name for name in names if name != case.name][:LISTED]
    return any(families[name] == case.family for name in others)


def _draft(case: Case, column: str) -> ExperienceDraft:
    draft = ExperienceDraft(
        action=case.situation,
        result=Result.FAILURE,
        manifestation=case.outcome,
        metadata={"case": case.name},
        root_cause=NOTHING if column == "bare" else None,
    )
    general = generalized(case.situation, case.outcome) if column == "general" else ""
    return replace(draft, generalization=general)


@contextmanager
def filled_with(drafts: Sequence[ExperienceDraft], embedder: str) -> Iterator[Services]:
    """Services over a temporary SQLite file with the drafts written to 'main', closed and removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        services = build(
            Settings(store=f"sqlite:///{folder}/memory.db", embedder=embedder, embed_timeout_s=60)
        )
        try:
            if drafts:
                services.remember.many("main", drafts)
            yield services
        finally:
            services.close()


if __name__ == "__main__":
    main()
