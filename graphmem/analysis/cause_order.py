"""The whole cause graph as numbers in causal order: what counting over 100,000 nodes needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any

import networkx as nx

BITS = 2**29
"""Bits held at once while counting, 64 MB: marked nodes of one pass times the groups that are still to be read."""


class CauseOrder:
    """A cause graph whose cycles are drawn together, in an order in which causes come before effects.

    A group is one node, or all members of one cycle (strongly connected component: Tarjan 1972, by networkx).
    Groups are numbered from 0; sequence lists them, causes first (Kahn 1962). A self-loop says nothing and is
    left out. Behind each source comes at once what it alone kept waiting, so that few groups lie between a group
    and the last that follows from it. O(V + E) time and memory.
    """

    def __init__(self, nodes: Iterable[str], edges: Iterable[tuple[str, str]]) -> None:
        """nodes: ids, isolated ones too; edges: (effect, cause), whose ends need not be listed in nodes."""
        number: dict[str, int] = {}
        for node in nodes:
            number.setdefault(node, len(number))
        pairs = [
            (number.setdefault(effect, len(number)), number.setdefault(cause, len(number)))
            for effect, cause in edges
        ]
        pairs = [pair for pair in pairs if pair[0] != pair[1]]
        self.group_of = number
        self.members: list[tuple[str, ...]] = [(node,) for node in number]
        self._join(pairs)
        self.sequence = _sequence(self.causes, self.effects)
        if len(self.sequence) < len(self.members):
            self._draw_cycles_together(pairs)

    def sources(self) -> list[int]:
        """Groups that nothing caused, in the order of sequence."""
        return [group for group in self.sequence if not self.causes[group]]

    def counts(self, marked: Collection[str], towards_effects: bool = True) -> list[int]:
        """Per group, how many marked nodes it holds or reaches, each counted once.

        Exact: sets are bits of integers, joined along the order, each dropped when the last group has read it; at
        most BITS bits are held, so that one pass of O(V + E) steps counts BITS / width marks, width being the most
        sets held at once.
        """
        onward, backward = self.effects, self.causes
        order = self.sequence[::-1]
        if not towards_effects:
            onward, backward, order = backward, onward, self.sequence
        known = [self.group_of[node] for node in marked if node in self.group_of]
        place = {group: number for number, group in enumerate(order)}
        known.sort(key=place.__getitem__)
        totals = [0] * len(self.members)
        step = max(1, BITS // max(1, _width(order, onward, backward)))
        for start in range(0, len(known), step):
            chunk = known[start : start + step]
            rest = order[place[chunk[0]] :]  # nothing before reaches one of them
            _add_counts(totals, chunk, rest, onward, backward)
        return totals

    def _join(self, pairs: Iterable[tuple[int, int]]) -> None:
        self.causes: list[list[int]] = [[] for _ in self.members]
        self.effects: list[list[int]] = [[] for _ in self.members]
        for effect, cause in pairs:
            self.causes[effect].append(cause)
            self.effects[cause].append(effect)

    def _draw_cycles_together(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Every group left out of the sequence lies in a cycle or behind one."""
        waiting = set(range(len(self.members))).difference(self.sequence)
        graph: nx.DiGraph[Any] = nx.DiGraph(pair for pair in pairs if waiting.issuperset(pair))
        cycles = [sorted(found) for found in nx.strongly_connected_components(graph) if len(found) > 1]
        joined = {node: cycle[0] for cycle in cycles for node in cycle}
        kept = [node for node in range(len(self.members)) if joined.get(node, node) == node]
        renumbered = {node: place for place, node in enumerate(kept)}
        group = [renumbered[joined.get(node, node)] for node in range(len(self.members))]
        members: list[list[str]] = [[] for _ in kept]
        for name, node in self.group_of.items():
            members[group[node]].append(name)
        self.members = [tuple(sorted(names)) for names in members]
        self.group_of = {name: group[node] for name, node in self.group_of.items()}
        self._join({(group[a], group[b]) for a, b in pairs if group[a] != group[b]})
        self.sequence = _sequence(self.causes, self.effects)


def _sequence(causes: Sequence[Sequence[int]], effects: Sequence[Sequence[int]]) -> list[int]:
    """Numbers with causes first; what lies in or behind a cycle is missing."""
    waiting = [len(found) for found in causes]
    sequence = []
    for source in [number for number, count in enumerate(waiting) if not count]:
        ready = [source]
        while ready:
            number = ready.pop()
            sequence.append(number)
            for effect in effects[number]:
                waiting[effect] -= 1
                if not waiting[effect]:
                    ready.append(effect)
    return sequence


def _width(order: Sequence[int], onward: Sequence[Sequence[int]], backward: Sequence[Sequence[int]]) -> int:
    """The most groups that are still to be read at one time."""
    unread = [len(readers) for readers in backward]
    held = width = 0
    for group in order:
        held += unread[group] > 0
        width = max(width, held)
        for following in onward[group]:
            unread[following] -= 1
            held -= not unread[following]
    return width


def _add_counts(
    totals: list[int],
    marked: Sequence[int],
    order: Sequence[int],
    onward: Sequence[Sequence[int]],
    backward: Sequence[Sequence[int]],
) -> None:
    """Add up the marks of one pass; those of a group lie side by side, so that its own bits are made when it is met."""
    own = Counter(marked)
    first = {group: place for place, group in reversed(list(enumerate(marked)))}
    unread = [len(readers) for readers in backward]
    behind = [0] * len(totals)
    for group in order:
        bits = (1 << own[group]) - 1 << first[group] if group in first else 0
        for following in onward[group]:
            bits |= behind[following]
            unread[following] -= 1
            if not unread[following]:
                behind[following] = 0
        if bits:
            totals[group] += bits.bit_count()
            behind[group] = bits if unread[group] else 0


def ends(edges: Iterable[tuple[str, str]]) -> list[str]:
    """The ids that edges join, each once, in order of their first mention."""
    return list(dict.fromkeys(chain.from_iterable(edges)))
