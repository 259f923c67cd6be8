"""How failures of one class usually lead to failures of another: counts over all episodes, with their intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from graphmem.analysis.class_links import ClassLink, Presence, class_bonds
from graphmem.analysis.estimates import Estimate, beta_share
from graphmem.analysis.history import Occurrence, by_episode, causes_first, stated_pairs
from graphmem.domain.causation import CauseEdge

MAX_CLASSES = 200
"""Classes compared: the most frequent ones. The tables grow with their square."""
MIN_TRIALS = 5

Pair = tuple[str, str]
"""(cause class, effect class)."""


@dataclass(frozen=True, slots=True)
class ClassPropagation:
    """How one class of failures led to another.

    trials: occurrences of the cause class after which its episode went on, so that something could follow. caused:
    those with a stated edge from an effect of that class, within the window. probability: of causing, with its
    90 % interval. followed: trials after which the effect class occurred in the episode within the window, by
    whatever cause. lift: how many times as often the two classes share an episode as by chance. link: what
    order and co-occurrence tell, None for a class after itself and for two that never share an episode.
    """

    cause_class: str
    effect_class: str
    trials: int
    caused: int
    probability: Estimate
    followed: int
    lift: float
    link: ClassLink | None


@dataclass(frozen=True, slots=True)
class Propagation:
    """All pairs of classes with enough trials, most probable first, over so many episodes of so many classes."""

    pairs: tuple[ClassPropagation, ...]
    episodes: int
    classes: tuple[str, ...]


def propagation(
    occurrences: Iterable[Occurrence],
    edges: Iterable[CauseEdge],
    window: timedelta | None = None,
    min_trials: int = MIN_TRIALS,
) -> Propagation:
    """Class x class table of the failures of the MAX_CLASSES most frequent classes.

    probability is beta_share(caused, trials): an occurrence that ended its episode is no trial, since nothing could
    follow it; counting it would bias the rate downwards. window: how long after a cause an effect still counts,
    None = until the episode ends. Inferred and refuted edges do not count. Pairs with neither a caused nor a
    followed trial, or fewer than min_trials, are left out.
    """
    events = list(occurrences)
    classes = _frequent(events)
    stated, episodes = stated_pairs(edges), by_episode(events)
    tally = _Tally(window)
    for members in causes_first(episodes, stated).values():
        tally.read(members, classes)
    effects = {event.id: event for event in events if event.failed and event.error_class in classes}
    caused = _caused(effects, stated, window, tally.tried)
    presence = Presence.of(episodes, sorted(classes))
    lifts, column = presence.lifts(), {name: place for place, name in enumerate(presence.classes)}
    links = {(link.cause_class, link.effect_class): link for link in class_bonds(presence)}
    seen = sorted(
        pair for pair in caused.keys() | tally.followed.keys() if tally.trials[pair[0]] >= min_trials
    )
    found = [
        ClassPropagation(
            *pair,
            trials=tally.trials[pair[0]],
            caused=caused[pair],
            probability=beta_share(caused[pair], tally.trials[pair[0]]),
            followed=tally.followed[pair],
            lift=float(lifts[column[pair[0]], column[pair[1]]]),
            link=links.get(pair),
        )
        for pair in seen
    ]
    found.sort(
        key=lambda item: (-item.probability.value, -item.followed, item.cause_class, item.effect_class)
    )
    return Propagation(tuple(found), len(episodes), tuple(sorted(classes)))


def _frequent(events: Iterable[Occurrence]) -> frozenset[str]:
    counted = Counter(event.error_class for event in events if event.failed and event.error_class)
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return frozenset(name for name, _ in ranked[:MAX_CLASSES])


class _Tally:
    """Trials by id and by class, and followed trials by pair of classes."""

    def __init__(self, window: timedelta | None) -> None:
        self._window = window
        self.tried: dict[str, Occurrence] = {}
        self.trials: Counter[str] = Counter()
        self.followed: Counter[Pair] = Counter()

    def read(self, members: Sequence[Occurrence], classes: frozenset[str]) -> None:
        """Counts one episode, latest event first, so that the next time of every class is known."""
        following: dict[str, Occurrence] = {}
        for place, event in reversed(list(enumerate(members))):
            if not event.failed or event.error_class not in classes:
                continue
            if place + 1 < len(members):
                self.tried[event.id] = event
                self.trials[event.error_class] += 1
                for name, later in following.items():
                    if self._window is None or later.at - event.at <= self._window:
                        self.followed[event.error_class, name] += 1
            following[event.error_class] = event


def _caused(
    effects: Mapping[str, Occurrence],
    stated: Iterable[tuple[str, str]],
    window: timedelta | None,
    tried: Mapping[str, Occurrence],
) -> Counter[Pair]:
    """Per pair of classes the number of trials with such an effect; one with two effects of a class counts once."""
    found: Counter[Pair] = Counter()
    seen: set[tuple[str, str]] = set()
    for effect_id, cause_id in stated:
        effect, cause = effects.get(effect_id), tried.get(cause_id)
        if effect is None or cause is None or effect is cause:
            continue
        trial = cause_id, effect.error_class
        if trial not in seen and (window is None or effect.at - cause.at <= window):
            seen.add(trial)
            found[cause.error_class, effect.error_class] += 1
    return found
