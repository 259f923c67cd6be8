"""What `work --llm` shows of a language model that is asked, or would be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import sleep

from graphmem.domain.consulting import ANSWER_TOKENS, ModelEndpoint, Outcome
from graphmem.domain.errors import UnavailableError
from graphmem.domain.rules import MAX_PAGE
from graphmem.entrypoints.cli.calling import Call
from graphmem.entrypoints.cli.memories import headline, marked
from graphmem.entrypoints.cli.terminal import plain
from graphmem.entrypoints.cli.words import say
from graphmem.services.analyse import Analyse
from graphmem.services.consult import Consult, planned
from graphmem.services.work import INTERVAL_S

REST_S = 300.0
"""Seconds before a model is asked again that did not answer, or whose tokens for the day are used up."""


@dataclass(frozen=True, slots=True)
class Consulted:
    """How many items were answered, and whether it ended for lack of tokens."""

    answered: int
    used_up: bool


def consult_all(call: Call, consult: Consult) -> Consulted:
    """Put all that waits to the model, a line each. Raises UnavailableError, BadInputError as Consult.next."""
    answered = 0
    while (one := consult.next(call.namespace)) is not None:
        said = say(f"consult.{one.outcome.value.lower()}", ref=one.subject.ref, tokens=one.tokens)
        call.terminal.line(said)
        call.terminal.flush()
        if one.outcome is Outcome.BUDGET:
            return Consulted(answered, used_up=True)
        answered += one.outcome is Outcome.ANSWERED
    return Consulted(answered, used_up=False)


def consult_for_ever(call: Call, consult: Consult, wait: Callable[[float], object] = sleep) -> None:
    """Look for new items again and again; a model that is away, or used up for the day, is left alone for REST_S."""
    while True:
        try:
            rests = consult_all(call, consult).used_up
        except UnavailableError as error:
            call.terminal.line(plain(str(error)))
            call.terminal.flush()
            rests = True
        wait(REST_S if rests else INTERVAL_S)


def show_plan(call: Call, analyse: Analyse, endpoint: ModelEndpoint) -> None:
    """Print what a model would be asked, of at most MAX_PAGE items; nothing is held and nothing sent."""
    plans = planned(analyse, call.namespace, MAX_PAGE)
    for plan in plans:
        ref = plan.subject.ref
        call.terminal.line(f"{marked(plan.subject, call.terminal)} {headline(plan.subject)}")
        call.terminal.line(f"  {say('consult.planned', ref=ref, tokens=plan.tokens)}")
        for line in plan.prompt.text.splitlines():
            call.terminal.folded(plain(line), 4)
    whole = sum(plan.tokens for plan in plans)
    told = say("consult.sum", n=len(plans), tokens=whole, answer=ANSWER_TOKENS, allowed=endpoint.tokens)
    call.terminal.line(told)
