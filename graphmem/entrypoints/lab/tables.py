"""Answers of the services as tables: roots, rates, differences, and the state of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import pandas as pd

from graphmem.domain.causation import EdgeKind
from graphmem.domain.explanations import Explanation
from graphmem.domain.proof import Effect, Rate
from graphmem.entrypoints.library import GraphMemory
from graphmem.services.what_if import what_if as without


def roots(found: Explanation) -> pd.DataFrame:
    """One row a root cause, by id, the likeliest first."""
    return pd.DataFrame(
        [
            {
                "ref": root.memory.ref,
                "title": root.memory.title,
                "score": root.score,
                "grade": root.grade.name if root.grade else "",
                "hops": root.hops,
                "on every path": root.on_every_path,
            }
            for root in found.root_causes
        ],
        index=pd.Index([root.memory.id for root in found.root_causes], name="id"),
    )


def what_if(found: Explanation, remove: Sequence[str]) -> pd.DataFrame:
    """Without some causes (ids or refs): one row a failure of the explanation, the one asked first.

    still: the probability that it would have happened all the same, in [0, 1], with its 95 % interval. Raises
    BadInputError for a memory that the explanation does not hold.
    """
    answer = without(found, remove)
    columns = ["ref", "title", "still", "low", "high"]
    rows = [(one.memory.ref, one.memory.title, one.probability, one.low, one.high) for one in answer.still]
    return pd.DataFrame(rows, columns=columns)


def rates(named: Mapping[str, Rate]) -> pd.DataFrame:
    """One row a rate with its Wilson interval, for dots(); those of no trial are left out."""
    rows = {
        name: {"value": rate.value, "low": rate.low, "high": rate.high, "n": rate.n}
        for name, rate in named.items()
        if rate.n
    }
    return _rows(rows)


def difference(effect: Effect, name: str = "difference") -> pd.DataFrame:
    """A difference of two rates with Newcombe's interval, for dots(); empty where an arm is."""
    if effect.difference is None or effect.low is None or effect.high is None:
        return _rows({})
    return _rows({name: {"value": effect.difference, "low": effect.low, "high": effect.high}})


def side_by_side(named: Mapping[str, pd.DataFrame], row: str = "graphmem") -> pd.DataFrame:
    """The same row of several tables, under the name of each table."""
    return pd.DataFrame({name: table.loc[row] for name, table in named.items()}).T


def quality(memory: GraphMemory) -> pd.DataFrame:
    """How much of a memory its statistics can use: count, of how many, and the share of that, by what is counted."""
    experiences, edges = memory.frame("experiences"), memory.frame("edges")
    failures = experiences[experiences["failed"]]
    used = edges[edges["active"]]
    caused = failures.index.isin(used["effect_id"])
    counts = {
        "experiences": (len(experiences), len(experiences)),
        "failures": (len(failures), len(experiences)),
        "failures without a cause": (int((~caused).sum()), len(failures)),
        "failures without a class": (int((failures["error_class"] == "").sum()), len(failures)),
        "edges": (len(edges), len(edges)),
        "edges refuted": (len(edges) - len(used), len(edges)),
        "time violations": (int((used["lag"] < 0).sum()), len(used)),
        "memories in a cycle": (_in_cycles(memory), len(experiences)),
    }
    by_grade = used["grade"].value_counts()
    counts |= {f"edges {str(grade).lower()}": (int(count), len(used)) for grade, count in by_grade.items()}
    rows = {name: {"count": n, "of": of, "share": n / of if of else 0.0} for name, (n, of) in counts.items()}
    return _rows(rows).astype({"count": int, "of": int})


def _in_cycles(memory: GraphMemory) -> int:
    stated: nx.DiGraph[str] = nx.DiGraph(
        (effect, cause)
        for effect, cause, kind in memory.graph().edges(keys=True)
        if kind == EdgeKind.CAUSED_BY.value
    )
    return sum(len(circle) for circle in nx.strongly_connected_components(stated) if len(circle) > 1)


def _rows(rows: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    columns = next(iter(rows.values())).keys() if rows else ("value", "low", "high", "n")
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(columns))
