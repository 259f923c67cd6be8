"""Which lessons were learnt from the memories of a walk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from graphmem.domain.memories import (
    Level,
    Memory,
    Pattern,
    PatternStatus,
    State,
    Strategy,
    StrategyStatus,
)


def lessons_over(
    walked: Iterable[str], generals: Mapping[str, Sequence[str]], held: Mapping[str, Memory]
) -> tuple[tuple[Pattern, ...], tuple[Strategy, ...]]:
    """Patterns over the walked memories and strategies over these patterns, those over most come first.

    generals: patterns by the experience, strategies by the pattern, by id; held: the memories that they are. As
    everywhere, a pattern below three episodes is not said; nor is one that a person muted, nor a retired strategy.
    """
    over = Counter(name for node in walked for name in generals.get(node, ()))
    patterns = [held[name] for name in _most_first(over) if name in held]
    said = [item for item in patterns if isinstance(item, Pattern) and _is_said(item)]
    above = Counter(name for pattern in said for name in generals.get(pattern.id, ()))
    strategies = [held[name] for name in _most_first(above) if name in held]
    return tuple(said), tuple(
        item for item in strategies if isinstance(item, Strategy) and _is_in_force(item)
    )


def _most_first(counted: Counter[str]) -> list[str]:
    return sorted(counted, key=lambda name: (-counted[name], name))


def _is_said(pattern: Pattern) -> bool:
    if pattern.state is not State.ACTIVE or pattern.level is Level.NONE:
        return False
    return pattern.status is not PatternStatus.MUTED


def _is_in_force(strategy: Strategy) -> bool:
    return strategy.state is State.ACTIVE and strategy.status is not StrategyStatus.RETIRED
