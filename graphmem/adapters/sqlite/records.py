"""Rows of service records: written over the one of the same kind and id, read in pages."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from graphmem.adapters.sqlite import jobs, paging, requests
from graphmem.adapters.sqlite.action import Action
from graphmem.adapters.sqlite.rows import listed, micros, readable, signed, storable, unsigned
from graphmem.domain.encoding import canonical, decode, digest, encode
from graphmem.domain.records import Record, RecordKind
from graphmem.ports.queries import Page, PageRequest, RecordSelection

_LOAD_DIGEST = "SELECT digest FROM records WHERE namespace = ? AND kind = ? AND id = ?"
_PUT = """
INSERT INTO records (namespace, kind, id, at, subject, digest, body) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (namespace, kind, id) DO UPDATE SET
    at = excluded.at, subject = excluded.subject, digest = excluded.digest, body = excluded.body
"""
_DROP = """
DELETE FROM records WHERE namespace = ? AND kind = ? AND id IN (SELECT value FROM json_each(?)) RETURNING digest
"""
_DIGESTS_ABOUT = """
SELECT digest FROM records
WHERE namespace = ? AND subject <> '' AND subject IN (SELECT value FROM json_each(?)) AND kind <> 'AUDIT'
"""
_DROP_ABOUT = """
DELETE FROM records
WHERE namespace = ? AND subject <> '' AND subject IN (SELECT value FROM json_each(?)) AND kind <> 'AUDIT'
"""
_COUNT_ABOUT = (
    "SELECT count(*) FROM records WHERE namespace = ? AND kind = ? AND subject <> '' AND subject = ?"
)
_PAGE = """
SELECT at, id, body FROM records WHERE namespace = :namespace AND kind = :kind AND at >= :since
AND (at, id) > (:at, :id) ORDER BY at, id LIMIT :limit
"""
_PAGE_ABOUT = """
SELECT at, id, body FROM records WHERE namespace = :namespace AND kind = :kind AND at >= :since
AND subject <> '' AND subject IN (SELECT value FROM json_each(:about)) AND (at, id) > (:at, :id)
ORDER BY at, id LIMIT :limit
"""
_NEWEST = """
SELECT at, id, body FROM records WHERE namespace = :namespace AND kind = :kind AND at >= :since
ORDER BY at DESC, id DESC LIMIT 1
"""
_LIST = "records"


def put(action: Action, record: Record) -> None:
    """Write a record over the one of its kind and id. AUDIT counts into no digest, so its own is 0."""
    with storable("record"):
        body = canonical(encode(record))
        weight = 0 if record.kind is RecordKind.AUDIT else digest(body)
        place = action.namespace, record.kind, record.id
        old = action.connection.execute(_LOAD_DIGEST, place).fetchone()
        row = (*place, micros("at", record.at), record.subject, signed(weight), body)
        action.connection.execute(_PUT, row)
    if old is not None:
        action.ledger.count_record(unsigned(old[0]), times=-1)
    action.ledger.count_record(weight)


def drop(action: Action, named: Sequence[tuple[RecordKind, str]]) -> None:
    """Remove records by kind and id; unknown ones are ignored."""
    for kind in sorted({kind for kind, _ in named}):
        ids = listed(id for other, id in named if other is kind)
        for (weight,) in action.connection.execute(_DROP, (action.namespace, kind, ids)).fetchall():
            action.ledger.count_record(unsigned(weight), times=-1)


def drop_about(action: Action, subjects: Iterable[str]) -> None:
    """Remove all records about the subjects, AUDIT excepted."""
    about = action.namespace, listed(subjects)
    for (weight,) in action.connection.execute(_DIGESTS_ABOUT, about):
        action.ledger.count_record(unsigned(weight), times=-1)
    action.connection.execute(_DROP_ABOUT, about)


def count_about(action: Action, kind: RecordKind, subject: str) -> int:
    """How many records of a kind are about the subject."""
    row = action.connection.execute(_COUNT_ABOUT, (action.namespace, kind, subject)).fetchone()
    return int(row[0])


def find(
    connection: sqlite3.Connection,
    namespace: str,
    kind: RecordKind,
    selection: RecordSelection,
    page: PageRequest,
) -> Page[Record]:
    """One page of the records of a kind that fulfil the selection, oldest first."""
    at, id = paging.start(page, _LIST, ids=1) or (paging.BEFORE_ALL, "")
    asked = {
        "namespace": namespace,
        "kind": kind,
        "about": listed(selection.about),
        "open_jobs": selection.open_jobs,
        "since": micros("since", selection.since) if selection.since else paging.BEFORE_ALL,
        "at": at,
        "id": id,
        "limit": page.first + 1,
    }
    whole, about, read = _LISTED.get(kind, (_PAGE, _PAGE_ABOUT, _record))
    if selection.open_jobs:
        whole = jobs.PAGE_OPEN
    elif selection.failed_jobs:
        whole = jobs.PAGE_FAILED
    elif selection.newest:
        whole = _NEWEST
    rows = connection.execute(about if selection.about else whole, asked)
    return paging.cut([(row[:2], readable(read, row)) for row in rows], page, _LIST)


def _record(row: tuple[int, str, str]) -> Record:
    return decode(Record, json.loads(row[2]))


_LISTED: Mapping[RecordKind, tuple[str, str, Callable[[Any], Record]]] = {
    RecordKind.REQUEST: (requests.PAGE, requests.PAGE_ABOUT, requests.as_request),
    RecordKind.ERASURE: (requests.ERASED_PAGE, requests.ERASED_PAGE, requests.as_erasure),
    RecordKind.JOB: (jobs.PAGE, jobs.PAGE_ABOUT, jobs.as_record),
}
"""What lists the kinds that have tables of their own: all of them, those about a subject, and how a row is read.
Each row begins with its place: the time and the id."""
