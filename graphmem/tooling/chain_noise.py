"""What goes wrong when an agent records its failures: edges missing or wrong, labels wrong, times mixed up."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from graphmem.tooling.chain_story import Step
from graphmem.tooling.chain_words import WORDINGS


@dataclass(frozen=True, slots=True)
class Noise:
    """Shares in [0, 1]. missing: true edges not recorded. spurious: wrong edges, per true edge.

    labels: failures with a wrong class or recorded as a success (half each), and successes recorded as failures.
    order: steps recorded in exchange of time with the next one.
    """

    missing: float = 0.0
    spurious: float = 0.0
    labels: float = 0.0
    order: float = 0.0


CLEAN = Noise()


def blurred(steps: Sequence[Step], noise: Noise, chance: random.Random) -> list[Step]:
    """Steps as they were recorded: the same places, with what noise did to their labels, times and causes.

    The last step, the task's own failure, keeps its label and its time: that it failed is known.
    """
    labelled = [_relabelled(step, noise.labels, chance) for step in steps[:-1]] + [steps[-1]]
    timed = _exchanged(labelled, noise.order, chance)
    return _restated(steps, timed, noise, chance)


def _relabelled(step: Step, share: float, chance: random.Random) -> Step:
    if chance.random() >= share:
        return step
    if step.kind is None:
        return replace(step, kind=chance.randrange(len(WORDINGS)))
    wrong = chance.randrange(len(WORDINGS) - 1)
    return replace(step, kind=None if chance.random() < 0.5 else wrong + (wrong >= step.kind))


def _exchanged(steps: list[Step], share: float, chance: random.Random) -> list[Step]:
    order = sorted(range(len(steps) - 1), key=lambda place: steps[place].seconds)
    steps = list(steps)
    for place, following in zip(order[::2], order[1::2], strict=False):
        if chance.random() < share:
            first, second = steps[place], steps[following]
            steps[place] = replace(first, seconds=second.seconds)
            steps[following] = replace(second, seconds=first.seconds)
    return steps


def _restated(true: Sequence[Step], steps: list[Step], noise: Noise, chance: random.Random) -> list[Step]:
    causes = [{cause for cause in step.causes if chance.random() >= noise.missing} for step in true]
    for _ in range(sum(len(step.causes) for step in true)):
        if chance.random() < noise.spurious:
            one, other = chance.sample(range(len(true)), 2)
            effect, cause = sorted((one, other), key=lambda place: -true[place].seconds)
            if cause not in true[effect].causes:
                causes[effect].add(cause)
    return [replace(step, causes=tuple(sorted(found))) for step, found in zip(steps, causes, strict=True)]
