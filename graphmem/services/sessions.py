"""What a session says itself: how a reminder was taken, and that it is over."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from graphmem.analysis.redaction import redact
from graphmem.domain.encoding import decode, encode
from graphmem.domain.errors import NotFoundError
from graphmem.domain.records import Record, RecordKind
from graphmem.domain.recurrence import Exposure, ReminderAnswer, SessionEnd, exposure_id
from graphmem.domain.rules import MAX_SHORT, check_namespace, check_required, check_text
from graphmem.ports.queries import PageRequest, RecordSelection, Selection, pages
from graphmem.ports.store import MemoryStore
from graphmem.services.intake import Clock
from graphmem.services.notebook import Notebook

ANSWERABLE = timedelta(days=30)
"""How long after its exposure a reminder can be answered, in whatever process."""
_PAGE = 500


class Sessions:
    """answerReminder and endSession. Both can be repeated."""

    def __init__(self, store: MemoryStore, notebook: Notebook, clock: Clock) -> None:
        self._store = store
        self._notebook = notebook
        self._clock = clock

    def answer(self, namespace: str, given: ReminderAnswer) -> Exposure:
        """Note what an agent says of a reminder; a later answer takes the place of an earlier one.

        Raises NotFoundError for an exposure that is not there, was withheld, or is older than ANSWERABLE,
        BadInputError, TooLargeError, UnavailableError.
        """
        check_namespace(namespace)
        check_required("exposure_id", given.exposure_id, MAX_SHORT)
        note = redact(check_text("note", given.note)).text
        exposure = self._exposure(namespace, given.exposure_id)
        if exposure is None or not exposure.shown:
            raise NotFoundError(
                "nothing was said under this id",
                field="exposure_id",
                remedy="use the exposure id that came with a reminder",
            )
        if (exposure.answer, exposure.note) == (given.answer, note):
            return exposure
        answered = replace(exposure, answer=given.answer, note=note, answered_at=self._clock())
        self._notebook.put(namespace, answered)
        return answered

    def end(self, namespace: str, session_id: str) -> SessionEnd:
        """Say that a session is over, so that its exposures are decided; the first call counts.

        Raises NotFoundError for a session that neither wrote nor asked anything, BadInputError, TooLargeError,
        UnavailableError.
        """
        check_namespace(namespace)
        check_required("id", session_id, MAX_SHORT)
        self._notebook.flush()
        end = SessionEnd(session_id=session_id, at=self._clock())
        record = Record(
            kind=RecordKind.EXPOSURE,
            id=f"end:{exposure_id(session_id, '')}",
            at=end.at,
            subject=session_id,
            body=encode(end),
        )
        about = RecordSelection(subject=session_id)
        ends = self._store.records(namespace, RecordKind.EXPOSURE, about, PageRequest(first=_PAGE)).items
        for old in ends:
            if old.id == record.id:
                return replace(decode(SessionEnd, old.body), already=True)
        if not self._is_known(namespace, session_id):
            raise NotFoundError(
                "this session neither wrote nor asked anything here",
                field="id",
                remedy="give the session id that was sent with its calls",
            )
        self._notebook.write(namespace, record)
        return end

    def _exposure(self, namespace: str, wanted: str) -> Exposure | None:
        self._notebook.flush()
        known = self._notebook.known(namespace, wanted)
        if known is not None:
            return self._notebook.stored(namespace, known)
        selection, first = RecordSelection(since=self._clock() - ANSWERABLE), PageRequest(first=_PAGE)
        found = pages(
            lambda page: self._store.records(namespace, RecordKind.EXPOSURE, selection, page), first
        )
        for page in found:
            for record in page.items:
                if record.id == wanted and "lineage" in record.body:
                    return decode(Exposure, record.body)
        return None

    def _is_known(self, namespace: str, session_id: str) -> bool:
        one = PageRequest(first=1)
        if self._store.find(namespace, Selection(session_id=session_id), one).items:
            return True
        about = RecordSelection(subject=session_id)
        return bool(self._store.records(namespace, RecordKind.SERVED, about, one).items)
