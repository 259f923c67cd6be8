"""Which cluster goes on as which, when all failures have been clustered anew."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lineage:
    """The outcome of matching new groups with the clusters that exist.

    kept: for every group, in order, the id of the cluster that goes on in it, None for a new cluster;
    merged: a cluster whose members went elsewhere -> the cluster that took the most of them; split: a cluster ->
    the indices of the groups, other than its own, that its members went to; ended: clusters without a member.
    """

    kept: tuple[str | None, ...]
    merged: Mapping[str, str]
    split: Mapping[str, tuple[int, ...]]
    ended: tuple[str, ...]


def match(groups: Sequence[Sequence[str]], clusters: Mapping[str, Sequence[str]]) -> Lineage:
    """Match groups of failure ids with the clusters that hold them now (cluster id -> failure ids).

    Pairs are taken by the number of shared members, the largest first, ties by the older cluster (ids sort by
    time), then by the group's order; a cluster and a group are matched once. So a cluster keeps its id wherever
    the group that has the most of it is not the continuation of a larger one. Deterministic.
    """
    holder = {member: name for name, members in sorted(clusters.items()) for member in members}
    shared: Counter[tuple[str, int]] = Counter()
    for index, group in enumerate(groups):
        shared.update((holder[member], index) for member in set(group) if member in holder)
    kept: list[str | None] = [None] * len(groups)
    own: dict[str, int] = {}
    for name, index in sorted(shared, key=lambda pair: (-shared[pair], pair)):
        if kept[index] is None and name not in own:
            kept[index], own[name] = name, index
    merged: dict[str, str] = {}
    split: dict[str, tuple[int, ...]] = {}
    for name, spread in _spread(shared).items():
        taker = kept[spread[0]]
        if name not in own and taker is not None:
            merged[name] = taker
        elsewhere = tuple(sorted(index for index in spread if index != own.get(name)))
        if name in own and elsewhere:
            split[name] = elsewhere
    ended = tuple(sorted(name for name in clusters if name not in own and name not in merged))
    return Lineage(tuple(kept), merged, split, ended)


def _spread(shared: Mapping[tuple[str, int], int]) -> dict[str, list[int]]:
    """The groups that each cluster's members are in, the one with the most first; by cluster id."""
    found: dict[str, list[int]] = defaultdict(list)
    for name, index in sorted(shared, key=lambda pair: (pair[0], -shared[pair], pair[1])):
        found[name].append(index)
    return found
