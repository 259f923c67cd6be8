"""How the steps of a planted task are drawn: chains of a given length, by class, or with a hidden cause."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from graphmem.tooling.chain_story import LAST, Step
from graphmem.tooling.chain_words import WORDINGS

CLASSES = len(WORDINGS)
SPAN_S = 600.0
"""Seconds within which the chains of an episode begin."""
LAG_S = 60.0
"""Mean seconds from a cause to its effect."""
MAX_STEPS = 40
"""A task with more failures is drawn again: runaway chains teach nothing."""
INNOCENTS = 4
"""Steps that went well, in every task."""
CHAINS = 3
"""Chains that begin by themselves, in class-driven tasks."""
BEGINNERS = 8
"""Classes with which chains usually begin, in class-driven histories: the first ones."""
FATAL = 8
"""Classes that may make the task fail, in class-driven histories: the last ones."""
CONFOUNDED = 4
"""Classes struck by the hidden cause."""
SPARSE_LINKS = 15

Links = Mapping[tuple[int, int], float]
"""Probability by (cause class, effect class)."""


def chains(chance: random.Random, count: int, lengths: tuple[int, int]) -> list[Step]:
    """So many chains of failures at the same time; the last failure of the first one makes the task fail."""
    steps: list[Step] = []
    lasts = []
    for _ in range(count):
        seconds = chance.uniform(0, SPAN_S)
        for place in range(chance.randint(*lengths)):
            seconds += chance.expovariate(1 / LAG_S) + 1
            causes = (len(steps) - 1,) if place else ()
            steps.append(Step(chance.randrange(CLASSES), seconds, causes))
        lasts.append(len(steps) - 1)
    end = max(step.seconds for step in steps) + LAG_S
    return [*steps, *_innocents(chance, end), Step(LAST, end, (lasts[0],))]


def class_links(chance: random.Random) -> dict[tuple[int, int], float]:
    """Two or three classes that each class may trigger, with probability .2 to .8; no cycles."""
    links = {}
    for kind in range(CLASSES - 1):
        later = range(kind + 1, CLASSES)
        for effect in chance.sample(later, min(len(later), chance.randint(2, 3))):
            links[kind, effect] = chance.uniform(0.2, 0.8)
    return links


def sparse_links(chance: random.Random, confounded: frozenset[int]) -> dict[tuple[int, int], float]:
    """SPARSE_LINKS links with probability .3 to .8, none between two confounded classes; no cycles."""
    pairs = [(a, b) for a in range(CLASSES) for b in range(a + 1, CLASSES) if not {a, b} <= confounded]
    return {pair: chance.uniform(0.3, 0.8) for pair in chance.sample(pairs, SPARSE_LINKS)}


def driven(
    chance: random.Random, links: Links, fatal: Mapping[int, float], begins: Sequence[float]
) -> list[Step]:
    """Three chains begin with classes drawn by weight; the first task failure triggered ends the task."""
    while True:
        began = chance.choices(range(CLASSES), begins, k=CHAINS)
        steps = _spread(chance, links, [Step(kind, chance.uniform(0, SPAN_S)) for kind in began])
        ends = [
            (step.seconds + _lag(chance), place)
            for place, step in enumerate(steps)
            if step.kind is not None and chance.random() < fatal.get(step.kind, 0.0)
        ]
        if not ends or len(steps) > MAX_STEPS:
            continue
        end, cause = min(ends)
        kept = [place for place, step in enumerate(steps) if step.seconds < end]
        number = {place: new for new, place in enumerate(kept)}
        causes = [tuple(number[cause] for cause in steps[place].causes) for place in kept]
        seen = [
            Step(steps[place].kind, steps[place].seconds, known)
            for place, known in zip(kept, causes, strict=True)
        ]
        return [*seen, *_innocents(chance, end), Step(LAST, end, (number[cause],))]


def struck(
    chance: random.Random, links: Links, rates: Sequence[float], confounded: Sequence[int], order: float
) -> list[Step]:
    """Classes begin at their own rates; in a quarter of the tasks a hidden cause strikes the confounded ones.

    order: with which probability it strikes them one after another as they are listed, instead of in any order.
    """
    began = [
        Step(kind, chance.uniform(0, SPAN_S)) for kind, rate in enumerate(rates) if chance.random() < rate
    ]
    if chance.random() < 0.25:
        moment, fixed = chance.uniform(0, SPAN_S), chance.random() < order
        for place, kind in enumerate(confounded):
            late = place * LAG_S if fixed else chance.uniform(0, CONFOUNDED * LAG_S)
            if chance.random() < 0.7:
                began.append(Step(kind, moment + late))
    steps = _spread(chance, links, began)
    end = max((step.seconds for step in steps), default=0.0) + LAG_S
    last = Step(LAST, end, (len(steps) - 1,) if steps else ())
    return [*steps, *_innocents(chance, end), last]


def _spread(chance: random.Random, links: Links, began: Sequence[Step]) -> list[Step]:
    """Every failure triggers others by its class, and they in turn."""
    steps = list(began)
    for place, step in enumerate(steps):
        if len(steps) > MAX_STEPS:
            break
        for (cause, effect), probability in links.items():
            if cause == step.kind and chance.random() < probability:
                steps.append(Step(effect, step.seconds + _lag(chance), (place,)))
    return steps


def _lag(chance: random.Random) -> float:
    return chance.expovariate(1 / LAG_S) + 1


def _innocents(chance: random.Random, end: float) -> list[Step]:
    return [Step(None, chance.uniform(0, end)) for _ in range(INNOCENTS)]
