"""Does explain() find the failure that experts call the root? AgentRx, beside four trivial baselines.

python -m benchmarks.agentrx --data DIR [--store bolt://127.0.0.1:PORT]

With a store the same is asked of a temporary SQLite file too: every answer must be the same, in names, order and score
parts; else the status is 1. The namespace is new at every run and stays there.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Mapping, Sequence

from benchmarks.agentrx_traces import FILES, Trace, experiences, key, read_traces
from benchmarks.over_graphql import Door, door
from benchmarks.reporting import Figure, arguments, difference, emit, mean_figure, require_data

RECORD = """
mutation Record($input: [ExperienceInput!]!) {
  recordMany(input: $input) {
    __typename ... on RecordedMany { items { id receipt { key } } } ... on Problem { message field }
  }
}"""
EXPLAIN = """
query Explain($id: ID!, $hops: Int!) {
  explain(id: $id, limit: 20, maxHops: $hops) { rootCauses { memory { id } score parts { name value } } truncated }
}"""
HOPS = (50, 6)
"""The whole chain, as explain() walks it by default, and six steps of it."""
Ranking = Callable[[Trace], Sequence[int]]
Answer = list[tuple[int, list[tuple[str, float]]]]
"""The failures that are named as roots, likeliest first, each with the parts of its score; -1 is none of the trace."""


def first(trace: Trace) -> list[int]:
    """The earliest failure first."""
    return [failure.id for failure in trace.failures]


def last(trace: Trace) -> list[int]:
    """The latest failure first."""
    return first(trace)[::-1]


def never_recovered(trace: Trace) -> list[int]:
    """The failure with the longest time until the next one first."""
    steps = [failure.step for failure in trace.failures] + [trace.final_step]
    gaps = {failure.id: steps[place + 1] - failure.step for place, failure in enumerate(trace.failures)}
    return sorted(gaps, key=lambda name: -gaps[name])


def main() -> None:
    """Load, ask, score, print."""
    options = arguments(__doc__ or "").parse_args()
    data = require_data(options.data, *FILES)
    traces = read_traces(data)
    several = [trace for trace in traces if len(trace.failures) > 1]
    answers = _answers(options.store, traces, several)
    ranked = {
        hops: {trace.name: [name for name, _ in answers[hops, trace.name]] for trace in several}
        for hops in HOPS
    }
    total = sum(len(trace.failures) for trace in traces)
    notes = [f"{len(traces)} traces, {total} annotated failures, edges: previous failure of the same agent"]
    tables: dict[str, dict[str, Figure]] = {}
    for source in ("magentic", "tau"):
        chosen = [t for t in several if t.name.startswith(source) and t.root is not None]
        for hops in HOPS:
            title = f"Root cause, {source}, two or more failures (n = {len(chosen)}), maxHops {hops}"
            tables[title] = _figures(chosen, ranked[hops])
    if options.store:
        other = _answers("", traces, several)
        tables["The same answers as SQLite"] = {
            "share": mean_figure([float(answer == other[asked]) for asked, answer in answers.items()])
        }
    emit(tables, options.json, notes)
    if options.store and answers != other:
        sys.exit(1)


def _answers(store: str, traces: Sequence[Trace], asked: Sequence[Trace]) -> dict[tuple[int, str], Answer]:
    """What a store answers, by hops and trace, once all traces were recorded."""
    with door(store, namespace=f"agentrx-{secrets.token_hex(4)}") as opened:
        ids = _load(opened, traces)
        return {(hops, trace.name): _answer(opened, trace, ids, hops) for hops in HOPS for trace in asked}


def _load(asked: Door, traces: Sequence[Trace]) -> dict[str, str]:
    """Record every trace; node ids by key."""
    ids = {}
    for trace in traces:
        answer = asked.ask(RECORD, input=experiences(trace))["recordMany"]
        if answer["__typename"] != "RecordedMany":
            raise RuntimeError(str(answer))
        for item in answer["items"]:
            ids[item["receipt"]["key"]] = item["id"]
    return ids


def _answer(asked: Door, trace: Trace, ids: Mapping[str, str], hops: int) -> Answer:
    names = {ids[key(trace, failure.id)]: failure.id for failure in trace.failures}
    causes = asked.ask(EXPLAIN, id=ids[key(trace, "final")], hops=hops)["explain"]["rootCauses"]
    return [
        (names.get(cause["memory"]["id"], -1), [(part["name"], part["value"]) for part in cause["parts"]])
        for cause in causes
    ]


def _figures(traces: Sequence[Trace], ours: Mapping[str, Sequence[int]]) -> dict[str, Figure]:
    baselines: dict[str, Ranking] = {"first": first, "last": last, "never-recovered": never_recovered}
    figures = {}
    for name, score in (("hit@1", _hit(1)), ("hit@3", _hit(3)), ("MRR", _reciprocal)):
        own = [score(ours[trace.name], trace) for trace in traces]
        beside = {label: [score(rank(trace), trace) for trace in traces] for label, rank in baselines.items()}
        means = {label: sum(values) / len(values) for label, values in beside.items()}
        means["random"] = sum(_chance(name, len(trace.failures)) for trace in traces) / len(traces)
        figures[name] = mean_figure(own, means)
        for label, values in beside.items():
            figures[f"{name} minus {label}"] = difference(own, values)
    return figures


def _hit(depth: int) -> Callable[[Sequence[int], Trace], float]:
    return lambda ranking, trace: float(trace.root in ranking[:depth])


def _reciprocal(ranking: Sequence[int], trace: Trace) -> float:
    return 1 / (ranking.index(trace.root) + 1) if trace.root in ranking else 0.0


def _chance(name: str, n: int) -> float:
    """Expected score of a random order of n failures."""
    if name == "MRR":
        return sum(1 / rank for rank in range(1, n + 1)) / n
    return min(1.0, int(name[-1]) / n)


if __name__ == "__main__":
    main()
