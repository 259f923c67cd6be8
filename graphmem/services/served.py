"""What a session gets of an answer: what the coin withholds is taken out, and both are noted."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from threading import Lock

from graphmem.analysis.holdout import LineagesOf, Listing, listed, memories_of, without
from graphmem.domain.answers import Recollection, Strength
from graphmem.domain.drafts import Question
from graphmem.domain.records import Record, RecordKind
from graphmem.domain.recurrence import Exposure, exposure_id, withheld
from graphmem.services.intake import Clock, NewId
from graphmem.services.notebook import Notebook, remember
from graphmem.services.wording import reminder_text

_SESSIONS = 1_000
"""Sessions of which is remembered what they were served already."""


@dataclass(frozen=True, slots=True)
class Coin:
    """The hold-out: rate in [0, 1), and the seed that the draws depend on."""

    rate: float = 0.0
    seed: str = ""

    def hides(self, session_id: str, lineage: str) -> bool:
        """Whether a lineage is withheld from a session."""
        return withheld(self.seed, session_id, lineage, self.rate)


class Served:
    """Stands between an answer and its session. Asks no store; without a session it does nothing."""

    def __init__(self, notebook: Notebook, clock: Clock, new_id: NewId, coin: Coin) -> None:
        self._notebook = notebook
        self._clock = clock
        self._new_id = new_id
        self._coin = coin
        self._lock = Lock()
        self._told: OrderedDict[tuple[str, str], frozenset[str]] = OrderedDict()

    def answer(
        self, namespace: str, question: Question, found: Recollection, lineages_of: LineagesOf
    ) -> Recollection:
        """The answer without what the coin withholds, its reminders with their exposures."""
        session_id = question.session_id
        if not session_id:
            return found
        hidden = self.expose(namespace, question, listed(found, lineages_of))
        shown = without(found, lineages_of, hidden, reminder_text)
        self.note(namespace, session_id, memories_of(shown))
        reminders = tuple(
            replace(item, exposure_id=exposure_id(session_id, lineages_of(item.subject)[0]))
            for item in shown.reminders
        )
        return replace(shown, reminders=reminders)

    def expose(self, namespace: str, question: Question, places: Mapping[str, Listing]) -> frozenset[str]:
        """Note the lineages that would be listed; which of them are withheld."""
        session_id = question.session_id
        if not session_id or not places:
            return frozenset()
        at = self._clock()
        hidden = frozenset(lineage for lineage in places if self._coin.hides(session_id, lineage))
        for lineage, place in places.items():
            exposure = Exposure(
                id=exposure_id(session_id, lineage),
                session_id=session_id,
                lineage=lineage,
                memory_id=place.memory_id,
                at=at,
                shown=lineage not in hidden,
                rate=self._coin.rate,
                strength=place.strength,
                said_at=None if place.strength is Strength.BACKGROUND else at,
                task_id=question.task_id,
                look=place.look,
            )
            self._notebook.note(namespace, exposure)
        return hidden

    def hides(self, session_id: str, lineage: str) -> bool:
        """Whether a lineage is withheld from a session; nothing is from no session."""
        return bool(session_id) and self._coin.hides(session_id, lineage)

    def note(self, namespace: str, session_id: str, shown: Collection[str]) -> None:
        """Note what is shown to a session for the first time, and that it asked at all. The note is about the session,
        by which it is found again.
        """
        key = namespace, session_id
        with self._lock:
            told = self._told.get(key)
            fresh = [memory_id for memory_id in shown if memory_id not in (told or ())]
            if not session_id or (told is not None and not fresh):
                return
            remember(self._told, key, (told or frozenset()).union(fresh), _SESSIONS)
        at = self._clock()
        served = Record(
            kind=RecordKind.SERVED,
            id=self._new_id(at),
            at=at,
            subject=session_id,
            body={"memories": fresh},
        )
        self._notebook.add(namespace, session_id, served)
