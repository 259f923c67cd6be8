"""Taking a namespace out as lines of JSON, and putting such lines in anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from graphmem.analysis.redaction import redact_value
from graphmem.domain.answers import ImportReport
from graphmem.domain.causation import CauseEdge, Edge, EdgeKind, lag_ms, merge_edges
from graphmem.domain.encoding import canonical, edge_from_json, edge_json, memory_from_json, memory_json
from graphmem.domain.errors import BadInputError, GraphmemError, NotFoundError, StaleError
from graphmem.domain.memories import AnalysisState, Experience, Json, Memory, Pattern, is_failure
from graphmem.domain.rules import MAX_ITEMS, check_confidence, check_namespace, check_time
from graphmem.ports.changes import Changes, Request
from graphmem.ports.queries import EdgeSelection, PageRequest, Selection, pages
from graphmem.ports.store import MemoryStore
from graphmem.services.assign import Assign
from graphmem.services.furnish import Furnish
from graphmem.services.held_back import HeldBack
from graphmem.services.holding import Holder
from graphmem.services.intake import NewId
from graphmem.services.open_work import analyses

FORMAT = 1
_VERBATIM = frozenset({"id", "namespace", "session_id", "task_id", "from_id", "to_id"})
BATCH = 200
"""Memories or edges written in one transaction of an import."""
_ATTEMPTS = 3
"""How often vectors are made for a batch whose space changes meanwhile."""


class Transfer:
    """Export and import. An import can be repeated: what is known by its key is not written again."""

    def __init__(
        self, store: MemoryStore, furnish: Furnish, assign: Assign, holder: Holder, new_id: NewId
    ) -> None:
        self._store = store
        self._furnish = furnish
        self._assign = assign
        self._holder = holder
        self._clock = holder.clock
        self._new_id = new_id

    def export(self, namespace: str) -> Iterator[str]:
        """Lines of JSON: a header, every memory (oldest first, without vectors), then every edge."""
        check_namespace(namespace)
        state = self._store.state(namespace)
        yield canonical(
            {"graphmem": "export", "format": FORMAT, "source": namespace, "revision": state.revision}
        )
        oldest = PageRequest(first=MAX_ITEMS, ascending=True)
        for page in pages(lambda page: self._store.find(namespace, Selection(), page), oldest):
            yield from (memory_json(memory) for memory in page.items)
        yield from (edge_json(edge) for edge in self._edges(namespace, EdgeSelection()))

    def import_lines(self, namespace: str, lines: Iterable[str]) -> ImportReport:
        """Write exported lines into a namespace: new ids and refs, same texts, times, evidence and verdicts.
        Memories that the namespace itself exported are known. Failures are learned from like any other: those
        without a root cause wait for an analyst, and all are looked at for clusters and patterns when the last line
        is written, at once where that is quick, else by the worker; after a kill, over what was written by then.

        All lines are read before the first is written. Raises BadInputError naming the line.
        """
        check_namespace(namespace)
        source, memories, edges = _parsed(lines)
        learns = any(is_failure(memory) for memory in memories)
        look = HeldBack(self._store, self._holder, self._new_id, wanted=learns)
        try:
            report = self._import(namespace, source, (memories, edges), look)
        finally:
            asked = look.release(namespace)
        if asked:
            self._assign.after_write(namespace)
        return report

    def _import(
        self, namespace: str, source: str, parsed: tuple[list[Memory], list[Edge]], look: HeldBack
    ) -> ImportReport:
        memories, edges = parsed
        ids: dict[str, str] = {}
        created = known = 0
        for start in range(0, len(memories), BATCH):
            batch = memories[start : start + BATCH]
            new = self._unknown(namespace, source, batch, ids)
            self._write(namespace, new, look)
            created, known = created + len(new), known + len(batch) - len(new)
        joined = [_moved(edge, ids) for edge in edges if edge.from_id in ids and edge.to_id in ids]
        for start in range(0, len(joined), BATCH):
            self._import_edges(namespace, joined[start : start + BATCH], look)
        return ImportReport(created=created, known=known, edges=len(joined))

    def _unknown(
        self, namespace: str, source: str, batch: Sequence[Memory], ids: dict[str, str]
    ) -> list[tuple[Memory, Request]]:
        """What of a batch is still to be written, each with its key; ids learns what all are called here."""
        new: list[tuple[Memory, Request]] = []
        own = self._store.get(namespace, [memory.id for memory in batch])
        ids |= {memory_id: memory_id for memory_id in own}
        for memory in batch:
            if memory.id in own:
                continue
            key = f"import:{source}:{memory.id}"
            receipt = self._store.receipt(namespace, key)
            if receipt is not None and receipt.erased:
                continue
            ids[memory.id] = receipt.memory_id if receipt else self._new_id(memory.recorded_at)
            if receipt is None:
                moved = _adopted(memory, namespace, ids[memory.id])
                new.append((moved, Request(key=key, payload_hash=key, memory_id=moved.id)))
        return new

    def _write(self, namespace: str, new: Sequence[tuple[Memory, Request]], look: HeldBack) -> None:
        if not new:
            return
        at = self._clock()
        for _ in range(_ATTEMPTS):
            furnished = self._furnish(namespace, [memory for memory, _ in new], at)
            requests = tuple(request for _, request in new)
            jobs = (*furnished.jobs, *analyses(furnished.memories, at))
            changes = replace(
                furnished.changes(namespace, at), create=furnished.memories, requests=requests, jobs=jobs
            )
            try:
                look.apply(changes)
            except StaleError as error:
                self._furnish.again(namespace)
                lost = error
            else:
                return
        raise lost

    def _import_edges(self, namespace: str, edges: Sequence[Edge], look: HeldBack) -> None:
        ends = self._store.get(namespace, [end for edge in edges for end in (edge.from_id, edge.to_id)])
        timed = []
        for edge in edges:
            if edge.from_id not in ends or edge.to_id not in ends:
                raise NotFoundError(
                    "an end of an edge was removed meanwhile", field="edges", remedy="import again"
                )
            if isinstance(edge, CauseEdge):
                edge = replace(edge, lag_ms=lag_ms(ends[edge.from_id], ends[edge.to_id]))
            timed.append(edge)
        selection = EdgeSelection(
            from_ids=tuple({edge.from_id for edge in edges}), to_ids=tuple({edge.to_id for edge in edges})
        )
        known = {_place(edge): edge for edge in self._edges(namespace, selection)}
        new = [
            edge for edge in timed if merge_edges(known.get(_place(edge)), edge) != known.get(_place(edge))
        ]
        if new:
            look.apply(Changes(namespace=namespace, at=self._clock(), edges=tuple(new)))

    def _edges(self, namespace: str, selection: EdgeSelection) -> Iterator[Edge]:
        first = PageRequest(first=MAX_ITEMS)
        for page in pages(lambda page: self._store.edges(namespace, selection, page), first):
            yield from page.items


def _parsed(lines: Iterable[str]) -> tuple[str, list[Memory], list[Edge]]:
    source = ""
    memories: list[Memory] = []
    edges: list[Edge] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            if "graphmem" in data:
                source = _source(data)
            elif "from_id" in data:
                edges.append(_edge(data))
            else:
                memories.append(_memory(data))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, GraphmemError) as error:
            raise BadInputError(
                f"line {number} is no exported line", field="lines", remedy="import what export wrote"
            ) from error
    if not source:
        raise BadInputError("the header line is missing", field="lines", remedy="import what export wrote")
    return source, memories, edges


def _memory(data: Mapping[str, Json]) -> Memory:
    """The memory of a line, its secrets replaced. Raises ValueError and the like when it cannot be one."""
    memory = memory_from_json(_clean_json(data))
    for name in ("occurred_at", "recorded_at", "valid_from", "valid_to", "first_seen", "last_seen"):
        if getattr(memory, name, None) is not None:
            check_time(name, getattr(memory, name))
    memory.text.encode()
    return memory


def _edge(data: Mapping[str, Json]) -> Edge:
    """The edge of a line, its secrets replaced. Raises ValueError and the like when it cannot be one."""
    edge = edge_from_json(_clean_json(data))
    check_time("recorded_at", edge.recorded_at)
    for item in edge.evidence if isinstance(edge, CauseEdge) else ():
        check_confidence("confidence", item.confidence)
    return edge


def _clean_json(data: Mapping[str, Json]) -> str:
    verbatim = {name: data[name] for name in _VERBATIM if name in data}
    return canonical(redact_value(data).value | verbatim)


def _place(edge: Edge) -> tuple[str, str, EdgeKind]:
    return edge.from_id, edge.to_id, edge.kind


def _source(data: Mapping[str, object]) -> str:
    if data.get("format") != FORMAT or not isinstance(data.get("source"), str):
        raise ValueError("unknown format")
    return str(data["source"])


def _adopted(memory: Memory, namespace: str, new_id: str) -> Memory:
    adopted = replace(memory, id=new_id, namespace=namespace, ref="", version=1, vectors={})
    if isinstance(adopted, Experience):
        waits = adopted.analysis is AnalysisState.FAILED  # given up there; here nobody was asked yet
        adopted = replace(adopted, informed_by=(), cluster_id="")
        adopted = replace(adopted, analysis=AnalysisState.PENDING) if waits else adopted
    if isinstance(adopted, Pattern):
        adopted = replace(adopted, frequency=0, episodes=0)
    return adopted


def _moved(edge: Edge, ids: Mapping[str, str]) -> Edge:
    return replace(edge, from_id=ids[edge.from_id], to_id=ids[edge.to_id])
