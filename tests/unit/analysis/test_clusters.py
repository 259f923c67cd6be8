"""Clusters, their cores and the cuts, on made-up failures whose families are known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.analysis.clusters import (
    CORE_MEMBERS,
    GROUP_CUT,
    PROMOTION_CUT,
    TIGHT_CUT,
    Cuts,
    Group,
    cluster,
    complete,
    core_of,
    cuts_of,
    is_tight,
    tightness,
)
from graphmem.analysis.failures import Failure
from graphmem.analysis.likeness import Background, scale_of, similarities
from graphmem.analysis.seed_profile import cluster_as_seed
from graphmem.domain.memories import Level
from graphmem.domain.rules import level

DIMENSION = 16
EMPTY = Background()
TOPICS = {
    "pool": "database connection pool exhausted while waiting",
    "zone": "timestamp lacked its time zone so dates moved",
    "rate": "requests throttled by provider rate limit",
    "码": "文件编码不是 UTF-8，解码失败",
}
unhurried = settings(deadline=None, max_examples=25)


def family(topic: str, count: int, noise: float = 0.2) -> list[Failure]:
    """Failures about one topic, each from an episode of its own, with vectors near each other."""
    seed = list(TOPICS).index(topic)
    middle = np.random.default_rng(seed).normal(size=DIMENSION)
    chance = np.random.default_rng(100 + seed)
    return [
        Failure(
            id=f"{topic}-{number:03}",
            account=f"{TOPICS[topic]} in job{chr(97 + number % 26)}",
            episode=f"{topic}-{number}",
            vector=np.asarray(middle + noise * chance.normal(size=DIMENSION), dtype=np.float32),
        )
        for number in range(count)
    ]


EVERYTHING = [failure for topic in TOPICS for failure in family(topic, 6)]


def ids(groups: list[Group]) -> set[tuple[str, ...]]:
    return {group.ids for group in groups}


def test_families_come_apart_and_the_largest_is_first() -> None:
    groups = cluster(family("zone", 4) + family("pool", 6), EMPTY)
    assert [{member.split("-")[0] for member in group.ids} for group in groups] == [{"pool"}, {"zone"}]
    assert [group.episodes for group in groups] == [6, 4]


@unhurried
@given(st.permutations(EVERYTHING))
def test_the_order_of_the_failures_does_not_matter(shuffled: list[Failure]) -> None:
    assert cluster(shuffled, EMPTY) == cluster(EVERYTHING, EMPTY)


@unhurried
@given(st.lists(st.sampled_from(EVERYTHING), max_size=20))
def test_every_failure_is_in_exactly_one_group(some: list[Failure]) -> None:
    found = [member for group in cluster(some, EMPTY) for member in group.ids]
    assert sorted(found) == sorted({failure.id for failure in some})


@pytest.mark.parametrize("make", [lambda some: cluster(some, EMPTY), cluster_as_seed], ids=["ours", "seed"])
def test_nothing_and_one(make: object) -> None:
    assert callable(make)
    assert make([]) == []
    (group,) = make(family("pool", 1))
    assert (group.ids, group.core, group.medoid, group.tightness) == (("pool-000",), (), "pool-000", 1.0)
    assert not group.core


@pytest.mark.parametrize(
    "vector", [None, np.zeros(DIMENSION, np.float32), np.full(DIMENSION, np.nan, np.float32)]
)
def test_without_usable_vectors_the_words_alone_group(vector: np.ndarray | None) -> None:
    bare = [replace(failure, vector=vector) for failure in family("pool", 3) + family("rate", 3)]
    assert sorted(len(group.core) for group in cluster(bare, EMPTY)) == [3, 3]
    assert len(cluster_as_seed(bare)) == 6


def test_identical_texts_are_one_group_at_any_cut() -> None:
    twins = [replace(family("pool", 1)[0], id=f"t{number}", episode=f"t{number}") for number in range(5)]
    for cut in (None, 0.25, 1.0):
        (group,) = cluster(twins, EMPTY, cut)
        assert len(group.core) == 5
        assert group.tight
        assert group.medoid == "t0"


def test_empty_accounts_without_vectors_stay_alone() -> None:
    silent = [Failure(f"s{number}", "", f"s{number}") for number in range(4)]
    assert len(cluster(silent, EMPTY)) == 4


def test_three_episodes_make_a_pattern_and_three_failures_of_two_do_not() -> None:
    three = family("码", 3)
    (group,) = cluster(three, EMPTY)
    assert group.core == group.ids
    assert group.core
    (same,) = cluster(
        [replace(failure, episode=f"e{place // 2}") for place, failure in enumerate(three)], EMPTY
    )
    assert same.episodes == 2
    assert not same.core


@pytest.mark.parametrize("types", [("KeyError", "TypeError"), ("HTTP 401", "HTTP 429")])
def test_known_kinds_part_what_reads_the_same(types: tuple[str, str]) -> None:
    mixed = [replace(failure, error_type=types[place % 2]) for place, failure in enumerate(family("pool", 6))]
    assert sorted(len(group.ids) for group in cluster(mixed, EMPTY)) == [3, 3]
    causes = [replace(mixed[0], error_type="", root_cause_type=kind) for kind in ("", "SYSTEM_LIMIT")]
    assert len(cluster([causes[0], replace(causes[1], id="other")], EMPTY)) == 1


def test_a_stray_member_is_in_the_cluster_and_not_in_the_core() -> None:
    near, stray = family("pool", 3), family("zone", 1)
    (group,) = cluster(near + stray, EMPTY, cut=-1.0)
    assert group.core == tuple(failure.id for failure in near)
    assert group.medoid in group.core
    assert stray[0].id in group.ids


def test_the_core_of_one_cluster_is_that_of_the_batch() -> None:
    groups = cluster(EVERYTHING, EMPTY)
    scale = scale_of(EVERYTHING, EMPTY)
    cuts = cuts_of(similarities(sorted(EVERYTHING, key=lambda failure: failure.id), scale))
    by_id = {failure.id: failure for failure in EVERYTHING}
    for group in groups:
        assert core_of([by_id[member] for member in group.ids], scale, cuts) == group.core


def test_only_the_latest_members_of_a_large_cluster_are_looked_at() -> None:
    twin = family("pool", 1)[0]
    many = [replace(twin, id=f"t{number:04}", episode=f"t{number}") for number in range(CORE_MEMBERS + 20)]
    core = core_of(many, scale_of(many, EMPTY))
    assert len(core) == CORE_MEMBERS
    assert core[-1] == many[-1].id
    assert core_of(many[:2], scale_of(many, EMPTY)) == ()


def test_terms_tell_a_cluster_from_the_rest() -> None:
    pool = [replace(failure, account=f"please reply: {failure.account}") for failure in family("pool", 5)]
    zone = [replace(failure, account=f"please reply: {failure.account}") for failure in family("zone", 5)]
    found = {group.ids[0][:4]: group.terms for group in cluster(pool + zone, EMPTY)}
    assert "pool" in found["pool"]
    assert "timestamp" in found["zone"]
    assert not {"reply", "pleas"} & {*found["pool"], *found["zone"]}
    assert len(found["pool"]) <= 6


@pytest.mark.parametrize(("cosine", "expected"), [(0.7, Level.MEDIUM), (0.95, Level.HIGH)])
def test_high_asks_for_five_episodes_and_tightness(cosine: float, expected: Level) -> None:
    """Five failures without a word in common, every two of the same cosine."""
    rows = np.sqrt(1 - cosine) * np.eye(5, 6) + np.sqrt(cosine) * np.eye(6)[5]
    five = [
        Failure(f"f{place}", name, f"f{place}", np.asarray(row, dtype=np.float32))
        for place, (name, row) in enumerate(zip(("ant", "bee", "cow", "dog", "elk"), rows, strict=True))
    ]
    (group,) = cluster(five, EMPTY)
    assert group.tightness == pytest.approx(cosine / 2, abs=1e-6)
    assert level(group.episodes, group.tight) is expected


def test_tightness_is_the_least_similarity() -> None:
    three = family("pool", 3)
    scale = scale_of(three, EMPTY)
    assert tightness(three, scale) == similarities(three, scale).min()
    assert tightness(three[:1], scale) == tightness([], scale) == 1
    assert is_tight(TIGHT_CUT)
    assert not is_tight(TIGHT_CUT - 0.01)
    assert is_tight(0.35, Cuts(tight=0.35))


def test_a_young_store_has_the_default_cuts() -> None:
    assert cuts_of(np.eye(9)) == Cuts(GROUP_CUT, PROMOTION_CUT, TIGHT_CUT)
    assert cuts_of(np.eye(0)) == Cuts()


@pytest.mark.parametrize(
    ("apart", "group", "promotion"), [(0.0, 0.15, 0.30), (0.24, 0.24, 0.30), (0.9, 0.25, 0.30)]
)
def test_the_cuts_follow_what_unrelated_failures_have_in_common(
    apart: float, group: float, promotion: float
) -> None:
    matrix = np.full((20, 20), apart)
    np.fill_diagonal(matrix, 1)
    # At .9 everything is one cluster, so there is nothing to learn from.
    assert cuts_of(matrix) == Cuts(group, promotion, promotion if apart < 0.9 else TIGHT_CUT)


def test_the_bars_for_patterns_rise_with_likeness_between_clusters() -> None:
    """Two families, each alike inside, whose pairs across are mostly .2 and sometimes .6."""
    matrix = np.full((40, 40), 0.2)
    for start in (0, 20):
        matrix[start : start + 20, start : start + 20] = 0.9
    matrix[0, 20:] = matrix[20:, 0] = 0.6
    np.fill_diagonal(matrix, 1)
    assert cuts_of(matrix) == Cuts(pytest.approx(0.22, abs=0.2), TIGHT_CUT, TIGHT_CUT)


def test_complete_linkage_keeps_every_pair_of_a_label_at_the_cut() -> None:
    chance = np.random.default_rng(2)
    rows = chance.normal(size=(30, 4))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    matrix = rows @ rows.T
    labels = complete(matrix, 0.3)
    for label in set(labels.tolist()):
        inside = np.flatnonzero(labels == label)
        assert matrix[np.ix_(inside, inside)].min() >= 0.3 - 1e-8
    assert len(complete(np.eye(1), 0.3)) == 1
    assert len(complete(np.eye(0), 0.3)) == 0


def test_the_articles_profile_groups_raw_vectors_and_keeps_noise_apart() -> None:
    opposite = [replace(f, vector=None if f.vector is None else -f.vector) for f in family("pool", 1)]
    groups = cluster_as_seed([*family("pool", 3), replace(opposite[0], id="far")])
    assert ids(groups) == {("pool-000", "pool-001", "pool-002"), ("far",)}
    assert [len(group.core) for group in groups] == [3, 0]
