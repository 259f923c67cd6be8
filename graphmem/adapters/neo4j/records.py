"""Nodes of service records: written over the one of the same kind and id, read in pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphmem.adapters.neo4j import paging
from graphmem.adapters.neo4j.action import Action
from graphmem.adapters.neo4j.server import Session
from graphmem.adapters.neo4j.service_nodes import (
    erasure_from,
    job_record_from,
    record_from,
    record_properties,
    request_from,
)
from graphmem.adapters.neo4j.values import EARLIEST, instant, unsigned
from graphmem.domain.records import LISTED_ONLY, JobKind, Record, RecordKind
from graphmem.ports.queries import Page, PageRequest, RecordSelection

_LIST = "records"
_Read = Callable[[Mapping[str, Any]], Record | None]

_OWN: tuple[str, str, _Read] = ("read/records", "read/records-about", record_from)
_LISTED: Mapping[RecordKind, tuple[str, str, _Read]] = {
    RecordKind.REQUEST: ("read/requests", "read/requests-about", request_from),
    RecordKind.ERASURE: ("read/erasures", "", erasure_from),
    RecordKind.JOB: ("read/jobs", "read/jobs-about", job_record_from),
}
"""What lists the kinds that have nodes of their own: all of them, those about a subject, and how one is read."""


def note(action: Action, record: Record) -> None:
    """Let the action write a record over the one of its kind and id."""
    action.records[record.kind, record.id] = record


def drop(action: Action, named: Sequence[tuple[RecordKind, str]]) -> None:
    """Remove records by kind and id; unknown ones are ignored."""
    for kind in sorted({kind for kind, _ in named}):
        ids = sorted({id for other, id in named if other is kind})
        for row in action.session.run(
            "write/drop-records", namespace=action.namespace, kind=kind.value, ids=ids
        ):
            action.ledger.count_record(unsigned(row["digest"]), times=-1)


def put(action: Action) -> None:
    """Write the noted records."""
    rows = [record_properties(action.namespace, record) for record in action.records.values()]
    if not rows:
        return
    replaced = action.session.run("write/put-records", namespace=action.namespace, rows=rows)
    for old in replaced:
        action.ledger.count_record(unsigned(old["digest"]), times=-1)
    for new in rows:
        action.ledger.count_record(unsigned(new["digest"]))


def find(
    session: Session, namespace: str, kind: RecordKind, selection: RecordSelection, page: PageRequest
) -> Page[Record]:
    """One page of the records of a kind that fulfil the selection, oldest first."""
    at, id = paging.start(page, _LIST, ids=1) or (EARLIEST, "")
    since = instant("since", selection.since) if selection.since else EARLIEST
    asked = {
        "namespace": namespace,
        "kind": kind.value,
        "since": max(since, at),
        "after_at": at,
        "after_id": id,
        "limit": page.first + 1,
    }
    whole, about, read = _LISTED.get(kind, _OWN)
    if kind in LISTED_ONLY:
        del asked["kind"]
    if selection.open_jobs:
        rows = session.run("read/jobs-open", **asked, open_jobs=selection.open_jobs.value)
    elif selection.failed_jobs:
        rows = session.run("read/jobs-failed", **asked, kinds=[kind.value for kind in JobKind])
    elif selection.newest:
        rows = session.run("read/record-newest", namespace=namespace, kind=kind.value, since=since)
    elif not selection.about:
        rows = session.run(whole, **asked)
    else:
        rows = session.run(about, **asked, subjects=list(selection.about)) if about else []
    return paging.cut(
        [(paging.place(row["at"], row["id"]), read(row["record"])) for row in rows], page, _LIST
    )
