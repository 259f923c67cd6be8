"""Stores that find memories with one mistake each: the laws of finding must not hold for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from graphmem.domain.errors import GraphmemError
from graphmem.domain.memories import Memory
from graphmem.ports.queries import Page, PageRequest, Selection
from tests.contract.model_store import ModelStore


class SkipsEqualTimes(ModelStore):
    """Continues a page after the time of its last memory, whatever else happened at that time."""

    def find(
        self, namespace: str, selection: Selection, page: PageRequest, *, vectors: bool = True
    ) -> Page[Memory]:
        full = super().find(namespace, selection, page, vectors=vectors)
        if not full.next:
            return full
        rest = super().find(namespace, selection, replace(page, first=1000, after=full.next)).items
        same = sum(item.occurred_at == full.items[-1].occurred_at for item in rest)
        if not same:
            return full
        skipped = super().find(
            namespace, selection, replace(page, first=same, after=full.next), vectors=vectors
        )
        return Page(items=full.items, next=skipped.next)


class KeepsVectorsToItself(ModelStore):
    """Never gives a vector."""

    def get(self, namespace: str, ids: Sequence[str], *, vectors: bool = True) -> dict[str, Memory]:
        return super().get(namespace, ids, vectors=False)


class AlwaysGivesVectors(ModelStore):
    """Gives vectors to whoever wants none."""

    def find(
        self, namespace: str, selection: Selection, page: PageRequest, *, vectors: bool = True
    ) -> Page[Memory]:
        return super().find(namespace, selection, page)


class AnswersNothing(ModelStore):
    """Answers an empty page when it is closed."""

    def find(
        self, namespace: str, selection: Selection, page: PageRequest, *, vectors: bool = True
    ) -> Page[Memory]:
        return _or_else(
            Page(items=()),
            lambda: super(AnswersNothing, self).find(namespace, selection, page, vectors=vectors),
        )


def _or_else(empty: Page[Memory], ask: Callable[[], Page[Memory]]) -> Page[Memory]:
    try:
        return ask()
    except GraphmemError:
        return empty
