"""Is an agent warned or asked before it fails, and left alone where it does not? Streams of runs, most of which work.

python -m benchmarks.asking [--data DIR] [--embedder e5-small] [--quick] [--json]

Each run is asked about before it happens and recorded after it, failed or not: nothing of it is known when it is asked.
Streams: our own fleet (benchmarks/fleet.py: five tools, 15 % of the inputs break them, and mishaps that nothing
foretells), the cases of boundary50 among their ordinary twins and the controls, and what three models answered in
errlore (without its own help, one error type for all). Spoken to is who got a warning or a question. A failure that
could be foretold is one of whose kind three came before. Baselines: always, never, and where the last run of the tool
failed. Intervals over the runs.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.fit_gate import boundary_cases
from benchmarks.fleet import Run, runs
from benchmarks.reporting import Figure, arguments, emit, mean_figure
from graphmem.config import Settings
from graphmem.domain.answers import Strength
from graphmem.domain.drafts import ExperienceDraft, Question, SituationKeys
from graphmem.domain.memories import Result
from graphmem.wiring import build

FLEET = 400
FORETOLD = 3
"""Failures of one kind after which another one could be foretold."""
MODELS = ("raw_outputs", "haiku_raw", "gemma_raw")


@dataclass(frozen=True)
class Spoken:
    """What was said before a run, None for nothing; foretold: whether enough of its kind had failed before; after: the
    last run of the tool had failed.
    """

    run: Run
    strength: Strength | None
    foretold: bool
    after: bool


def boundary(seed: int) -> list[Run]:
    """The 50 cases, their ordinary twins, which work, and 20 controls, shuffled."""
    stream = [
        Run(case.situation, "agent", "", bool(case.family), case.family, case.family, case.outcome)
        for name in ("cases.jsonl", "twins.jsonl", "controls.jsonl")
        for case in boundary_cases(name)
    ]
    return Random(seed).sample(stream, len(stream))


def errlore(data: Path, model: str, seed: int) -> list[Run]:
    """What a model answered without help, shuffled."""
    rows = [json.loads(line) for line in (data / "errlore" / f"{model}.jsonl").read_text("utf8").splitlines()]
    stream = [
        Run(row["prompt"], "model", "", not row["ok"], row["family"], "WrongAnswer", "the answer was wrong")
        for row in rows
        if row["arm"] != "B_errlore"
    ]
    return Random(seed).sample(stream, len(stream))


def spoken(stream: Sequence[Run], embedder: str, tool_named: bool) -> list[Spoken]:
    """Ask before each run, record it after. tool_named: the question says which tool is about to be used."""
    told, failed, last = [], Counter[str](), dict[str, bool]()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(store=f"sqlite:///{folder}/memory.db", embedder=embedder, embed_timeout_s=60)
        with closing(build(settings)) as services:
            for run in stream:
                keys = SituationKeys(tool=run.tool) if tool_named else SituationKeys()
                answer = services.recall.ask("main", Question(situation=run.situation, keys=keys))
                said = answer.reminders[0].strength if answer.reminders else None
                foretold = bool(run.kind) and failed[run.kind] >= FORETOLD
                told.append(Spoken(run, said, foretold, last.get(run.tool, False)))
                last[run.tool] = run.failed
                failed[run.kind] += run.failed
                services.remember.experience("main", _draft(run))
    return told


def _draft(run: Run) -> ExperienceDraft:
    return ExperienceDraft(
        action=run.situation,
        result=Result.FAILURE if run.failed else Result.SUCCESS,
        error_type=run.error_type if run.failed else "",
        manifestation=run.outcome if run.failed else "",
        tool=run.tool,
        task_type=run.task_type,
    )


def table(told: Sequence[Spoken]) -> dict[str, Figure]:
    """Shares of the failures and of the runs that worked before which something was said."""
    failures = [one for one in told if one.run.failed]
    parts = {
        "could be foretold": [one for one in failures if one.foretold],
        "the other failures": [one for one in failures if not one.foretold],
        "worked": [one for one in told if not one.run.failed],
    }
    figures = {
        f"{name}, {what}": mean_figure(
            [float(one.strength in wanted) for one in part],
            {"last failed": sum(one.after for one in part) / len(part)},
        )
        for name, part in parts.items()
        for what, wanted in (("spoken to", tuple(Strength)), ("warned", (Strength.REMIND,)))
        if part
    }
    said = [one for one in told if one.strength is not None]
    if said:
        after = [one for one in told if one.after]
        base = {"always": _failing(told)} | ({"last failed": _failing(after)} if after else {})
        figures["of those spoken to, failed"] = mean_figure([float(one.run.failed) for one in said], base)
    return figures


def _failing(told: Sequence[Spoken]) -> float:
    return sum(one.run.failed for one in told) / len(told)


def streams(data: Path | None, orders: int) -> dict[str, Callable[[], list[list[Run]]]]:
    """The streams by name, each in so many orders."""
    named: dict[str, Callable[[], list[list[Run]]]] = {
        "fleet": lambda: [runs(FLEET, seed) for seed in range(1, orders + 1)],
        "boundary50": lambda: [boundary(seed) for seed in range(1, orders + 1)],
    }
    if data is not None and (data / "errlore").exists():
        named["errlore"] = lambda: [
            errlore(data, model, seed) for model in MODELS for seed in range(1, orders + 1)
        ]
    return named


def main() -> None:
    """Ask, record, count, print."""
    options = arguments(__doc__ or "")
    options.add_argument("--embedder", default="e5-small", help="e5-small, use-multilingual, both or none")
    given = options.parse_args()
    tables = {}
    for name, ordered in streams(given.data, 1 if given.quick else 3).items():
        for tool_named in (True, False):
            told = [one for stream in ordered() for one in spoken(stream, given.embedder, tool_named)]
            asked = "tool named" if tool_named else "situation alone"
            tables[f"{name}, {asked}"] = table(told)
    missing = [] if "errlore" in streams(given.data, 1) else ["NOT RUN: errlore; give --data DIR"]
    emit(tables, given.json, missing)


if __name__ == "__main__":
    main()
