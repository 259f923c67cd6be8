"""Clusters that grow one failure at a time."""

from dataclasses import replace

import numpy as np
import pytest

from graphmem.analysis.assigning import OnlineClusters
from graphmem.analysis.failures import Failure
from graphmem.analysis.likeness import Background, similarities
from tests.work import calls

EMPTY = Background()
TOPICS = (
    "connection pool exhausted",
    "time zone shifted dates",
    "encoding broke letters",
    "数据库连接池耗尽",
)


def told(number: int, error_type: str = "", vectors: bool = True) -> Failure:
    """The number-th failure; topics take turns."""
    topic = number % len(TOPICS)
    middle = np.eye(8)[topic]
    vector = np.asarray(middle + 0.1 * np.random.default_rng(50 + number).normal(size=8), dtype=np.float32)
    account = f"{TOPICS[topic]} in job{chr(97 + number % 23)}"
    return Failure(f"f{number:04}", account, f"e{number}", vector if vectors else None, error_type)


def placed(failures: list[Failure], online: OnlineClusters | None = None) -> dict[str, str]:
    """Cluster id by failure id."""
    found = online or OnlineClusters(EMPTY)
    return {failure.id: found.place(failure).cluster_id for failure in failures}


def test_the_first_failure_starts_a_cluster_and_a_like_one_joins_it() -> None:
    online = OnlineClusters(EMPTY)
    first, other, same = (online.place(told(number), f"c{number}") for number in (0, 1, 4))
    assert (first.cluster_id, first.created, first.similarity) == ("c0", True, 0.0)
    assert (other.cluster_id, other.created) == ("c1", True)
    assert (same.cluster_id, same.created) == ("c0", False)
    assert same.similarity > 0.5


def test_topics_come_apart_and_a_cluster_is_named_after_its_first_failure() -> None:
    found = placed([told(number) for number in range(40)])
    assert {name: cluster for name, cluster in found.items() if int(name[1:]) < 4} == {
        f"f{number:04}": f"f{number:04}" for number in range(4)
    }
    assert all(found[f"f{number:04}"] == f"f{number % 4:04}" for number in range(40))


@pytest.mark.parametrize("vectors", [True, False])
def test_the_same_failures_in_the_same_order_give_the_same_clusters(vectors: bool) -> None:
    failures = [told(number, vectors=vectors) for number in range(60)]
    assert placed(failures) == placed(failures)


def test_placing_again_changes_nothing() -> None:
    online = OnlineClusters(EMPTY)
    before = placed([told(number) for number in range(12)], online)
    assert placed([told(number) for number in range(12)], online) == before
    assert online.place(told(3)).created is False


def test_identities_survive_being_held_again() -> None:
    online = OnlineClusters(EMPTY)
    names = placed([told(number) for number in range(20)], online)
    clusters = {name: online.members(name) for name in set(names.values())}
    again = OnlineClusters(EMPTY, clusters)
    assert placed([told(number) for number in range(20)], again) == names
    assert again.place(told(20)).cluster_id == names["f0000"]
    assert again.scale.documents == 20


def test_a_failure_of_another_known_kind_starts_its_own() -> None:
    online = OnlineClusters(EMPTY)
    online.place(told(0, "KeyError"))
    assert online.place(told(4, "TypeError")).created
    assert not online.place(told(8)).created
    assert online.place(told(12, "builtins.KeyError")).cluster_id == "f0000"


def test_a_cluster_of_unknown_kind_takes_the_first_kind_that_comes() -> None:
    online = OnlineClusters(EMPTY)
    online.place(told(0))
    assert not online.place(told(4, "KeyError")).created
    assert online.place(told(8, "TypeError")).created


def test_the_similarity_is_the_mean_of_those_to_the_members() -> None:
    online = OnlineClusters(EMPTY)
    some = [told(number, "E" if number % 8 else "") for number in (0, 4, 8, 12)]
    clusters = {"c": some, "far": [told(1), told(5, vectors=False)]}
    online = OnlineClusters(EMPTY, clusters)
    newcomer = told(16, "E")
    matrix = similarities([*some, newcomer], online.scale)
    placement = online.place(newcomer)
    assert placement.cluster_id == "c"
    assert placement.similarity == pytest.approx(matrix[-1, :-1].mean(), abs=1e-6)


def test_the_core_needs_three_episodes() -> None:
    online = OnlineClusters(EMPTY)
    placed([told(0), told(4)], online)
    assert online.core("f0000") == ()
    online.place(told(8))
    assert online.core("f0000") == ("f0000", "f0004", "f0008")
    assert online.core("nowhere") == online.members("nowhere") == ()


@pytest.mark.parametrize("vector", [np.zeros(8), np.full(8, np.nan), np.ones(3), np.zeros(0)], ids=str)
def test_odd_vectors_and_empty_texts_do_no_harm(vector: np.ndarray) -> None:
    online = OnlineClusters(EMPTY)
    placed([told(number) for number in range(8)], online)
    odd = replace(told(8), vector=np.asarray(vector, dtype=np.float32))
    assert online.place(odd).cluster_id == "f0000"
    assert online.place(Failure("silent", "", "silent")).created
    assert online.place(Failure("silent2", "", "silent2")).created


def test_a_placement_costs_no_more_in_larger_clusters() -> None:
    small, large = (OnlineClusters(EMPTY) for _ in range(2))
    placed([told(number) for number in range(32)], small)
    placed([told(number) for number in range(320)], large)
    newcomer = [replace(told(400), id="new")]
    assert calls(lambda: placed(newcomer, large)) <= 1.5 * calls(lambda: placed(newcomer, small))
