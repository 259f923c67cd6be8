"""Class tables keep what the service said, and count links against planted ones."""

from __future__ import annotations

import pytest

from graphmem.domain.overview import Bond, ClassPropagation, Propagation
from graphmem.domain.rules import error_class
from graphmem.entrypoints.lab.classes import counts, likeliest, link_scores, matrix, propagation
from graphmem.tooling.chain_words import FINAL
from graphmem.tooling.chains import Planted

LAST = error_class(FINAL.error_type)


def pair(cause: str, effect: str, caused: int, lift: float, bond: Bond) -> ClassPropagation:
    return ClassPropagation(
        cause_class=cause,
        effect_class=effect,
        trials=10,
        caused=caused,
        probability=caused / 10,
        low=0.0,
        high=1.0,
        followed=caused,
        together=caused,
        lift=lift,
        q=0.01,
        bond=bond,
    )


FOUND = Propagation(
    pairs=(
        pair("a", LAST, 9, 1.0, Bond.LEADS_TO),
        pair("a", "b", 6, 3.0, Bond.LEADS_TO),
        pair("b", "c", 3, 2.0, Bond.HIDDEN_CAUSE),
        pair("c", "a", 2, 1.5, Bond.LEADS_TO),
        pair("c", "b", 0, 0.5, Bond.CO_OCCURS),
    ),
    total=5,
    classes=("a", "b", "c", LAST),
    episodes=120,
    needed=100,
    unclassed=0,
)


def test_the_table_holds_every_pair_in_the_order_of_the_service() -> None:
    table = propagation(FOUND)
    assert list(table["probability"]) == [0.9, 0.6, 0.3, 0.2, 0.0]
    assert list(table["bond"])[1:3] == ["LEADS_TO", "HIDDEN_CAUSE"]
    empty = Propagation(pairs=(), total=0, classes=(), episodes=0, needed=100, unclassed=0)
    assert propagation(empty).empty


def test_what_was_never_stated_stays_empty_and_does_not_flow() -> None:
    table = propagation(FOUND)
    known = matrix(table)
    assert known.loc["a", "b"] == 0.6
    assert known.isna().loc["c", "b"]
    assert counts(table) == {("a", LAST): 9.0, ("a", "b"): 6.0, ("b", "c"): 3.0, ("c", "a"): 2.0}


def test_the_likeliest_are_rows_for_a_picture() -> None:
    rows = likeliest(propagation(FOUND), 2)
    assert list(rows.index) == [f"a → {LAST}", "a → b"]
    assert list(rows.columns) == ["value", "low", "high", "n"]


def test_links_are_scored_without_the_failure_that_ends_every_task() -> None:
    planted = {("a", "b"): 0.5, ("b", "c"): 0.5}
    history = Planted(memories=(), edges=(), episodes=(), true_edges=frozenset(), class_links=planted)
    scores = link_scores(FOUND, history)
    assert scores.loc["links"].to_dict() == pytest.approx(
        {"said": 2, "precision": 0.5, "recall": 0.5, "F1": 0.5, "false": 0.5}
    )
    assert scores.loc["co-occurrence (lift above 1)", "said"] == 3
    assert scores.loc["co-occurrence (lift above 1)", "recall"] == 1.0
