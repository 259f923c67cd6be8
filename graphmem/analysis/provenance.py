"""Whose words are these? Served text that comes back as something learnt is no second witness (design, invariant 8)."""

from __future__ import annotations

from collections.abc import Iterable

from graphmem.analysis.tokens import tokenize
from graphmem.domain.memories import Experience, Fact, Memory, Pattern, Strategy

NEAR_EQUAL = 0.8
"""Jaccard overlap of the tokens of two texts from which one is the other's copy; as for repeated situations."""
FEWEST_TOKENS = 3
"""Shorter texts ("retry") are copies only where they are equal: anybody says them."""


def lessons(memory: Memory) -> tuple[str, ...]:
    """The texts of a memory that an agent could hand back as its own insight."""
    if isinstance(memory, Experience):
        prevention = memory.root_cause.prevention if memory.root_cause else ""
        return tuple(filter(None, (memory.correction, memory.generalization, prevention)))
    if isinstance(memory, Pattern):
        return tuple(filter(None, (memory.lesson, memory.prevention)))
    if isinstance(memory, Strategy):
        return (memory.guidance,)
    return (memory.statement,) if isinstance(memory, Fact) else ()


def sources(written: Memory, served: Iterable[Memory]) -> tuple[str, ...]:
    """Ids of the served memories whose lessons come back in what is written, in the order served."""
    own = [_words(text) for text in lessons(written)]
    return tuple(
        memory.id
        for memory in served
        if any(_is_copy(words, _words(text)) for text in lessons(memory) for words in own)
    )


def _words(text: str) -> tuple[str, frozenset[str]]:
    return " ".join(text.split()).casefold(), frozenset(tokenize(text))


def _is_copy(first: tuple[str, frozenset[str]], second: tuple[str, frozenset[str]]) -> bool:
    if first[0] == second[0]:
        return True
    shared, union = len(first[1] & second[1]), len(first[1] | second[1])
    return shared >= FEWEST_TOKENS and shared >= NEAR_EQUAL * union
