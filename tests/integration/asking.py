"""Every way to write and to read through the services and through GraphQL, for tests of what an outage does to them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import pytest

from graphmem.domain.causation import VerdictKind
from graphmem.domain.drafts import CauseLink, CauseRef, CauseReview, ExperienceDraft, MemoryUpdate, Question
from graphmem.domain.errors import UnavailableError
from graphmem.domain.memories import Result
from graphmem.ports.queries import PageRequest, Selection
from graphmem.queries import graphql_operation
from graphmem.wiring import Services
from tests.contract.reading import at_once
from tests.services import asked, failed, remembered
from tests.unit.entrypoints.graphql.door import Door

_T = TypeVar("_T")
Verb = Callable[[Services, str], Any]
PROMISED_S = 10.0
"""Every call ends within it, whatever the server does."""


def begin(services: Services, namespace: str) -> None:
    """A fact, a failure that it caused, and one without a cause: what the verbs below speak of."""
    because = (CauseRef(id="F-1"),)
    until_it_works(lambda: remembered(services, "the disk is full", namespace, key="1"))
    until_it_works(
        lambda: failed(services, "copy the file", namespace, key="2", task_id="t", caused_by=because)
    )
    until_it_works(lambda: failed(services, "copy it again", namespace, key="3", task_id="t"))


def _many(services: Services, namespace: str) -> Any:
    return services.remember.many(namespace, [ExperienceDraft(action="many", result=Result.FAILURE, key="m")])


WRITES: Mapping[str, Verb] = {
    "fact": lambda s, ns: remembered(s, "a new fact", ns, key="f"),
    "experience": lambda s, ns: failed(s, "a new one", ns, key="e", caused_by=(CauseRef(id="F-1"),)),
    "many": _many,
    "update": lambda s, ns: s.revise.update(ns, MemoryUpdate(id="F-1", add_tags=("seen",))),
    "link": lambda s, ns: s.link.link(ns, CauseLink(effect="E-2", cause=CauseRef(id="E-1"))),
    "review": lambda s, ns: s.link.review(
        ns, CauseReview(effect="E-1", cause="F-1", verdict=VerdictKind.CONFIRM)
    ),
    "forget": lambda s, ns: s.forget.forget(ns, "E-2"),
    "repair": lambda s, ns: s.maintain.embed_pending(ns),
}
READS: Mapping[str, Verb] = {
    "ask": lambda s, ns: asked(s, "the disk", ns),
    "brief": lambda s, ns: s.brief.brief(ns, Question(situation="the disk")),
    "explain": lambda s, ns: s.explain.explain(ns, "E-1"),
    "impact": lambda s, ns: s.explain.impact(ns, "F-1"),
    "suggest": lambda s, ns: s.link.suggest(ns, "E-2"),
    "memory": lambda s, ns: s.browse.memory(ns, "F-1"),
    "memories": lambda s, ns: s.browse.memories(ns, Selection(), PageRequest()),
    "status": lambda s, ns: s.inspect.status(ns),
    "doctor": lambda s, ns: s.inspect.doctor(ns, None, s.recall),
    "export": lambda s, ns: list(s.transfer.export(ns)),
    "plan": lambda s, ns: s.forget.forget(ns, "F-1", dry_run=True),
}
OPERATIONS: Mapping[str, dict[str, Any]] = {
    "remember_fact": {"input": {"statement": "through the door", "key": "d"}},
    "record_experience": {"input": {"action": "through the door", "result": "FAILURE", "key": "x"}},
    "recall": {"situation": "the disk"},
    "explain": {"id": "E-1"},
    "memory": {"id": "F-1"},
    "memories": {},
    "status": {},
}


def all_are_refused(services: Services, namespace: str, door: Door) -> None:
    """All verbs at once, through the services and over GraphQL: each says UNAVAILABLE and what to do, in time."""
    verbs = [partial(verb, services, namespace) for verb in (*WRITES.values(), *READS.values())]
    calls = [partial(refused, verb) for verb in verbs]
    calls += [partial(refused_over_graphql, door, name, namespace) for name in OPERATIONS]
    at_once(lambda number: calls[number](), len(calls), threads=len(calls))


def refused(call: Callable[[], object]) -> None:
    """The call raises UnavailableError in time, with what to do."""
    began = time.monotonic()
    with pytest.raises(UnavailableError) as refusal:
        call()
    assert time.monotonic() - began <= PROMISED_S
    assert refusal.value.remedy


def answer_or_refusal(call: Callable[[], _T]) -> _T | UnavailableError:
    """What the call answers, or that the store could not."""
    try:
        return call()
    except UnavailableError as refusal:
        return refusal


def refused_over_graphql(door: Door, name: str, namespace: str) -> None:
    """The operation is answered in time with status 503 and the code, and no data that could be taken for an answer."""
    began = time.monotonic()
    answer = door.ask(graphql_operation(name), namespace, **OPERATIONS[name])
    assert time.monotonic() - began <= PROMISED_S
    assert (answer.status, answer.code, answer.data) == (503, "UNAVAILABLE", None), answer
    assert answer.errors[0]["extensions"]["remedy"]


def all_are_answered(services: Services, namespace: str, door: Door) -> None:
    """The same process answers again, with what was there before."""
    until_it_works(lambda: asked(services, "the disk", namespace))
    for verb in READS.values():
        verb(services, namespace)
    assert asked(services, "the disk", namespace).facts[0].memory.ref == "F-1"
    assert door.run("recall", namespace, situation="the disk")["facts"][0]["memory"]["ref"] == "F-1"
    assert [item.ref for item in services.explain.explain(namespace, "E-1").nodes] == ["E-1", "F-1"]


def until_it_works(call: Callable[[], _T], tries: int = 20) -> _T:
    """What the call answers in the end: a server that comes back needs a moment, its first writes the longest."""
    for _ in range(tries):
        answer = answer_or_refusal(call)
        if not isinstance(answer, UnavailableError):
            return answer
        time.sleep(0.3)
    pytest.fail("it did not come back")
