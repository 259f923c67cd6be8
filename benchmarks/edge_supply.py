"""Does suggestCauses() propose the cause that a reader names? 168 labelled AgentRx failures.

python -m benchmarks.edge_supply --data DIR

The labels (benchmarks/data/edge_truth.json) were committed before the method existed. A failure's cause is the
one earlier failure without which it would most likely not have happened, or none.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.agentrx_traces import FILES, Trace, experiences, read_traces
from benchmarks.over_graphql import Door, door
from benchmarks.reporting import Figure, arguments, difference, emit, interval, require_data

TRUTH = Path(__file__).parent / "data" / "edge_truth.json"
SECOND = Path(__file__).parent / "data" / "edge_truth_second.json"
RECORD = """
mutation Record($input: [ExperienceInput!]!) {
  recordMany(input: $input) { __typename ... on RecordedMany { items { id receipt { key } } } }
}"""
SUGGEST = "query Suggest($id: ID!) { suggestCauses(id: $id) { memory { id } score } }"

Pair = tuple[str, int]
"""A failure: trace name and failure id."""
Guess = Mapping[Pair, int | None]
"""The proposed cause of each failure."""
Measure = Callable[[Guess, Guess, Sequence[Pair]], float]


def labels(path: Path) -> dict[Pair, int | None]:
    """Cause (or None) by failure."""
    entries = json.loads(path.read_text(encoding="utf8"))["labels"]
    return {(entry["trace"], entry["failure"]): entry["cause"] for entry in entries}


def previous_failure(traces: Mapping[str, Trace], pair: Pair) -> int | None:
    """The failure just before, the baseline that needs no text."""
    ids = [failure.id for failure in traces[pair[0]].failures]
    place = ids.index(pair[1])
    return ids[place - 1] if place else None


def agreement(first: Mapping[Pair, int | None], second: Mapping[Pair, int | None]) -> tuple[float, float]:
    """Share of equal labels, and Cohen's kappa on cause against none."""
    pairs = sorted(second)
    same = sum(first[pair] == second[pair] for pair in pairs) / len(pairs)
    yes = [(first[pair] is not None, second[pair] is not None) for pair in pairs]
    observed = sum(a == b for a, b in yes) / len(yes)
    p, q = sum(a for a, _ in yes) / len(yes), sum(b for _, b in yes) / len(yes)
    expected = p * q + (1 - p) * (1 - q)
    return same, (observed - expected) / (1 - expected)


def main() -> None:
    """Load without edges, ask for proposals, score the best one."""
    options = arguments(__doc__ or "").parse_args()
    data = require_data(options.data, *FILES)
    truth, second = labels(TRUTH), labels(SECOND)
    traces = {trace.name: trace for trace in read_traces(data)}
    named = {name for name, _ in truth}
    with door(options.store) as asked:
        ids = _load(asked, [trace for name, trace in traces.items() if name in named])
        ours = {pair: _proposal(asked, pair, ids) for pair in truth}
    previous = {pair: previous_failure(traces, pair) for pair in truth}
    none: Guess = dict.fromkeys(truth)
    same, kappa = agreement(truth, second)
    causes = sum(cause is not None for cause in truth.values())
    notes = [
        f"labels: {causes} causes, {len(truth) - causes} none",
        f"second labelling of {len(second)}: equal {same:.2f}, kappa on cause/none {kappa:.2f}",
    ]
    table = _figures(truth, ours, previous, none)
    emit({"suggestCauses: its best proposal": table}, options.json, notes)


def _load(asked: Door, traces: Sequence[Trace]) -> dict[str, str]:
    ids: dict[str, str] = {}
    for trace in traces:
        inputs = [{**item, "causedBy": []} for item in experiences(trace)]
        items = asked.ask(RECORD, input=inputs)["recordMany"]["items"]
        ids |= {item["receipt"]["key"]: item["id"] for item in items}
    return ids


def _proposal(asked: Door, pair: Pair, ids: Mapping[str, str]) -> int | None:
    prefix = f"agentrx:{pair[0]}:"
    names = {node: own.removeprefix(prefix) for own, node in ids.items() if own.startswith(prefix)}
    proposals = asked.ask(SUGGEST, id=ids[prefix + str(pair[1])])["suggestCauses"]
    return int(names[proposals[0]["memory"]["id"]]) if proposals else None


def _figures(truth: Guess, ours: Guess, previous: Guess, none: Guess) -> dict[str, Figure]:
    pairs = sorted(truth)
    figures = {}
    for name, measure in (("precision", _precision), ("recall", _recall), ("F1", _f1)):
        beside = {"previous": measure(truth, previous, pairs), "none": measure(truth, none, pairs)}
        value = measure(truth, ours, pairs)
        low, high = _interval(truth, ours, pairs, measure)
        figures[name] = Figure(value, low, high, len(pairs), beside)
    right = [[float(guess[pair] == truth[pair]) for pair in pairs] for guess in (ours, previous, none)]
    low, high = interval(right[0])
    beside = {"previous": sum(right[1]) / len(pairs), "none": sum(right[2]) / len(pairs)}
    figures["accuracy"] = Figure(sum(right[0]) / len(pairs), low, high, len(pairs), beside)
    figures["accuracy minus previous"] = difference(right[0], right[1])
    figures["accuracy minus none"] = difference(right[0], right[2])
    return figures


def _precision(truth: Guess, guess: Guess, pairs: Sequence[Pair]) -> float:
    proposed = [pair for pair in pairs if guess[pair] is not None]
    return sum(guess[pair] == truth[pair] for pair in proposed) / len(proposed) if proposed else 0.0


def _recall(truth: Guess, guess: Guess, pairs: Sequence[Pair]) -> float:
    caused = [pair for pair in pairs if truth[pair] is not None]
    return sum(guess[pair] == truth[pair] for pair in caused) / len(caused) if caused else 0.0


def _f1(truth: Guess, guess: Guess, pairs: Sequence[Pair]) -> float:
    precision, recall = _precision(truth, guess, pairs), _recall(truth, guess, pairs)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _interval(truth: Guess, guess: Guess, pairs: Sequence[Pair], measure: Measure) -> tuple[float, float]:
    """A bootstrap interval over whole traces: failures of one trace are not independent."""
    chance = random.Random(1)
    by_trace: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_trace.setdefault(pair[0], []).append(pair)
    names = sorted(by_trace)
    values = sorted(
        measure(
            truth, guess, [pair for name in chance.choices(names, k=len(names)) for pair in by_trace[name]]
        )
        for _ in range(1_000)
    )
    return values[25], values[974]


if __name__ == "__main__":
    main()
