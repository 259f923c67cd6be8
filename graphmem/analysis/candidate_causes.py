"""Which events of an episode may have caused which, given what people and agents said of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphmem.analysis.history import Occurrence, Pair
from graphmem.domain.causation import CauseEdge, Grade

LOOK_BACK = 50
"""Events of the episode before an effect that may have caused it unsaid; a stated cause may lie further back."""

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Statements:
    """What is known of single edges. stated: observed by somebody, refuted ones excluded. refuted: a reviewer said no;
    never a cause. confirmed: a reviewer said yes; nothing else caused that effect. Inferred edges are no statements.
    """

    stated: frozenset[Pair]
    refuted: frozenset[Pair]
    confirmed: frozenset[Pair]

    @classmethod
    def of(cls, edges: Iterable[CauseEdge]) -> Statements:
        """Reads evidence and verdicts; what an effect states of itself says nothing."""
        graded = [(edge.grade, (edge.effect_id, edge.cause_id)) for edge in edges]
        known = [(grade, pair) for grade, pair in graded if pair[0] != pair[1]]
        return cls(
            stated=frozenset(pair for grade, pair in known if grade is not None and grade > Grade.INFERRED),
            refuted=frozenset(pair for grade, pair in known if grade is None),
            confirmed=frozenset(pair for grade, pair in known if grade is Grade.CONFIRMED),
        )


@dataclass(frozen=True)
class Candidates:
    """Possible causes of every event, as parallel arrays over the pairs: places of effect and cause, binary logarithm
    of their distance in events, whether stated. alone, over the events: whether it may have had no cause among them.
    """

    effect: Ints
    cause: Ints
    distance: Ints
    stated: Bools
    alone: Bools


def candidates(events: Sequence[Occurrence], known: Statements) -> Candidates:
    """Every earlier event within LOOK_BACK of the same episode, and every stated one.

    Refuted causes are none; of an effect with confirmed causes only these are. events:
    episode by episode, each with causes_first.
    """
    place = {event.id: number for number, event in enumerate(events)}
    pairs = np.array([*_within_reach(events), *_far(events, place, known.stated)], dtype=np.int64).reshape(
        -1, 2
    )
    codes = pairs @ np.array([len(events), 1])
    settled, settled_outside = (np.zeros(len(events), dtype=bool) for _ in range(2))
    for effect, cause in known.confirmed:
        if effect in place:
            settled[place[effect]] = True
            settled_outside[place[effect]] |= not _together(events, place, effect, cause)
    allowed = np.where(
        settled[pairs[:, 0]], _among(codes, known.confirmed, place), ~_among(codes, known.refuted, place)
    )
    effect_at, cause_at = pairs[allowed].T
    without = np.bincount(effect_at, minlength=len(events)) == 0
    return Candidates(
        effect=effect_at,
        cause=cause_at,
        distance=_doublings(effect_at - cause_at),
        stated=_among(codes[allowed], known.stated, place),
        alone=~settled | settled_outside | without,
    )


def outside(events: Sequence[Occurrence], known: Statements) -> list[list[str | None]]:
    """Per event its stated causes that do not belong to its episode; [None] where there is none.

    Of confirmed and merely stated ones only the confirmed are given.
    """
    place = {event.id: number for number, event in enumerate(events)}
    found: dict[str, list[str]] = {event.id: [] for event in events}
    for effect, cause in sorted(known.stated):
        if effect in place and not _together(events, place, effect, cause):
            found[effect].append(cause)
    sure = {
        effect: [cause for cause in causes if (effect, cause) in known.confirmed]
        for effect, causes in found.items()
    }
    return [[*(sure[event.id] or found[event.id])] or [None] for event in events]


def _within_reach(events: Sequence[Occurrence]) -> Ints:
    """Places of effects and of the events at most LOOK_BACK before them in the same episode; int64, shape (n, 2)."""
    number: Ints = np.arange(len(events))
    fresh = [place == 0 or events[place - 1].episode != event.episode for place, event in enumerate(events)]
    begin = np.maximum.accumulate(np.where(fresh, number, 0)) if len(events) else number
    reach = np.minimum(number - begin, LOOK_BACK)
    effect = np.repeat(number, reach)
    back = np.arange(len(effect)) - np.repeat(np.cumsum(reach) - reach, reach) + 1
    return np.stack([effect, effect - back], axis=1)


def _far(events: Sequence[Occurrence], place: Mapping[str, int], stated: Iterable[Pair]) -> Ints:
    """Places of stated causes that lie further back; int64, shape (n, 2)."""
    far = [
        (place[effect], place[cause])
        for effect, cause in stated
        if place.get(effect, 0) - place.get(cause, len(events)) > LOOK_BACK
        and _together(events, place, effect, cause)
    ]
    return np.array(sorted(far), dtype=np.int64).reshape(-1, 2)


def _together(events: Sequence[Occurrence], place: Mapping[str, int], effect: str, cause: str) -> bool:
    """Whether both belong to the same episode."""
    if effect not in place or cause not in place:
        return False
    return events[place[effect]].episode == events[place[cause]].episode


def _among(codes: Ints, pairs: Iterable[Pair], place: Mapping[str, int]) -> Bools:
    known = [place[a] * len(place) + place[b] for a, b in pairs if a in place and b in place]
    return np.isin(codes, np.array(known, dtype=np.int64))


def _doublings(distance: Ints) -> Ints:
    return np.asarray(np.log2(np.clip(distance, 1, LOOK_BACK)), dtype=np.int64)
