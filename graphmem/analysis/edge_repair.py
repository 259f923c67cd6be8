"""Which cause edges are missing and which are doubtful, judged by how failures usually lead to failures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from graphmem.analysis.candidate_causes import (
    LOOK_BACK,
    Candidates,
    Ints,
    Statements,
    candidates,
    outside,
)
from graphmem.analysis.history import Occurrence, by_episode, causes_first
from graphmem.domain.causation import CauseEdge, Evidence, Grade

ROUNDS = 30
PRIOR = 20.0
"""Pseudo-events spread over all classes: a pair never seen is improbable, not impossible, and a rate that rests on
few events is small. Chosen on seeds 0 to 2 of the planted histories."""
MIN_EPISODES = 100
"""Below, class statistics propose nothing: too few to tell a habit from a coincidence."""
PROPOSED = 0.1
"""Least probability of a proposed edge."""
DOUBTED = 0.1
"""A stated edge at most so probable beside what nobody stated is doubted."""
METHOD = "habits"
WRITER = "graphmem"
"""What an inferred edge says of where it comes from."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Parent:
    """One possible cause of an effect: None for 'nothing that is known'. stated: somebody had said so. judged: it lies
    in the episode of its effect, so that habits tell of it.
    """

    cause_id: str | None
    probability: float
    stated: bool
    judged: bool = True


@dataclass(frozen=True, slots=True)
class ProposedEdge:
    """(effect) <- (cause), that nobody stated, believed with a probability."""

    effect_id: str
    cause_id: str
    probability: float


@dataclass(frozen=True, slots=True)
class Doubt:
    """A stated edge (effect) <- (cause) that habits hardly believe. instead: what they believe most of all that nobody
    stated; None for 'nothing that is known'.
    """

    effect_id: str
    cause_id: str
    probability: float
    instead: str | None


@dataclass(frozen=True)
class Habits:
    """What was learned from past episodes.

    triggers[a, b]: how many events of class b one of class a triggers on average, >= 0. spontaneous[b]: events of
    class b a typical episode has without a cause. nearness: by binary logarithm of the distance in events, how
    much likelier a trigger at that distance is than on average. missing: share of true causes nobody stated.
    spurious: share of other earlier events wrongly stated. The last row and column stand for unknown classes.
    """

    classes: Mapping[str, int]
    triggers: Floats
    spontaneous: Floats
    nearness: Floats
    missing: float
    spurious: float
    episodes: int

    @property
    def enough(self) -> bool:
        """Whether they may propose or doubt anything."""
        return self.episodes >= MIN_EPISODES


def learn(occurrences: Iterable[Occurrence], edges: Iterable[CauseEdge]) -> Habits:
    """Habits of propagation by expectation-maximisation over whole episodes.

    Every event has one trigger, an earlier event of its episode, or none: the branching structure of a
    self-exciting process (Veen, Schoenberg 2008), with events instead of time. A stated edge is a noisy witness of
    the trigger, wrong or missing at rates that are learned with the rest (Dawid, Skene 1979). Inferred edges are no
    witnesses: statistics never feed on what they inferred. Deterministic.
    """
    known = Statements.of(edges)
    episodes = causes_first(by_episode(occurrences), known.stated)
    events = [event for own in episodes.values() for event in own]
    names = sorted({event.error_class for event in events})
    classes = {name: place for place, name in enumerate(names)}
    kinds = np.array([classes[event.error_class] for event in events], dtype=np.int64)
    pairs = candidates(events, known)
    size = len(classes) + 1
    trials = np.bincount(kinds, minlength=size).astype(np.float64)
    habits = Habits(
        classes=classes,
        triggers=np.full((size, size), 1 / size),
        spontaneous=np.full(size, 1 / size),
        nearness=np.ones(LOOK_BACK.bit_length() + 1),
        missing=0.2,
        spurious=0.05,
        episodes=len(episodes),
    )
    for _ in range(ROUNDS if len(events) else 0):
        habits = _improved(habits, pairs, kinds, trials)
    return habits


def parents(
    habits: Habits, events: Iterable[Occurrence], edges: Iterable[CauseEdge]
) -> dict[str, tuple[Parent, ...]]:
    """Per event its possible causes with their probability, likeliest first; they sum to 1.

    events: those of one episode, or of all episodes that a walk went through; the answer lists causes first. A
    refuted cause is none, and beside a confirmed one there is no other. A stated cause outside the episode (a fact,
    another episode) is not judged: it takes the place of None.
    """
    known = Statements.of(edges)
    in_time = sorted(events, key=lambda event: (event.at, event.id))
    (ordered,) = causes_first({"": in_time}, known.stated).values()
    together: dict[str, list[Occurrence]] = {}
    for event in ordered:
        together.setdefault(event.episode, []).append(event)
    members = [event for own in together.values() for event in own]
    pairs = candidates(members, known)
    last = len(habits.triggers) - 1
    kinds = np.array([habits.classes.get(event.error_class, last) for event in members], dtype=np.int64)
    shares, alone = _shares(habits, pairs, kinds)
    found = {
        event.id: [
            Parent(cause, float(share) / len(causes), cause is not None, cause is None)
            for cause in causes
            if share
        ]
        for event, share, causes in zip(members, alone, outside(members, known), strict=True)
    }
    for effect, cause, share, said in zip(pairs.effect, pairs.cause, shares, pairs.stated, strict=True):
        found[members[effect].id].append(Parent(members[cause].id, float(share), bool(said)))
    return {
        event.id: tuple(sorted(found[event.id], key=lambda item: (-item.probability, item.cause_id or "")))
        for event in ordered
    }


def origins(asked: str, possible: Mapping[str, Sequence[Parent]]) -> dict[str, float]:
    """Per memory the probability that the chain of causes of the asked event began with it; they sum to 1.

    Sums over all chains at once: an event's share flows to its possible causes in proportion to their
    probability, and stays where nothing known caused it, or with a stated cause that is not among the events.
    possible: as parents gives it, causes first; where episodes caused each other in a circle, the chain ends there.
    """
    flowing = dict.fromkeys(possible, 0.0)
    flowing[asked] = 1.0
    found: dict[str, float] = {}
    for event in reversed(list(possible)):
        share = flowing.pop(event)
        if not share:
            continue
        for option in possible[event]:
            to = option.cause_id or event
            target = flowing if to in flowing else found
            target[to] = target.get(to, 0.0) + share * option.probability
    return found


def missing_edges(possible: Mapping[str, Sequence[Parent]], least: float = PROPOSED) -> list[ProposedEdge]:
    """Edges nobody stated that are at least so probable, likeliest first."""
    found = [
        ProposedEdge(effect, parent.cause_id, parent.probability)
        for effect, options in possible.items()
        for parent in options
        if parent.cause_id is not None and not parent.stated and parent.probability >= least
    ]
    return sorted(found, key=lambda edge: (-edge.probability, edge.effect_id, edge.cause_id))


def doubtful_edges(possible: Mapping[str, Sequence[Parent]], most: float = DOUBTED) -> list[Doubt]:
    """Stated edges that are hardly believed, the most doubtful first: questions to a person, no verdicts.

    probability: that of the stated cause beside all that nobody stated, 'nothing known' included. Causes stated beside
    it do not count against it: a failure may have needed both, and a model of one trigger would doubt the rarer of two
    true causes (benchmarks.doubts).
    """
    found = [
        Doubt(effect, parent.cause_id, parent.probability / (parent.probability + rest), unstated[0].cause_id)
        for effect, options in possible.items()
        if (unstated := [parent for parent in options if not parent.stated])
        and (rest := sum(parent.probability for parent in unstated))
        for parent in options
        if parent.cause_id is not None and parent.stated and parent.judged
    ]
    return sorted(
        (doubt for doubt in found if doubt.probability <= most),
        key=lambda doubt: (doubt.probability, doubt.effect_id, doubt.cause_id),
    )


def inferred(proposed: Iterable[ProposedEdge], at: datetime) -> list[CauseEdge]:
    """Proposed edges as edges to walk beside the stated ones, of the lowest grade. at: when they were inferred.

    With them the roots that origins names lie in the walk, and whoever asks for a better grade sees what is left
    without them.
    """
    return [
        CauseEdge(
            from_id=edge.effect_id,
            to_id=edge.cause_id,
            recorded_at=at,
            evidence=(Evidence(Grade.INFERRED, edge.probability, METHOD, WRITER, at),),
        )
        for edge in proposed
    ]


def _shares(habits: Habits, pairs: Candidates, kinds: Ints) -> tuple[Floats, Floats]:
    """Probability of every pair, and per event of having no known cause (Bayes' rule)."""
    right = (1 - habits.missing) / habits.spurious
    wrong = habits.missing / (1 - habits.spurious)
    weight = habits.triggers[kinds[pairs.cause], kinds[pairs.effect]] * habits.nearness[pairs.distance]
    weight = weight * np.where(pairs.stated, right, wrong)
    alone = habits.spontaneous[kinds] * pairs.alone
    whole = alone + np.bincount(pairs.effect, weight, minlength=len(kinds))
    return weight / whole[pairs.effect], alone / whole


def _improved(habits: Habits, pairs: Candidates, kinds: Ints, trials: Floats) -> Habits:
    """One round: judge every pair by the habits, then count the habits anew by the judgement."""
    shares, alone = _shares(habits, pairs, kinds)
    size = len(habits.triggers)
    codes = kinds[pairs.cause] * size + kinds[pairs.effect]
    triggered = np.bincount(codes, shares, minlength=size * size).reshape(size, size)
    prior = PRIOR / size
    expected = habits.triggers[kinds[pairs.cause], kinds[pairs.effect]]
    bins = len(habits.nearness)
    near = np.bincount(pairs.distance, shares, minlength=bins) + 1
    usual = np.bincount(pairs.distance, expected, minlength=bins) + 1
    total, said = float(shares.sum()), float(shares[pairs.stated].sum())
    others = len(shares) - total
    by_itself: Floats = np.bincount(kinds, alone, minlength=size).astype(np.float64)
    return replace(
        habits,
        triggers=(triggered + prior) / (trials[:, None] + PRIOR),
        spontaneous=(by_itself + prior) / (habits.episodes + PRIOR),
        nearness=near / usual,
        missing=(total - said + 1) / (total + 5),
        spurious=(float(pairs.stated.sum()) - said + 1) / (others + 20),
    )
