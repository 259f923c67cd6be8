"""Which cluster goes on as which."""

from hypothesis import given
from hypothesis import strategies as st

from graphmem.analysis.lineage import Lineage, match


def test_nothing_changes_when_nothing_changed() -> None:
    clusters = {"c1": ["a", "b"], "c2": ["c"]}
    assert match([["a", "b"], ["c"]], clusters) == Lineage(("c1", "c2"), {}, {}, ())


def test_new_failures_join_and_a_group_without_history_is_new() -> None:
    assert match([["a", "b", "x"], ["y"]], {"c1": ["a", "b"]}).kept == ("c1", None)


def test_a_merge_keeps_the_id_of_the_larger_part() -> None:
    found = match([["a", "b", "c", "d", "e"]], {"c1": ["a", "b"], "c2": ["c", "d", "e"]})
    assert found == Lineage(("c2",), {"c1": "c2"}, {}, ())


def test_of_equal_parts_the_older_cluster_goes_on() -> None:
    assert match([["a", "b"]], {"c2": ["a"], "c1": ["b"]}).kept == ("c1",)


def test_a_split_keeps_the_id_with_the_larger_part() -> None:
    found = match([["a"], ["b", "c"]], {"c1": ["a", "b", "c"]})
    assert found == Lineage((None, "c1"), {}, {"c1": (0,)}, ())


def test_no_id_is_lost_that_some_group_could_carry_on() -> None:
    """c1 gives most of its members to c2's group; the one that is left keeps c1 alive."""
    found = match([["a", "b", "x", "y", "z"], ["c"]], {"c1": ["a", "b", "c"], "c2": ["x", "y", "z"]})
    assert found.kept == ("c2", "c1")
    assert found.split == {"c1": (0,)}
    assert found.merged == {}


def test_a_cluster_whose_members_are_gone_has_ended() -> None:
    found = match([["a"]], {"c1": ["a"], "c2": ["gone"], "c3": []})
    assert found.ended == ("c2", "c3")


def test_nothing_at_all() -> None:
    assert match([], {}) == Lineage((), {}, {}, ())
    assert match([["a"]], {}).kept == (None,)
    assert match([], {"c1": ["a"]}).ended == ("c1",)


names = st.lists(st.integers(0, 5), min_size=12, max_size=12)


def grouped(labels: list[int], prefix: str) -> dict[str, list[str]]:
    """Twelve members by label."""
    found: dict[str, list[str]] = {}
    for member, label in enumerate(labels):
        found.setdefault(f"{prefix}{label}", []).append(f"m{member:02}")
    return found


@given(names, names)
def test_ids_are_used_once_and_every_cluster_has_one_fate(before: list[int], after: list[int]) -> None:
    clusters, groups = grouped(before, "c"), list(grouped(after, "g").values())
    found = match(groups, clusters)
    kept = [name for name in found.kept if name]
    assert len(kept) == len(set(kept))
    assert {*kept, *found.merged, *found.ended} == set(clusters)
    assert len(kept) + len(found.merged) + len(found.ended) == len(clusters)
    assert set(found.merged.values()) <= set(kept)


@given(names, names)
def test_a_second_match_changes_nothing(before: list[int], after: list[int]) -> None:
    groups = list(grouped(after, "g").values())
    first = match(groups, grouped(before, "c"))
    held = {
        name or f"n{place}": group for place, (name, group) in enumerate(zip(first.kept, groups, strict=True))
    }
    second = match(groups, held)
    assert list(second.kept) == list(held)
    assert (second.merged, second.split, second.ended) == ({}, {}, ())


@given(names, names)
def test_the_order_of_clusters_and_members_does_not_matter(before: list[int], after: list[int]) -> None:
    clusters, groups = grouped(before, "c"), list(grouped(after, "g").values())
    turned = {name: members[::-1] for name, members in reversed(clusters.items())}
    assert match([group[::-1] for group in groups], turned) == match(groups, clusters)
