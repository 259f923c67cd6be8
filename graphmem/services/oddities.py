"""What should be looked at in the cause graph: failures without a cause, impossible orders, circles, shared causes."""

from __future__ import annotations

import json
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import datetime

from graphmem.analysis import irregular
from graphmem.analysis.common_causes import common_causes
from graphmem.analysis.walks import MAX_HOPS, Walk, walk
from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.encoding import canonical
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory
from graphmem.domain.overview import CommonCause, SharedCause, Tell, untold
from graphmem.domain.rules import check_namespace, check_page
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import Header
from graphmem.ports.queries import Direction, Page, PageRequest
from graphmem.ports.store import MemoryStore
from graphmem.services.causes import require
from graphmem.services.sources import Sources
from graphmem.services.survey import survey

_LIST = "orphans"


class Oddities:
    """Reads the whole graph, but for the common cause of two, which walks from them."""

    def __init__(self, store: MemoryStore, indexes: IndexSet) -> None:
        self._store = store
        self._indexes = indexes
        self._sources = Sources(store, indexes)

    def orphans(
        self, namespace: str, page: PageRequest, since: datetime | None = None, tell: Tell = untold
    ) -> Page[Memory]:
        """Failures since a time for which no cause is known, the newest first: what to link next.

        Raises BadInputError for a bad size or cursor.
        """
        check_page(page.first)
        start = _place(page.after)
        seen = survey(self._store, self._indexes, namespace, since, tell)
        headers = [seen.headers[name] for name in irregular.orphans(seen.failing, seen.edges)]
        behind = [header for header in headers if start is None or _key(header) < start]
        behind.sort(key=_key, reverse=True)
        shown = behind[: page.first]
        memories = self._store.get(namespace, [header.id for header in shown])
        return Page(
            items=tuple(memories[header.id] for header in shown if header.id in memories),
            next=_cursor(shown[-1]) if len(behind) > page.first else "",
        )

    def time_violations(self, namespace: str, first: int = 20, tell: Tell = untold) -> tuple[CauseEdge, ...]:
        """Edges, not refuted, whose cause is more than five seconds later than its effect, the worst first.

        The doors refuse to write them; imports and copies keep them. first from 1 to 100. Raises BadInputError.
        """
        check_page(first)
        seen = survey(self._store, self._indexes, namespace, None, tell)
        return tuple(irregular.time_violations(seen.edges)[:first])

    def cycles(self, namespace: str, first: int = 20, tell: Tell = untold) -> tuple[tuple[Memory, ...], ...]:
        """One circle of every tangle of causes: each memory was caused by the next, the last by the first.

        first from 1 to 100. Raises BadInputError.
        """
        check_page(first)
        seen = survey(self._store, self._indexes, namespace, None, tell)
        found = irregular.cycles(seen.edges)[:first]
        memories = self._store.get(namespace, [name for circle in found for name in circle])
        return tuple(
            tuple(memories[name] for name in circle)
            for circle in found
            if all(name in memories for name in circle)
        )

    def common_cause(self, namespace: str, first: str, second: str) -> CommonCause:
        """What two memories (ids or refs) share: did one lead to the other, or did something lead to both?

        Walks at most 50 hops and 1,000 memories from each. Raises NotFoundError, BadInputError.
        """
        check_namespace(namespace)
        one, two = (require(self._store, namespace, name, at) for name, at in ((first, "a"), (second, "b")))
        if one.id == two.id:
            raise BadInputError("is the same memory as a", field="b", remedy="name another memory")
        with self._sources.of(namespace) as source:
            walks = [
                walk(
                    asked.id,
                    lambda ids: source.expand(ids, Direction.CAUSES),
                    MAX_HOPS,
                    Grade.INFERRED,
                )
                for asked in (one, two)
            ]
        found = common_causes([edge for each in walks for edge in each.edges], one.id, two.id)
        memories = self._store.get(namespace, sorted(found.shared))
        shared = [
            _shared(memory, memory.id in found.nearest, walks)
            for memory in memories.values()
            if all(memory.id in each.hops for each in walks)
        ]
        return CommonCause(
            first=one,
            second=two,
            relation=found.relation,
            confounded=found.confounded,
            causes=tuple(sorted(shared, key=lambda item: (not item.nearest, sum(item.hops), item.memory.id))),
            truncated=any(each.truncated for each in walks),
        )


def _shared(memory: Memory, nearest: bool, walks: Sequence[Walk]) -> SharedCause:
    first, second = (each.hops[memory.id] for each in walks)
    return SharedCause(memory=memory, nearest=nearest, hops=(first, second))


def _key(header: Header) -> tuple[str, str]:
    return header.occurred_at.isoformat(timespec="microseconds"), header.id


def _cursor(header: Header) -> str:
    return urlsafe_b64encode(canonical([_LIST, *_key(header)]).encode()).decode()


def _place(after: str) -> tuple[str, str] | None:
    """What _cursor() was made of, None for ''. Raises BadInputError for anything else."""
    if not after:
        return None
    try:
        of, at, name = json.loads(b64decode(after, altchars=b"-_", validate=True))
        genuine = of == _LIST and isinstance(at, str) and isinstance(name, str)
    except (ValueError, TypeError, RecursionError):
        genuine = False
    if not genuine:
        raise BadInputError(
            "is no cursor of this list", field="after", remedy="send the `endCursor` of a page"
        )
    return at, name
