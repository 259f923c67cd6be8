"""Sets of failures with a label of what they have in common, as a memory would hold them, and their vectors.

Public sets: errlore, AgentRx, CausalEval, ALFWorld reflections; of ours: boundary50 and lessons72. A failure is told
by its account: the outcome where the set tells one, else the situation.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.agentrx_traces import FILES, read_traces
from graphmem.adapters.embedders.e5_small import E5Small
from graphmem.adapters.embedders.use_multilingual import UseMultilingual
from graphmem.analysis.failures import Failure
from graphmem.analysis.likeness import Background
from graphmem.analysis.vectors import Floats
from graphmem.domain.rules import error_class
from graphmem.ports.embedder import Embedder

OWN = Path(__file__).parent / "data"
NEEDED = (*FILES, "errlore", "causaleval", "reflexion_alfworld")
EMBEDDERS: dict[str, Callable[[], Embedder]] = {"e5-small": E5Small, "use-multilingual": UseMultilingual}
PER_LABEL = 5
"""Failures of one label in pool5."""
_OUTPUT = 400
_TASKS = {
    "heat": r"\b(?:heat|microwave)",
    "cool": r"\b(?:cool|fridge)",
    "clean": r"\b(?:clean|sinkbasin)",
    "examine": r"\b(?:desklamp|lamp|light|look at|examine)",
    "two": r"\b(?:two|both|second|another)\b",
}
"""Words by which a task of ALFWorld is told from its reflections: a weak label."""


@dataclass(frozen=True)
class Case:
    """One labelled failure; wrong: the account without what was right, where the set tells it apart."""

    id: str
    label: str
    account: str
    episode: str
    error_type: str = ""
    wrong: str = ""


def read_sets(data: Path) -> dict[str, list[Case]]:
    """Every set by name; pool mixes the sources, pool5 holds at most PER_LABEL of many small families."""
    errors = {name: _errlore(data / "errlore" / f"{name}_raw.jsonl") for name in ("gemma", "haiku")}
    prompts = {name: [case for case, _ in found] for name, found in errors.items()}
    outputs = [replace(case, account=output) for found in errors.values() for case, output in found]
    agents = _agentrx(data)
    notes, environments = _reflections(data / "reflexion_alfworld")
    causal = _causaleval(data / "causaleval")
    shared = [*prompts["gemma"], *prompts["haiku"], *causal]
    return {
        "errlore gemma": prompts["gemma"],
        "errlore haiku": prompts["haiku"],
        "errlore output": outputs,
        "AgentRx magentic": agents["magentic"],
        "AgentRx tau": agents["tau"],
        "ALFWorld notes": notes,
        "CausalEval": causal,
        "pool": [*shared, *notes, *agents["tau"]],
        "pool5": _capped([*shared, *environments, *agents["tau"]]),
        "lessons72": lessons(),
        "lessons72, no remedy": [replace(case, account=case.wrong) for case in lessons()],
        "boundary50": boundary("cases.jsonl"),
    }


def lessons() -> list[Case]:
    """72 failures of 12 families, 48 Chinese and 24 English, as people note them."""
    rows = _lines(OWN / "lessons72" / "cases.jsonl")
    return [
        Case(
            id=row["id"],
            label=row["family"],
            account=_joined(row["error_type"], row["outcome"], row["correction"]),
            episode=row["id"],
            error_type=row["error_type"],
            wrong=_joined(row["error_type"], row["outcome"]),
        )
        for row in rows
    ]


def boundary(name: str, named: bool = False) -> list[Case]:
    """Cases of boundary50; named: with the family as the error type that the agent wrote down."""
    return [
        Case(
            id=row["id"],
            label=row["family"],
            account=_joined(row["family"] if named else "", row["what_went_wrong"], row["lesson"]),
            episode=row["id"],
            error_type=row["family"] if named else "",
        )
        for row in _lines(OWN / "boundary50" / name)
    ]


def _errlore(path: Path) -> list[tuple[Case, str]]:
    """Failed prompts of one model, each with the beginning of the wrong output."""
    found = []
    for number, row in enumerate(_lines(path)):
        if not row["ok"]:
            name = f"{path.stem}-{number:04}"
            found.append(
                (Case(name, f"errlore {row['family']}", row["prompt"], name), row["output"][:_OUTPUT])
            )
    return found


def _agentrx(data: Path) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = defaultdict(list)
    for trace in read_traces(data):
        source = trace.name.partition("/")[0]
        for failure in trace.failures:
            label = error_class(failure.category).replace("/plan", "").replace("-", " ")
            account = f"{failure.agent}: {failure.reason}"
            found[source].append(Case(f"{trace.name}/{failure.id}", f"AgentRx {label}", account, trace.name))
    return found


def _reflections(folder: Path) -> tuple[list[Case], list[Case]]:
    """The distinct notes of each environment, labelled by kind of task, and the same labelled by environment."""
    told: dict[str, dict[str, None]] = {}
    for trial in range(15):
        for entry in json.loads((folder / f"env_results_trial_{trial}.json").read_text(encoding="utf8")):
            told.setdefault(entry["name"], {}).update(dict.fromkeys(entry["memory"]))
    by_task, by_environment = [], []
    for name, notes in told.items():
        text = " ".join(notes).lower()
        counts = {task: len(re.findall(pattern, text)) for task, pattern in _TASKS.items()}
        task = max(counts, key=lambda kind: counts[kind]) if any(counts.values()) else "put"
        for number, note in enumerate(notes):
            case = Case(f"{name}/{number}", f"ALFWorld {task}", note.strip(), name)
            by_task.append(case)
            by_environment.append(replace(case, label=f"ALFWorld {name}"))
    return by_task, by_environment


def _causaleval(folder: Path) -> list[Case]:
    """Bad events and what caused them; the label is the first event of the chain."""
    cases = []
    for number in range(20):
        graph = json.loads((folder / f"graph_{number}.json").read_text(encoding="utf8"))["graph"]
        nodes = {node["id"]: node for node in graph["nodes"]}
        cause = {edge["to"]: edge["from"] for edge in graph["edges"] if edge["relation"] == "caused"}
        bad = {name for name, node in nodes.items() if node["polarity"] == "negative"}
        for name in sorted(bad | {cause[effect] for effect in bad if effect in cause}):
            root = name
            while root in cause:
                root = cause[root]
            account = f"{nodes[name]['person']} {nodes[name]['action']}"
            episode = f"graph {number}/{root}"
            cases.append(Case(f"{number}/{name}", f"CausalEval {nodes[root]['action']}", account, episode))
    return cases


def _capped(cases: Iterable[Case]) -> list[Case]:
    seen: Counter[str] = Counter()
    kept = []
    for case in cases:
        seen[case.label] += 1
        if seen[case.label] <= PER_LABEL:
            kept.append(case)
    return kept


class Vectors:
    """Vectors of one embedder, kept in the temporary folder between runs."""

    def __init__(self, name: str, texts: Iterable[str]) -> None:
        """Embed the texts with the embedder named."""
        self._of, self.background = _embedded(name, sorted(set(texts)))

    def failures(self, cases: Sequence[Case], typed: bool = False) -> list[Failure]:
        """The cases as failures, numbered in their order; typed: with the error types that the set tells."""
        return [
            Failure(
                id=f"{number:05}",
                account=case.account,
                episode=case.episode,
                vector=self._of[case.account],
                error_type=case.error_type if typed else "",
            )
            for number, case in enumerate(cases)
        ]


def _embedded(name: str, texts: Sequence[str]) -> tuple[Mapping[str, Floats], Background]:
    embedder = EMBEDDERS[name]()
    parameters = embedder.parameters
    mean = {language: np.array(row, dtype=np.float32) for language, row in parameters.mean.items()}
    return kept_vectors(embedder, texts), Background(mean, parameters.mu)


def kept_vectors(embedder: Embedder, texts: Iterable[str]) -> dict[str, Floats]:
    """Vectors by text, float32[d]; each distinct text is embedded once and kept in the temporary folder."""
    space = hashlib.sha256(repr(embedder.space).encode()).hexdigest()[:16]
    path = Path(tempfile.gettempdir()) / f"graphmem-vectors-{space}.npz"
    known: dict[str, Floats] = dict(np.load(path)) if path.exists() else {}
    keys = {text: hashlib.sha256(text.encode()).hexdigest() for text in sorted(set(texts))}
    absent = [text for text in keys if keys[text] not in known]
    for text, data in zip(absent, embedder.embed(absent), strict=True):
        known[keys[text]] = np.frombuffer(data, dtype="<f4")
    if absent:
        np.savez(path, **known)  # type: ignore[arg-type, unused-ignore]
    return {text: known[key] for text, key in keys.items()}


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]
