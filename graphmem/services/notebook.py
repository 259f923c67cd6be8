"""What an answer leaves to be written: noted at once in memory, written a little later, never in the answer's way."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from threading import Event, Lock, Thread
from typing import TypeVar

from graphmem.domain.encoding import decode, encode
from graphmem.domain.errors import GraphmemError
from graphmem.domain.records import Record, RecordKind
from graphmem.domain.recurrence import Exposure, united
from graphmem.domain.words import filled
from graphmem.ports.changes import Changes
from graphmem.ports.queries import PageRequest, RecordSelection, pages
from graphmem.ports.store import MemoryStore
from graphmem.services.intake import Clock

INTERVAL_S = 1.0
"""Seconds that a row waits at most, while the store answers."""
BATCH = 200
"""Rows that are written at once, and from which on nobody waits for the interval."""
MOST_WAITING = 2_000
"""Rows that wait at most; what comes on top while the store is away is lost, and counted."""
_REMEMBERED = 10_000
"""Exposures that are remembered so as not to be noted twice."""
_PAGE = 500
_PAGES = 20
_BEFORE = timedelta(days=2)
"""How much earlier another process may have noted an exposure of a session that goes on."""

_T = TypeVar("_T")
_Key = tuple[str, str]
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Row:
    namespace: str
    session_id: str
    record: Record


class Notebook:
    """A bounded buffer of exposures and other records. Safe to use from several threads."""

    def __init__(self, store: MemoryStore, clock: Clock, interval_s: float = INTERVAL_S) -> None:
        self._store = store
        self._clock = clock
        self._interval_s = interval_s
        self._lock = Lock()
        self._writing = Lock()
        self._exposures: dict[_Key, Exposure] = {}
        self._rows: list[_Row] = []
        self._in_hand: set[_Key] = set()
        self._held = 0
        self._known: OrderedDict[_Key, Exposure] = OrderedDict()
        self._lost = 0
        self._some, self._many = Event(), Event()
        self._closed = False
        self._thread: Thread | None = None

    def note(self, namespace: str, exposure: Exposure) -> None:
        """Let an exposure be written; one that was noted before is united with it."""
        key = namespace, exposure.id
        with self._lock:
            old = self._known.get(key)
            new = exposure if old is None else united(old, exposure)
            if new == old:
                self._known.move_to_end(key)
            elif key in self._exposures or self._has_room():
                self._exposures[key] = new
                remember(self._known, key, new, _REMEMBERED)

    def add(self, namespace: str, session_id: str, record: Record) -> None:
        """Let a record about a session be written."""
        with self._lock:
            if self._has_room():
                self._rows.append(_Row(namespace, session_id, record))

    def known(self, namespace: str, exposure_id: str) -> Exposure | None:
        """An exposure that was noted here and is still remembered."""
        with self._lock:
            return self._known.get((namespace, exposure_id))

    def write(self, namespace: str, record: Record) -> None:
        """Write a record now, after what waits. Raises UnavailableError."""
        self.flush()
        with self._writing:
            self._store.apply(Changes(namespace=namespace, at=self._clock(), records=(record,)))

    def put(self, namespace: str, exposure: Exposure) -> None:
        """Write an exposure now, as it is given. Raises UnavailableError."""
        self.write(namespace, exposure_record(exposure))
        with self._lock:
            remember(self._known, (namespace, exposure.id), exposure, _REMEMBERED)

    def before_write(self, namespace: str, sessions: Collection[str]) -> None:
        """Write what waits of these sessions: their exposures are to be there before what follows them."""
        with self._lock:
            waiting = {(space, one.session_id) for (space, _), one in self._exposures.items()}
            waiting |= {(row.namespace, row.session_id) for row in self._rows} | self._in_hand
        if any((namespace, session_id) in waiting for session_id in sessions):
            self.flush()

    def flush(self) -> None:
        """Write all that waits now; a store that does not answer keeps it waiting."""
        with self._writing:
            while True:
                exposures, rows = self._taken()
                if not exposures and not rows:
                    return
                try:
                    self._write(exposures, rows)
                except GraphmemError as error:
                    self._put_back(exposures, rows)
                    _log.warning("what was served could not be written yet: %s", error.code)
                    return
                finally:
                    self._let_go()

    def findings(self) -> tuple[str, ...]:
        """What an operator should know: rows that wait for the store, and rows that were lost."""
        with self._lock:
            waiting, lost = len(self._exposures) + len(self._rows) + self._held, self._lost
        texts = (
            (waiting, "{n} {n:note|notes} on what was served {n:waits|wait} to be written"),
            (lost, "{n} {n:note|notes} on what was served {n:was|were} lost while the store did not answer"),
        )
        return tuple(filled(text, n=number) for number, text in texts if number)

    def close(self) -> None:
        """Write what waits and end the thread; closing twice is harmless."""
        self._closed = True
        self._some.set()
        self._many.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self.flush()

    def _has_room(self) -> bool:
        """Whether one more row may wait; otherwise it is counted as lost. Rows in hand may come back, and wait as
        well. The lock is held.
        """
        waiting = len(self._exposures) + len(self._rows)
        if waiting + self._held >= MOST_WAITING:
            self._lost += 1
            return False
        self._some.set()
        if waiting + 1 >= BATCH:
            self._many.set()
        if self._thread is None and not self._closed:
            self._thread = Thread(target=self._run, name="graphmem-notebook", daemon=True)
            self._thread.start()
        return True

    def _run(self) -> None:
        while not self._closed:
            self._some.wait()
            self._many.wait(self._interval_s)
            self._some.clear()
            self._many.clear()
            if not self._closed:
                self.flush()

    def _taken(self) -> tuple[dict[_Key, Exposure], list[_Row]]:
        """What waits, at most BATCH rows of it, now in hand."""
        with self._lock:
            keys = list(self._exposures)[:BATCH]
            exposures = {key: self._exposures.pop(key) for key in keys}
            free = BATCH - len(keys)
            rows, self._rows = self._rows[:free], self._rows[free:]
            self._in_hand = {(key[0], exposure.session_id) for key, exposure in exposures.items()}
            self._in_hand |= {(row.namespace, row.session_id) for row in rows}
            self._held = len(exposures) + len(rows)
            return exposures, rows

    def _let_go(self) -> None:
        with self._lock:
            self._in_hand, self._held = set(), 0

    def _put_back(self, exposures: Mapping[_Key, Exposure], rows: Sequence[_Row]) -> None:
        with self._lock:
            for key, exposure in exposures.items():
                newer = self._exposures.get(key)
                self._exposures[key] = exposure if newer is None else united(exposure, newer)
            self._rows = [*rows, *self._rows]
            self._held = 0
            self._some.set()

    def _write(self, exposures: Mapping[_Key, Exposure], rows: Sequence[_Row]) -> None:
        for namespace in sorted({*(key[0] for key in exposures), *(row.namespace for row in rows)}):
            own = [exposure for key, exposure in exposures.items() if key[0] == namespace]
            records = [exposure_record(item) for item in self._united(namespace, own)]
            records += [row.record for row in rows if row.namespace == namespace]
            self._store.apply(Changes(namespace=namespace, at=self._clock(), records=tuple(records)))

    def _united(self, namespace: str, exposures: Iterable[Exposure]) -> list[Exposure]:
        """The exposures, each with what another process noted of it before, an answer perhaps."""
        return [
            new if (old := self.stored(namespace, new)) is None else united(old, new) for new in exposures
        ]

    def stored(self, namespace: str, exposure: Exposure) -> Exposure | None:
        """What the store holds of an exposure, None when it is not there (any more). Raises UnavailableError."""
        selection = RecordSelection(subject=exposure.lineage, since=exposure.at - _BEFORE)
        found = pages(
            lambda page: self._store.records(namespace, RecordKind.EXPOSURE, selection, page),
            PageRequest(first=_PAGE),
        )
        for page in islice(found, _PAGES):
            for record in page.items:
                if record.id == exposure.id:
                    return decode(Exposure, record.body)
        return None


def exposure_record(exposure: Exposure) -> Record:
    """An exposure as it is stored: about its lineage, so that it is forgotten with a lineage of one failure."""
    return Record(
        kind=RecordKind.EXPOSURE,
        id=exposure.id,
        at=exposure.at,
        subject=exposure.lineage,
        body=encode(exposure),
    )


def remember(table: OrderedDict[_Key, _T], key: _Key, value: _T, most: int) -> None:
    """Keep a value as the newest of so many."""
    table[key] = value
    table.move_to_end(key)
    while len(table) > most:
        table.popitem(last=False)
