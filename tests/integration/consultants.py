"""A language model as an analyst, in a process of its own, for the test that kills it.

    python -m tests.integration.consultants STORE URL HOURS ANSWERS

puts what waits to the endpoint at URL until nothing waits. With the given number of answers (0 = never) it says so and
stands still, the answer in its hands and not written yet. HOURS: how far its clock is ahead, so that the leases of
those that were killed have run out.
"""

from __future__ import annotations

import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta

from graphmem.adapters.analysts.chat import ChatModel
from graphmem.config import Settings
from graphmem.domain.consulting import ModelEndpoint, Prompt, Reply
from graphmem.services.allowance import Allowance
from graphmem.services.consult import Consult
from graphmem.wiring import build
from tests.integration.analysts import NAMESPACE
from tests.integration.writers import open_store, tell


class StandingStill(ChatModel):
    """A model behind whose last answer nothing goes on."""

    def __init__(self, url: str, answers: int) -> None:
        super().__init__(ModelEndpoint(model="m", url=url))
        self._left = answers

    def reply(self, prompt: Prompt) -> Reply:
        """The model's reply, if it is not the last."""
        reply = super().reply(prompt)
        self._left -= 1
        if self._left == 0:
            tell("standing")
            sys.stdin.read()
        return reply


def main(place: str, url: str, hours: str, answers: str) -> None:
    """Put to the model what waits."""

    def clock() -> datetime:
        return datetime.now(UTC) + timedelta(hours=float(hours))

    settings = Settings(store="sqlite:///told.db", embedder="none", namespace=NAMESPACE)
    services = build(settings, store=open_store(place), clock=clock)
    with closing(services), closing(StandingStill(url, int(answers))) as model:
        consult = Consult(services.analyse, model, f"llm:{hours}", Allowance(10**9, clock))
        while (one := consult.next(NAMESPACE)) is not None:
            tell(one.outcome.value, one.subject.ref)


if __name__ == "__main__":
    main(*sys.argv[1:])
