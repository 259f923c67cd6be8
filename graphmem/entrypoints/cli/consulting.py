"""What `work --llm` shows of a language model that is asked, or would be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread

from graphmem.domain.consulting import ANSWER_TOKENS, ModelEndpoint, Outcome
from graphmem.domain.errors import GraphmemError, UnavailableError
from graphmem.domain.rules import MAX_PAGE
from graphmem.entrypoints.cli.calling import Call
from graphmem.entrypoints.cli.memories import lined
from graphmem.entrypoints.cli.terminal import plain
from graphmem.entrypoints.cli.words import say
from graphmem.services.analyse import Analyse
from graphmem.services.consult import Consult, planned
from graphmem.services.work import INTERVAL_S

LEFT_S = 5.0
"""Seconds that a model has left for the answer on its way when the service ends."""
REST_S = 300.0
"""Seconds before a model is asked again that did not answer, or whose tokens for the day are used up."""


@dataclass(frozen=True, slots=True)
class Consulted:
    """How many items were answered, and whether it ended for lack of tokens."""

    answered: int
    used_up: bool


def consult_all(call: Call, consult: Consult, stopping: Event | None = None) -> Consulted:
    """Put all that waits to the model, a line each, until it is stopped.

    Raises UnavailableError, BadInputError as Consult.next.
    """
    answered = 0
    while not (stopping and stopping.is_set()) and (one := consult.next(call.namespace)) is not None:
        said = say(f"consult.{one.outcome.value.lower()}", ref=one.subject.ref, tokens=one.tokens)
        call.terminal.line(said)
        call.terminal.flush()
        if one.outcome is Outcome.BUDGET:
            return Consulted(answered, used_up=True)
        answered += one.outcome is Outcome.ANSWERED
    return Consulted(answered, used_up=False)


def consult_for_ever(
    call: Call, consult: Consult, stopping: Event, wait: Callable[[float], object] | None = None
) -> None:
    """Look for new items again and again until it is stopped; a model that is away, or used up for the day, is left
    alone for REST_S. wait: sleeps so many seconds, or until it is stopped.
    """
    while not stopping.is_set():
        try:
            rests = consult_all(call, consult, stopping).used_up
        except UnavailableError as error:
            _complain(call, error)
            rests = True
        (wait or stopping.wait)(REST_S if rests else INTERVAL_S)


@contextmanager
def consulting(call: Call, consult: Consult) -> Iterator[None]:
    """Look for new items in a thread of its own, beside a service. One that never will be answered ends that, and not
    the service; at the end an answer that is on its way is given up, which costs its call.
    """
    stopping = Event()

    def run() -> None:
        try:
            consult_for_ever(call, consult, stopping)
        except GraphmemError as error:
            _complain(call, error)

    thread = Thread(target=run, name="graphmem-consult", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join(LEFT_S)


def _complain(call: Call, error: GraphmemError) -> None:
    call.terminal.line(plain(str(error)))
    call.terminal.flush()


def show_plan(call: Call, analyse: Analyse, endpoint: ModelEndpoint) -> None:
    """Print what a model would be asked, of at most MAX_PAGE items; nothing is held and nothing sent."""
    plans = planned(analyse, call.namespace, MAX_PAGE)
    for plan in plans:
        ref = plan.subject.ref
        call.terminal.line(lined(plan.subject, call.terminal))
        call.terminal.line(f"  {say('consult.planned', ref=ref, tokens=plan.tokens)}")
        for line in plan.prompt.text.splitlines():
            call.terminal.folded(plain(line), 4)
    whole = sum(plan.tokens for plan in plans)
    told = say("consult.sum", n=len(plans), tokens=whole, answer=ANSWER_TOKENS, allowed=endpoint.tokens)
    call.terminal.line(told)
