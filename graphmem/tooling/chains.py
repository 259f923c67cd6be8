"""Planted chains: histories of failures whose root causes are known, for tests, notebooks and benchmarks.

Values only, equal for equal seeds; whoever asks for them loads them into a store or analyses them as they are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from graphmem.domain.causation import CauseEdge
from graphmem.domain.memories import Experience
from graphmem.tooling.chain_draws import (
    BEGINNERS,
    CLASSES,
    CONFOUNDED,
    FATAL,
    Links,
    chains,
    class_links,
    driven,
    sparse_links,
    struck,
)
from graphmem.tooling.chain_noise import CLEAN, Noise, blurred
from graphmem.tooling.chain_story import Step, Told, tell
from graphmem.tooling.chain_words import WORDINGS, Language

Draw = Callable[[random.Random], list[Step]]


@dataclass(frozen=True, slots=True)
class PlantedEpisode:
    """One task that failed. asked: id of its last failure; path: ids from there to the true root."""

    task_id: str
    asked: str
    path: tuple[str, ...]

    @property
    def root(self) -> str:
        """The true root cause of the asked failure."""
        return self.path[-1]


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A history with its truth. memories and edges are what an agent would have recorded, noise included.

    true_edges: (effect, cause) as they really were. class_links: planted probability by (cause class, effect
    class), where classes drive. confounded: classes with a hidden common cause.
    """

    memories: tuple[Experience, ...]
    edges: tuple[CauseEdge, ...]
    episodes: tuple[PlantedEpisode, ...]
    true_edges: frozenset[tuple[str, str]]
    class_links: Mapping[tuple[str, str], float] = field(default_factory=dict)
    confounded: frozenset[str] = frozenset()


def single_chains(
    episodes: int, seed: int, noise: Noise = CLEAN, language: Language = Language.MIXED
) -> Planted:
    """Each task: one chain of 2 to 5 failures ends in the task's failure; four innocent steps in between."""
    return _planted(episodes, _Plan(seed, noise, language), lambda chance: chains(chance, 1, (2, 5)))


def interleaved_chains(
    episodes: int, seed: int, noise: Noise = CLEAN, language: Language = Language.MIXED
) -> Planted:
    """Each task: three chains of 2 to 4 failures at the same time; two recover, one makes the task fail."""
    return _planted(episodes, _Plan(seed, noise, language), lambda chance: chains(chance, 3, (2, 4)))


def class_driven(
    episodes: int, seed: int, noise: Noise = CLEAN, language: Language = Language.MIXED
) -> Planted:
    """Each task: three chains begin by themselves, and every failure triggers others by its class.

    The 20 classes and their probabilities are drawn once by the seed: two or three classes that a failure may
    trigger, each with probability .2 to .8; the last FATAL classes may make the task fail (.2 to .8). The
    first task failure triggered ends the task; tasks without one are drawn again.
    """
    chance = random.Random(f"classes {seed}")
    links = class_links(chance)
    fatal = {kind: chance.uniform(0.2, 0.8) for kind in range(CLASSES - FATAL, CLASSES)}
    begins = [chance.uniform(0.5, 1.5) if kind < BEGINNERS else 0.1 for kind in range(CLASSES)]
    return _planted(
        episodes,
        _Plan(seed, noise, language, links),
        lambda drawn: driven(drawn, links, fatal, begins),
    )


def hidden_confounders(
    episodes: int, seed: int, noise: Noise = CLEAN, language: Language = Language.MIXED, in_order: float = 0.0
) -> Planted:
    """Each task: classes occur by themselves or because of others, and a hidden cause strikes four of them.

    15 links among 20 classes with probability .3 to .8. In a quarter of the tasks the hidden cause strikes each
    of its four classes with probability .7, in any order; in_order: in which share of these tasks in one fixed
    order instead (at 1 nothing that was recorded can tell it from links).
    """
    chance = random.Random(f"hidden {seed}")
    confounded = sorted(chance.sample(range(CLASSES), CONFOUNDED))
    links = sparse_links(chance, frozenset(confounded))
    rates = [chance.uniform(0.05, 0.15) for _ in range(CLASSES)]
    return _planted(
        episodes,
        _Plan(seed, noise, language, links, frozenset(confounded)),
        lambda drawn: struck(drawn, links, rates, confounded, in_order),
    )


@dataclass(frozen=True, slots=True)
class _Plan:
    """What all tasks of a history share. links and confounded hold numbers of classes."""

    seed: int
    noise: Noise
    language: Language
    links: Links = field(default_factory=dict)
    confounded: frozenset[int] = frozenset()


def _planted(episodes: int, plan: _Plan, draw: Draw) -> Planted:
    """Draws the tasks one by one, each with its own chance: a longer history begins with the shorter one."""
    told: list[Told] = []
    asked: list[PlantedEpisode] = []
    true: set[tuple[str, str]] = set()
    for number in range(episodes):
        steps = draw(random.Random(f"steps {plan.seed} {number}"))
        recorded = blurred(steps, plan.noise, random.Random(f"noise {plan.seed} {number}"))
        task = tell(number, recorded, plan.seed, plan.language)
        ids = [memory.id for memory in task.memories]
        told.append(task)
        asked.append(PlantedEpisode(task.task_id, ids[-1], tuple(ids[place] for place in _path(steps))))
        true |= {(ids[place], ids[cause]) for place, step in enumerate(steps) for cause in step.causes}
    return Planted(
        memories=tuple(memory for task in told for memory in task.memories),
        edges=tuple(edge for task in told for edge in task.edges),
        episodes=tuple(asked),
        true_edges=frozenset(true),
        class_links={(_name(a), _name(b)): probability for (a, b), probability in plan.links.items()},
        confounded=frozenset(_name(kind) for kind in plan.confounded),
    )


def _name(kind: int) -> str:
    return WORDINGS[kind].error_type


def _path(steps: list[Step]) -> list[int]:
    """Places from the last step back to its root; every step has at most one true cause."""
    path = [len(steps) - 1]
    while steps[path[-1]].causes:
        path.append(steps[path[-1]].causes[0])
    return path
