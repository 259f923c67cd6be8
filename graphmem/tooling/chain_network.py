"""A whole memory around planted chains: facts that misled, causes in other tasks, doubt, verdicts, lessons.

What one task of a chain generator lacks, and a real namespace has. Equal for equal seeds; no truth is planted here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from graphmem.domain.causation import (
    CauseEdge,
    Edge,
    Evidence,
    GeneralizesEdge,
    Grade,
    Verdict,
    VerdictKind,
    lag_ms,
)
from graphmem.domain.identifiers import uuid7
from graphmem.domain.memories import Experience, Fact, Memory, Pattern, Result, Strategy
from graphmem.domain.rules import MAX_ITEMS
from graphmem.ports.changes import Changes
from graphmem.ports.store import MemoryStore
from graphmem.tooling.chain_noise import Noise
from graphmem.tooling.chain_story import NAMESPACE, STARTS
from graphmem.tooling.chains import class_driven

NOISE = Noise(missing=0.1, spurious=0.1, labels=0.05)
MISLED = 0.15
"""Share of first failures that a fact caused."""
CARRIED = 0.5
"""Share of first failures that a failure of an earlier task caused."""
BACK = 200
"""How many first failures back such a cause lies at most."""
GUESSED = 0.1
"""Inferred edges, per failure."""
REFUTED = 0.03
LATE = 0.01
"""Share of edges that have a twin in the opposite direction, its cause later than its effect."""
COVERED = 0.6
"""Share of the failures of a class that its pattern holds."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """Memories in the order in which they can be written, with all edges between them."""

    memories: tuple[Memory, ...]
    edges: tuple[Edge, ...]


def network(
    episodes: int, seed: int, carried: float = CARRIED, guessed: float = GUESSED, late: float = LATE
) -> Network:
    """Tasks of class-driven chains with noise, joined: about ten experiences and six causes a task.

    carried, guessed, late: as CARRIED, GUESSED and LATE. Without the first two, tasks stay apart; without late
    edges there are no cycles.
    """
    planted = class_driven(episodes, seed, NOISE)
    chance = random.Random(f"network {seed}")
    failing = [memory for memory in planted.memories if memory.result is Result.FAILURE]
    facts = _facts(failing, chance)
    patterns = _patterns(failing, chance)
    strategies = {kind: _strategy(pattern, chance) for kind, pattern in list(patterns.items())[::2]}
    caused = [_weighed(edge, chance) for edge in planted.edges]
    begun = {edge.effect_id for edge in caused}
    caused += _firsts([memory for memory in failing if memory.id not in begun], facts, carried, chance)
    own = {memory.id for memory in planted.memories}
    known = {(edge.effect_id, edge.cause_id) for edge in caused}
    added = [
        *_guessed(failing, guessed, chance),
        *_late([edge for edge in caused if edge.cause_id in own], late, chance),
    ]
    caused += [edge for edge in added if (edge.effect_id, edge.cause_id) not in known]
    return Network(
        memories=(*facts.values(), *planted.memories, *patterns.values(), *strategies.values()),
        edges=(*caused, *_members(failing, patterns, chance), *_guidance(patterns, strategies)),
    )


def load(store: MemoryStore, given: Network, namespace: str) -> None:
    """Write a network into an empty namespace, a batch a transaction."""
    memories = [replace(memory, namespace=namespace) for memory in given.memories]
    for start in range(0, len(memories), MAX_ITEMS):
        create = tuple(memories[start : start + MAX_ITEMS])
        store.apply(Changes(namespace=namespace, at=create[-1].recorded_at, create=create))
    for start in range(0, len(given.edges), MAX_ITEMS // 2):
        edges = given.edges[start : start + MAX_ITEMS // 2]
        store.apply(Changes(namespace=namespace, at=edges[-1].recorded_at, edges=edges))


def _id(chance: random.Random) -> str:
    return uuid7(STARTS, chance.getrandbits(74))


def _facts(failing: Sequence[Experience], chance: random.Random) -> dict[str, Fact]:
    """A fact for every class; every other one ceased to hold after ten days."""
    kinds = sorted({memory.error_type for memory in failing})
    return {
        kind: Fact(
            id=_id(chance),
            namespace=NAMESPACE,
            occurred_at=STARTS,
            recorded_at=STARTS,
            title=f"{kind} cannot happen",
            statement=f"{kind} cannot happen here",
            valid_from=STARTS,
            valid_to=STARTS + timedelta(days=10) if place % 2 else None,
        )
        for place, kind in enumerate(kinds)
    }


def _patterns(failing: Sequence[Experience], chance: random.Random) -> dict[str, Pattern]:
    """A pattern for every other class."""
    kinds = sorted({memory.error_type for memory in failing})[::2]
    return {
        kind: Pattern(
            id=_id(chance),
            namespace=NAMESPACE,
            occurred_at=STARTS,
            recorded_at=STARTS,
            title=f"{kind}, again",
            lesson=f"look for {kind} first",
            error_types=(kind,),
        )
        for kind in kinds
    }


def _strategy(pattern: Pattern, chance: random.Random) -> Strategy:
    """What to do against a pattern, said a day after the first task."""
    return Strategy(
        id=_id(chance),
        namespace=NAMESPACE,
        occurred_at=STARTS + timedelta(days=1),
        recorded_at=STARTS + timedelta(days=1),
        title=f"check: {pattern.title}",
        category="planted",
        guidance=pattern.lesson,
    )


def _weighed(edge: CauseEdge, chance: random.Random) -> CauseEdge:
    """The edge with a confidence of its own; some are refuted."""
    evidence = (replace(edge.evidence[0], confidence=round(chance.uniform(0.3, 1), 4)),)
    verdict = Verdict(VerdictKind.REFUTE, "reviewer", "did not happen", edge.recorded_at)
    return replace(edge, evidence=evidence, verdicts=(verdict,) if chance.random() < REFUTED else ())


def _edge(effect: Experience, cause: Memory, grade: Grade, chance: random.Random) -> CauseEdge:
    confidence = round(chance.uniform(0.3, 1), 4)
    evidence = Evidence(grade, confidence, "planted", effect.agent, effect.recorded_at)
    return CauseEdge(
        from_id=effect.id,
        to_id=cause.id,
        recorded_at=effect.recorded_at,
        evidence=(evidence,),
        lag_ms=lag_ms(effect, cause),
    )


def _firsts(
    firsts: Sequence[Experience], facts: Mapping[str, Fact], carried: float, chance: random.Random
) -> Iterator[CauseEdge]:
    """Causes of failures that their task does not explain: a fact, or a failure of an earlier task."""
    for place, effect in enumerate(firsts):
        drawn = chance.random()
        if drawn < MISLED:
            yield _edge(effect, facts[effect.error_type], Grade.ASSERTED, chance)
        elif drawn < MISLED + carried and place:
            cause = firsts[chance.randrange(max(0, place - BACK), place)]
            if cause.occurred_at < effect.occurred_at:
                yield _edge(effect, cause, Grade.TRACED, chance)


def _guessed(failing: Sequence[Experience], share: float, chance: random.Random) -> Iterator[CauseEdge]:
    for place, effect in enumerate(failing):
        if place and chance.random() < share:
            cause = failing[chance.randrange(max(0, place - BACK), place)]
            if cause.occurred_at < effect.occurred_at:
                yield _edge(effect, cause, Grade.INFERRED, chance)


def _late(edges: Sequence[CauseEdge], share: float, chance: random.Random) -> Iterator[CauseEdge]:
    """Edges between experiences against the time, each closing a cycle."""
    for edge in edges:
        if edge.lag_ms > 0 and edge.active and chance.random() < share:
            yield replace(edge, from_id=edge.to_id, to_id=edge.from_id, lag_ms=-edge.lag_ms)


def _members(
    failing: Sequence[Experience], patterns: Mapping[str, Pattern], chance: random.Random
) -> Iterator[GeneralizesEdge]:
    for memory in failing:
        if memory.error_type in patterns and chance.random() < COVERED:
            pattern = patterns[memory.error_type]
            yield GeneralizesEdge(from_id=pattern.id, to_id=memory.id, recorded_at=memory.recorded_at)


def _guidance(
    patterns: Mapping[str, Pattern], strategies: Mapping[str, Strategy]
) -> Iterator[GeneralizesEdge]:
    for kind, strategy in strategies.items():
        yield GeneralizesEdge(from_id=strategy.id, to_id=patterns[kind].id, recorded_at=strategy.recorded_at)
