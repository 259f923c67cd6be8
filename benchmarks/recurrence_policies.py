"""What a memory shows before a task: ours, the first article's, words only, and trivial ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Protocol

from rank_bm25 import BM25Okapi

from benchmarks.recurrence_memory import Answer, Encoder, Notes, tokens_listed, tokens_said
from benchmarks.recurrence_sets import Task
from graphmem.analysis.tokens import tokenize

LISTED = 3
SEED_NEAREST = 50
SEED_WORDS, SEED_MEANING = 0.6, 0.4
SEED_THRESHOLD = 0.75
"""The first article, 3.2 and 5.3: cascade, weights for experiences, and the similarity that warns."""


@dataclass(frozen=True)
class Shown:
    """What a task was shown: the family of each item, and its tokens in a prompt."""

    families: tuple[str, ...] = ()
    tokens: int = 0


class Policy(Protocol):
    """A memory that takes failures in and shows some of them before a task."""

    def show(self, task: Task) -> Shown:
        """What the agent sees before the task."""
        ...

    def note(self, task: Task) -> None:
        """The task failed."""
        ...


Start = Callable[[Random], Policy]
"""An empty memory, with the chance that it may use."""
Known = dict[tuple[tuple[str, ...], str], Answer]
"""Answers by the failures noted, in their order, and the task asked about."""


class Trivial:
    """Shows families by a rule over those that failed so far, oldest first."""

    def __init__(self, rule: Callable[[Sequence[str]], Sequence[str]]) -> None:
        """Empty; rule: families that failed -> families shown."""
        self._rule = rule
        self._failed: list[str] = []

    def show(self, task: Task) -> Shown:
        """As the rule says."""
        return Shown(tuple(self._rule(self._failed)))

    def note(self, task: Task) -> None:
        """Keep the family."""
        self._failed.append(task.family)


def off(chance: Random) -> Policy:
    """No memory."""
    return Trivial(lambda failed: ())


def random_three(families: Sequence[str]) -> Start:
    """Three of all families, whatever happened."""
    ordered = sorted(families)
    return lambda chance: Trivial(lambda failed: chance.sample(ordered, LISTED))


def last(chance: Random) -> Policy:
    """The last failure, always."""
    return Trivial(lambda failed: failed[-1:])


def majority(chance: Random) -> Policy:
    """The family that failed most often so far, always; of equals the first to fail."""
    return Trivial(lambda failed: [name for name, _ in Counter(failed).most_common(1)])


class Cascade:
    """BM25 over whole failures; with an encoder the first article's cascade, raw scores added to raw cosines.

    gate: cosine that the best must exceed to be shown; 0 = none.
    """

    def __init__(self, encoder: Encoder | None, listed: int, gate: float = 0.0) -> None:
        """Empty."""
        self._encoder, self._listed, self._gate = encoder, listed, gate
        self._noted: list[Task] = []
        self._documents: list[str] = []

    def note(self, task: Task) -> None:
        """Keep the failure."""
        self._noted.append(task)
        self._documents.append(_document(task))

    def show(self, task: Task) -> Shown:
        """The best that share a token and pass the gate."""
        if not self._noted:
            return Shown()
        query = "\n".join(part for part in (task.situation, task.concern) if part)
        words = BM25Okapi([_tokens(one) for one in self._documents]).get_scores(_tokens(query))
        best = sorted(range(len(words)), key=lambda place: (-words[place], place))[:SEED_NEAREST]
        scores = {place: float(words[place]) for place in best if self._encoder or words[place] > 0}
        if self._encoder:
            cosines = {place: self._encoder.cosine(query, self._documents[place]) for place in best}
            scores = {place: SEED_WORDS * scores[place] + SEED_MEANING * cosines[place] for place in best}
            scores = {place: score for place, score in scores.items() if cosines[place] > self._gate}
        chosen = sorted(scores, key=lambda place: (-scores[place], place))[: self._listed]
        return Shown(tuple(self._noted[place].family for place in chosen))


class Ours:
    """The product: the list of the best failures, or what is said of them from a probability on."""

    def __init__(
        self, encoder: Encoder, least: float | None, weak: bool = True, known: Known | None = None
    ) -> None:
        """Empty; least None: the list. weak: those that are only the nearest are listed, or seen by the gate.

        known: what memories of the same tasks and encoder found, which is found once.
        """
        self._least, self._weak = least, weak
        self._notes = Notes(encoder)
        self._noted: list[Task] = []
        self._known: Known = {} if known is None else known

    def note(self, task: Task) -> None:
        """Keep the failure."""
        self._noted.append(task)

    def show(self, task: Task) -> Shown:
        """The list of three, or the subjects of the reminders and questions."""
        answer = self._answer(task)
        if self._least is None:
            listed = answer.listed(self._weak)[:LISTED]
            return Shown(
                self._families(memory.id for memory in listed), tokens_listed(listed, task.situation)
            )
        said = answer.said(task, self._least, self._weak)
        tokens = tokens_said(said, answer.found, task.situation) if said else 0
        return Shown(self._families(item.ids[0] for item in said), tokens)

    def _answer(self, task: Task) -> Answer:
        """It rests on nothing but the failures noted and their order: a memory that was told the same knows it."""
        place = (tuple(one.name for one in self._noted), task.name)
        if place not in self._known:
            for late in self._noted[len(self._notes.noted) :]:
                self._notes.note(late)
            self._known[place] = self._notes.answer(task)
        return self._known[place]

    def _families(self, names: Iterable[str]) -> tuple[str, ...]:
        families = {task.name: task.family for task in self._noted}
        return tuple(families[name] for name in names)


@cache
def _tokens(text: str) -> tuple[str, ...]:
    """Every question of every order looks at the same texts."""
    return tuple(tokenize(text))


def _document(task: Task) -> str:
    parts = (task.done, task.error_type, task.outcome, task.correction)
    return "\n".join(part for part in parts if part)


def document_texts(tasks: Sequence[Task]) -> set[str]:
    """What the cascade embeds."""
    queries = {"\n".join(part for part in (task.situation, task.concern) if part) for task in tasks}
    return queries | {_document(task) for task in tasks}
