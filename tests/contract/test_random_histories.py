"""Random histories, step by step beside the model: both stores answer alike, in every namespace.

The steps are the same on every run. To search further: a larger MAX_EXAMPLES, and derandomize=False.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from graphmem.domain.causation import Edge, VerdictKind
from graphmem.domain.errors import GraphmemError
from graphmem.domain.memories import Memory, MemoryKind, Pattern, Result, State
from graphmem.domain.records import JobKind, JobState, RecordKind
from graphmem.ports.changes import Changes, JobFinish, Receipt
from graphmem.ports.queries import Cursor
from tests.builders import (
    NOTED,
    Ids,
    at,
    caused,
    changed,
    changes,
    evidence,
    experience,
    fact,
    generalizes,
    job,
    new_id,
    pattern,
    record,
    request,
    strategy,
    supersedes,
    verdict,
)
from tests.contract.model_store import ModelStore
from tests.contract.reading import Reader, by_ends, counts, edges_of, found, records_of
from tests.contract.stores import FEW_HISTORIES, FOR_HOURS, REAL, OpenStore, parameters

ALIKE = ("a", "A", "a ", "a-b", "租户")
MAX_EXAMPLES = 70
STEPS = 30
LEASE = timedelta(seconds=3)
MAKERS = {
    MemoryKind.FACT: fact,
    MemoryKind.EXPERIENCE: experience,
    MemoryKind.PATTERN: pattern,
    MemoryKind.STRATEGY: strategy,
}
JOINS = {
    (MemoryKind.EXPERIENCE, MemoryKind.EXPERIENCE): caused,
    (MemoryKind.EXPERIENCE, MemoryKind.FACT): caused,
    (MemoryKind.PATTERN, MemoryKind.EXPERIENCE): generalizes,
    (MemoryKind.STRATEGY, MemoryKind.PATTERN): generalizes,
    (MemoryKind.FACT, MemoryKind.FACT): supersedes,
}
names = st.sampled_from((*ALIKE, "a", "a", "A"))
picks = st.integers(0, 40)
few = st.lists(picks, min_size=1, max_size=3)


class Histories(RuleBasedStateMachine):
    """Does everything twice: with the store under test, and with the model."""

    open_store: OpenStore

    @initialize()
    def start(self) -> None:
        self.folder = TemporaryDirectory()
        self.store = self.open_store(Path(self.folder.name) / "store")
        self.store.migrate()
        self.model = ModelStore()
        self.ids, self.ticks = Ids(1), count(1)
        self.readers = {name: Reader(self.store, name) for name in ALIKE}
        self.sent: list[Changes] = []
        self.held: list[tuple[str, JobFinish]] = []
        self.last = ALIKE[0]
        for name in ("a", "A"):
            kinds = (*MemoryKind, MemoryKind.EXPERIENCE, MemoryKind.EXPERIENCE, MemoryKind.FACT)
            self.do(changes(*(MAKERS[kind](id=self.ids(), namespace=name) for kind in kinds)))

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    def memories(self, name: str) -> list[Memory]:
        """What the model holds, oldest first."""
        return sorted(found(self.model, name), key=lambda item: item.id)

    def pick(self, name: str, which: int) -> Memory | None:
        """One of the memories of a namespace."""
        there = self.memories(name)
        return there[which % len(there)] if there else None

    def do(self, action: Changes) -> Receipt | None:
        """Apply an action to both, with the same outcome."""
        self.last = action.namespace
        expected = _outcome(self.model, action)
        assert _comparable(_outcome(self.store, action)) == _comparable(expected)
        return expected if isinstance(expected, Receipt) else None

    def now(self) -> Any:
        """A later time at every step."""
        return at(next(self.ticks))

    @rule(name=names, kinds=st.lists(st.sampled_from(MemoryKind), min_size=1, max_size=3), task=st.booleans())
    def create(self, name: str, kinds: list[MemoryKind], task: bool) -> None:
        new = []
        for index, kind in enumerate(kinds):
            own: dict[str, Any] = {"task_id": "shared"} if task else {}
            if kind is MemoryKind.EXPERIENCE:
                own["result"] = list(Result)[index]
            new.append(MAKERS[kind](id=self.ids(), namespace=name, occurred_at=self.now(), **own))
        action = changes(*new, requests=(request(f"k{next(self.ticks)}", new[0]),))
        self.do(action)
        self.sent.append(action)

    @rule(name=names, which=few, tight=st.booleans())
    def join(self, name: str, which: list[int], tight: bool) -> None:
        there = self.memories(name)
        pairs = [(a, b) for a in there for b in there if a is not b and (a.kind, b.kind) in JOINS]
        if pairs:
            edges = tuple(self.edge(*pairs[index * 7 % len(pairs)]) for index in which)
            patterns = {item.id: tight for item in there if isinstance(item, Pattern)}
            self.do(changes(namespace=name, edges=edges, tight=patterns))

    def edge(self, source: Memory, target: Memory) -> Edge:
        """An edge with evidence of its own, of the kind that fits the ends or of none that does."""
        joined = JOINS.get((source.kind, target.kind), caused)
        given = {"evidence": (evidence(note=str(next(self.ticks))),)} if joined is caused else {}
        return joined(source, target, recorded_at=self.now(), **given)

    @rule(name=names, other=names, first=picks, second=picks)
    def create_and_join(self, name: str, other: str, first: int, second: int) -> None:
        """A new failure with an edge to whatever there is, here or in another namespace."""
        target, source = self.pick(other, first), self.pick(name, second)
        new = experience(id=self.ids(), namespace=name, occurred_at=self.now(), result=Result.FAILURE)
        edges = [self.edge(new, target)] if target else []
        if source and isinstance(source, Pattern):
            edges.append(self.edge(source, new))
        action = changes(new, edges=tuple(edges), requests=(request(f"j{next(self.ticks)}", new),))
        self.do(action)
        self.sent.append(action)

    @rule(name=names, which=picks, kind=st.sampled_from(VerdictKind))
    def review(self, name: str, which: int, kind: VerdictKind) -> None:
        edges = [edge for edge in edges_of(self.model, name) if hasattr(edge, "verdicts")]
        if edges:
            edge = edges[which % len(edges)]
            added = (verdict(kind, next(self.ticks)),)
            self.do(changes(namespace=name, edges=(replace(edge, verdicts=added, evidence=()),)))

    @rule(name=names, which=few, state=st.sampled_from(State), stale=st.integers(0, 9))
    def update(self, name: str, which: list[int], state: State, stale: int) -> None:
        there = {item.id: item for index in which if (item := self.pick(name, index))}
        updates = [
            changed(item, state=state, tags=(f"t{next(self.ticks)}",), task_id=f"task {which[0] % 3}")
            for item in there.values()
        ]
        if stale == 0:
            updates = [replace(item, expected_version=item.expected_version + 1) for item in updates]
        self.do(changes(namespace=name, update=tuple(updates)))

    @rule(name=names, which=few.filter(lambda which: max(which) > 25))
    def erase(self, name: str, which: list[int]) -> None:
        doomed = {item.id for index in which[:2] if (item := self.pick(name, index))}
        self.do(changes(namespace=name, erase=(*sorted(doomed), new_id())))

    @rule(name=names, which=picks, kind=st.sampled_from(NOTED))
    def note(self, name: str, which: int, kind: RecordKind) -> None:
        about = self.pick(name, which)
        kept = record(kind, id=self.ids(), at=self.now(), subject=about.id if about else "")
        work = job(id=self.ids(), created_at=self.now(), subject=kept.subject)
        self.do(changes(namespace=name, records=(kept,), jobs=(work,), parameters_version=which))

    @rule(name=names)
    def claim(self, name: str) -> None:
        now = self.now()
        held = self.model.claim(name, JobKind.ANALYSE, "w", now, LEASE)
        assert self.store.claim(name, JobKind.ANALYSE, "w", now, LEASE) == held
        if held is not None:
            end = JobFinish(job_id=held.id, owner="w", attempt=held.attempt, state=JobState.DONE)
            self.held.append((name, end))

    @precondition(lambda self: self.held)
    @rule(which=picks)
    def finish(self, which: int) -> None:
        name, end = self.held[which % len(self.held)]
        new = fact(id=self.ids(), namespace=name)
        self.do(changes(new, finish=end))

    @precondition(lambda self: self.sent)
    @rule(which=picks, other=st.booleans(), name=st.none() | names)
    def retry(self, which: int, other: bool, name: str | None) -> None:
        """Send a key again: as it was, with another payload, or into another namespace."""
        first = self.sent[which % len(self.sent)]
        new = fact(id=self.ids(), namespace=name or first.namespace)
        payload = "other" if other else first.requests[0].payload_hash
        self.do(changes(new, requests=(request(first.requests[0].key, new, payload),)))

    @precondition(lambda self: self.sent)
    @rule(which=picks)
    def forget(self, which: int) -> None:
        """Erase what a key made, and send the key again."""
        first = self.sent[which % len(self.sent)]
        self.do(changes(namespace=first.namespace, erase=(first.create[0].id,)))
        self.do(replace(first, create=(replace(first.create[0], id=self.ids()),), edges=()))

    @rule(name=names, limit=st.integers(1, 3))
    def read_on(self, name: str, limit: int) -> None:
        self.readers[name].step(limit)

    @invariant()
    def the_stores_agree(self) -> None:
        for name in ALIKE:
            there, here = self.store.state(name), self.model.state(name)
            assert (there.revision, there.parameters_version) == (here.revision, here.parameters_version)
            assert counts(self.store, name) == counts(self.model, name)
        assert list(self.store.namespaces().items()) == list(self.model.namespaces().items())
        name = self.last
        assert _plain(found(self.store, name)) == _plain(found(self.model, name))
        assert by_ends(edges_of(self.store, name)) == by_ends(edges_of(self.model, name))
        for kind in set(RecordKind) - {RecordKind.VERSION, RecordKind.TRANSITION}:
            assert records_of(self.store, kind, name) == records_of(self.model, kind, name)
        for kind in (RecordKind.VERSION, RecordKind.TRANSITION):
            subjects = [
                [item.subject for item in records_of(s, kind, name)] for s in (self.store, self.model)
            ]
            assert sorted(subjects[0]) == sorted(subjects[1])

    @invariant()
    def the_feed_tells_all(self) -> None:
        name = self.last
        whole = Reader(self.store, name).catch_up(1000)
        slow = replace(self.readers[name], rows=dict(self.readers[name].rows)).catch_up(2)
        assert slow.graph == whole.graph
        assert whole.digest == self.store.state(name).graph_digest
        feed = self.model.changes_since(name, Cursor(), 1000)
        assert sorted(whole.rows) == sorted(row.memory.id for row in feed.rows)
        assert whole.tombstones == set(feed.tombstones)


def _outcome(store: Any, action: Changes) -> Receipt | type[GraphmemError]:
    try:
        return store.apply(action)
    except GraphmemError as error:
        return type(error)


def _comparable(outcome: Receipt | type[GraphmemError]) -> object:
    if isinstance(outcome, type):
        return outcome
    return outcome.revision, outcome.created, _plain(outcome.memories), outcome.receipts


def _plain(memories: Any) -> list[Memory]:
    """Memories without what the port leaves open: when a pattern was seen."""
    return [
        replace(item, first_seen=None, last_seen=None) if isinstance(item, Pattern) else item
        for item in memories
    ]


@pytest.mark.parametrize("name", parameters(REAL, FOR_HOURS))
def test_random_histories(name: str) -> None:
    """After every step of a random history the store and the model hold and answer the same."""
    compare(REAL[name], FEW_HISTORIES.get(name, MAX_EXAMPLES))


def compare(open_store: OpenStore, examples: int, *, shrink: bool = True) -> None:
    """Run random histories on a store and the model."""
    run_state_machine_as_test(
        type("Machine", (Histories,), {"open_store": staticmethod(open_store)}),
        settings=settings(
            max_examples=examples,
            stateful_step_count=STEPS,
            deadline=None,
            derandomize=True,
            phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        ),
    )
