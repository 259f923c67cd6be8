"""Class-to-class propagation as tables, and how well its links stand against planted ones."""

from __future__ import annotations

from collections.abc import Set

import pandas as pd

from graphmem.domain.overview import Bond, Propagation
from graphmem.domain.rules import error_class
from graphmem.tooling.chain_words import FINAL
from graphmem.tooling.chains import Planted

Pair = tuple[str, str]


def propagation(found: Propagation) -> pd.DataFrame:
    """One row a pair of classes, the most probable first; columns as in domain.overview.ClassPropagation."""
    columns = ["cause", "effect", "trials", "caused", "probability", "low", "high", "lift", "bond"]
    rows = [
        (
            pair.cause_class,
            pair.effect_class,
            pair.trials,
            pair.caused,
            pair.probability,
            pair.low,
            pair.high,
            pair.lift,
            pair.bond.value,
        )
        for pair in found.pairs
    ]
    return pd.DataFrame(rows, columns=columns)


def matrix(table: pd.DataFrame) -> pd.DataFrame:
    """Probabilities by cause (rows) and effect (columns) of the pairs that were ever stated; NaN elsewhere."""
    stated = table[table["caused"] > 0]
    return stated.pivot(index="cause", columns="effect", values="probability")


def counts(table: pd.DataFrame) -> dict[Pair, float]:
    """Failures of each class that led to another, by (cause, effect)."""
    stated = table[table["caused"] > 0]
    return {(row.cause, row.effect): float(row.caused) for row in stated.itertuples()}


def likeliest(table: pd.DataFrame, count: int) -> pd.DataFrame:
    """The most probable pairs as rows for dots()."""
    top = table.head(count)
    named = top["cause"] + " → " + top["effect"]
    return top.set_axis(named).rename(columns={"probability": "value", "trials": "n"})[
        ["value", "low", "high", "n"]
    ]


def link_scores(found: Propagation, history: Planted) -> pd.DataFrame:
    """Precision, recall, F1 and share of false discoveries against the planted links: our links, and co-occurrence.

    The failure that ends every task is left out: everything leads to it.
    """
    true = {(error_class(a), error_class(b)) for a, b in history.class_links}
    pairs = [pair for pair in found.pairs if _FINAL not in (pair.cause_class, pair.effect_class)]
    ways = {
        "links": {(pair.cause_class, pair.effect_class) for pair in pairs if pair.bond is Bond.LEADS_TO},
        "co-occurrence (lift above 1)": {
            (pair.cause_class, pair.effect_class) for pair in pairs if pair.lift > 1
        },
    }
    return pd.DataFrame.from_dict({name: _scores(said, true) for name, said in ways.items()}, orient="index")


_FINAL = error_class(FINAL.error_type)


def _scores(said: Set[Pair], true: Set[Pair]) -> dict[str, float]:
    right = len(said & true)
    return {
        "said": len(said),
        "precision": right / len(said) if said else 0.0,
        "recall": right / len(true) if true else 0.0,
        "F1": 2 * right / (len(said) + len(true)) if said or true else 0.0,
        "false": len(said - true) / len(said) if said else 0.0,
    }
