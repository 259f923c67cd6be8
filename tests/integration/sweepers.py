"""A sweep in a process of its own, for the test that kills it.

    python -m tests.integration.sweepers STORE NAMESPACE ACTIONS

sweeps in many small transactions. After the given number of them it says so and stands still, the answer of the last
one in its hands.
"""

from __future__ import annotations

import sys
from contextlib import closing
from typing import cast

from graphmem.config import Settings
from graphmem.ports.changes import Changes, Receipt
from graphmem.ports.store import MemoryStore
from graphmem.services import sweep
from graphmem.wiring import build
from tests.failing_store import FailingStore
from tests.integration.writers import open_store, tell

BATCH = 5
"""Experiences moved, or notes dropped, in one transaction."""


class StandingStill(FailingStore):
    """A store behind whose last action nothing goes on."""

    def __init__(self, store: MemoryStore, actions: int) -> None:
        super().__init__(store)
        self._actions = actions

    def apply(self, changes: Changes) -> Receipt:
        """The action, if it is not the last."""
        receipt = super().apply(changes)
        self._actions -= 1
        if self._actions == 0:
            tell("standing")
            sys.stdin.read()
        return receipt


def main(place: str, namespace: str, actions: str) -> None:
    """Sweep once."""
    sweep.BATCH = BATCH
    store = cast(MemoryStore, StandingStill(open_store(place), int(actions)))
    with closing(build(Settings(store="sqlite:///told.db", embedder="none"), store=store)) as services:
        services.sweep.sweep(namespace)


if __name__ == "__main__":
    main(*sys.argv[1:])
