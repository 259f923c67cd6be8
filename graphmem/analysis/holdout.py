"""What of an answer belongs to which lineage, and the answer without some of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from graphmem.domain.answers import Hit, Recollection, Reminder, Strength
from graphmem.domain.gate import GateLook
from graphmem.domain.memories import Memory, Pattern

LineagesOf = Callable[[Memory], tuple[str, ...]]
"""The lineages that a memory belongs to; () for facts and what worked."""
Say = Callable[[bool, Sequence[Memory], str, Pattern | None], str]
"""The words of a reminder: whether it asks, its evidence, the language, the pattern that it is about."""


@dataclass(frozen=True, slots=True)
class Listing:
    """How a lineage would be listed: its memory that ranks best, in the strongest way; look: where the gate looked
    at one of its failures.
    """

    memory_id: str
    strength: Strength
    look: GateLook | None = None


def listed(found: Recollection, lineages_of: LineagesOf) -> dict[str, Listing]:
    """Every lineage of an answer, at any strength: reminders, errors, patterns, strategies, failures of facts."""
    places: dict[str, Listing] = {}
    for memory, strength in _in_order(found):
        look = found.look if found.look is not None and found.look.memory_id == memory.id else None
        for lineage in lineages_of(memory):
            place = places.setdefault(lineage, Listing(memory.id, strength))
            places[lineage] = replace(place, look=place.look or look)
    return places


def without(found: Recollection, lineages_of: LineagesOf, hidden: Collection[str], say: Say) -> Recollection:
    """The answer without what belongs to a hidden lineage; everything else stays as it is, no place is refilled.

    A reminder goes with its subject; other hidden evidence is taken out of it.
    """
    if not hidden:
        return found

    def keeps(memory: Memory) -> bool:
        return not any(name in hidden for name in lineages_of(memory))

    return replace(
        found,
        facts=tuple(
            replace(hit, failed_here=tuple(filter(keeps, hit.failed_here)))
            for hit in _kept(found.facts, keeps)
        ),
        errors=_kept(found.errors, keeps),
        patterns=_kept(found.patterns, keeps),
        strategies=_kept(found.strategies, keeps),
        reminders=tuple(
            _trimmed(reminder, keeps, say, found.language)
            for reminder in found.reminders
            if keeps(reminder.subject)
        ),
    )


def memories_of(found: Recollection) -> dict[str, Memory]:
    """Everything that an answer shows, by id."""
    lists = (found.facts, found.errors, found.worked, found.patterns, found.strategies)
    shown = [hit.memory for hits in lists for hit in hits]
    shown += [memory for hit in found.facts for memory in hit.failed_here]
    shown += [memory for reminder in found.reminders for memory in reminder.evidence]
    return {memory.id: memory for memory in shown}


def _in_order(found: Recollection) -> Iterator[tuple[Memory, Strength]]:
    """Strongest first."""
    for strength in Strength:
        for reminder in found.reminders:
            if reminder.strength is strength:
                yield from ((memory, strength) for memory in (reminder.subject, *reminder.evidence))
    for hits in (found.errors, found.patterns, found.strategies):
        yield from ((hit.memory, Strength.BACKGROUND) for hit in hits)
    for hit in found.facts:
        yield from ((memory, Strength.BACKGROUND) for memory in hit.failed_here)


def _kept(hits: Iterable[Hit], keeps: Callable[[Memory], bool]) -> tuple[Hit, ...]:
    return tuple(hit for hit in hits if keeps(hit.memory))


def _trimmed(reminder: Reminder, keeps: Callable[[Memory], bool], say: Say, language: str) -> Reminder:
    evidence = tuple(filter(keeps, reminder.evidence))
    if evidence == reminder.evidence:
        return reminder
    text = say(reminder.strength is Strength.ASK, evidence, language, reminder.pattern)
    return replace(reminder, text=text, evidence=evidence)
