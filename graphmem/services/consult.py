"""Asks a language model about what waits for an analyst, and writes down what it found."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace

from graphmem.analysis.prompts import prompt_of
from graphmem.analysis.replies import read_reply
from graphmem.domain.analyses import AnalysisDraft, WorkItem, WorkKind
from graphmem.domain.consulting import (
    ANSWER_TOKENS,
    BY_MODEL,
    Consultation,
    Findings,
    Outcome,
    Prompt,
    Reply,
)
from graphmem.domain.errors import BadInputError, ConflictError, NotFoundError, TooLargeError
from graphmem.domain.memories import Experience, Memory
from graphmem.ports.language_model import LanguageModel
from graphmem.services.allowance import Allowance
from graphmem.services.analyse import Analyse
from graphmem.services.patterns import BY_PATTERN, BY_RULE
from graphmem.services.wording import tokens_of

REMEMBERED = 1_000
"""Answers that are kept in the process, so that equal failures cost one call."""


def tokens_for(prompt: Prompt) -> int:
    """About how many tokens a prompt has, without its answer."""
    return tokens_of(prompt.text) + tokens_of(json.dumps(prompt.schema))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a model would be asked about one item. tokens: about how many the question has."""

    subject: Memory
    prompt: Prompt
    tokens: int


def planned(analyse: Analyse, namespace: str, limit: int) -> tuple[Plan, ...]:
    """The questions about what waits, equal ones once, in the order they would be asked; nothing is held or sent.

    limit: items that are looked at, 1 to 100. Raises BadInputError.
    """
    plans: dict[str, Plan] = {}
    for item in analyse.pending(namespace, limit):
        prompt = prompt_of(item)
        plans.setdefault(prompt.text, Plan(subject=item.subject, prompt=prompt, tokens=tokens_for(prompt)))
    return tuple(plans.values())


class Consult:
    """Puts items to a model one by one, within an allowance. One thread; several processes may each have one.

    An item is held as by any analyst, and its answer is fenced like any: a crash between answer and commit costs a
    call, never a second result. What the model would not or could not answer is left held; it comes back when its
    lease runs out, and is given up after as many claims as any work. Until the model has answered, first of all and
    after it was away, it is asked before the item is claimed: an outage costs no item a claim.
    """

    def __init__(self, analyse: Analyse, model: LanguageModel, owner: str, allowance: Allowance) -> None:
        """owner: the name under which items are held, of this process alone."""
        self._analyse = analyse
        self._model = model
        self._owner = owner
        self._allowance = allowance
        self._known: dict[str, Findings | Outcome] = {}
        self._answers = False

    def next(self, namespace: str) -> Consultation | None:
        """Put the next item to the model; None when nothing waits.

        Raises UnavailableError when model or store do not answer now, BadInputError when the model never will.
        """
        waiting = self._analyse.pending(namespace, 1)
        if not waiting:
            return None
        if not self._affords(prompt_of(waiting[0])):
            return Consultation(subject=waiting[0].subject, outcome=Outcome.BUDGET)
        before = self._allowance.left
        if not self._answers and self._findings(waiting[0]) is Outcome.BUDGET:
            used = max(before - self._allowance.left, 0)
            return Consultation(subject=waiting[0].subject, outcome=Outcome.BUDGET, tokens=used)
        held = self._analyse.claim(namespace, self._owner, 1)
        if not held:
            return None
        found = self._findings(held[0])
        used = max(before - self._allowance.left, 0)
        if isinstance(found, Outcome):
            return Consultation(subject=held[0].subject, outcome=found, tokens=used)
        return replace(self._written(namespace, held[0], found), tokens=used)

    def _findings(self, item: WorkItem) -> Findings | Outcome:
        """What the model found, asked unless it was asked the same before."""
        prompt = prompt_of(item)
        digest = self._digest(prompt)
        if digest in self._known:
            return self._known[digest]
        found = self._asked(item.kind, prompt)
        if found is not Outcome.BUDGET:
            if len(self._known) >= REMEMBERED:
                self._known.pop(next(iter(self._known)))
            self._known[digest] = found
        return found

    def _asked(self, kind: WorkKind, prompt: Prompt) -> Findings | Outcome:
        """The answer, repaired once where it does not fit."""
        for last in (False, True):
            if not self._affords(prompt):
                return Outcome.BUDGET
            reply = self._reply(prompt)
            if reply.refused:
                return Outcome.REFUSED
            try:
                return read_reply(kind, reply.text)
            except BadInputError as error:
                if not last:
                    prompt = prompt.repaired(reply.text, error.message)
        return Outcome.UNUSABLE

    def _reply(self, prompt: Prompt) -> Reply:
        self._answers = False
        reply = self._model.reply(prompt)
        self._answers = True
        guessed = tokens_for(prompt) + tokens_of(reply.text)
        self._allowance.use(guessed if reply.tokens is None else reply.tokens)
        return reply

    def _written(self, namespace: str, item: WorkItem, found: Findings) -> Consultation:
        draft = AnalysisDraft(
            work_id=item.id,
            owner=item.owner,
            attempt=item.attempt,
            root_cause=found.root_cause,
            generalization="" if _is_general(item.subject) else found.generalization,
            lesson=found.lesson,
            trigger_conditions=found.trigger_conditions,
        )
        try:
            memory = self._analyse.submit(namespace, draft, by=BY_MODEL).memory
        except (ConflictError, NotFoundError):
            return Consultation(subject=item.subject, outcome=Outcome.LOST)
        except (BadInputError, TooLargeError):
            return Consultation(subject=item.subject, outcome=Outcome.UNUSABLE)
        return Consultation(subject=memory, outcome=Outcome.ANSWERED)

    def _affords(self, prompt: Prompt) -> bool:
        """Whether the question and its longest answer fit into what is left, or it was asked before."""
        return (
            self._digest(prompt) in self._known or tokens_for(prompt) + ANSWER_TOKENS <= self._allowance.left
        )

    def _digest(self, prompt: Prompt) -> str:
        said = [self._model.name, *((turn.role.value, turn.text) for turn in prompt.turns)]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _is_general(memory: Memory) -> bool:
    """Whether somebody stated the general form of a failure: a model does not overwrite it."""
    return (
        isinstance(memory, Experience)
        and bool(memory.generalization)
        and memory.generalization_source not in (BY_PATTERN, BY_RULE)
    )
