"""What to know at the start of a task."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from graphmem.analysis.fusion import KEY_BONUS
from graphmem.analysis.holdout import Listing
from graphmem.domain.answers import Brief, Hit, LikelyFailure, Recollection, Strength
from graphmem.domain.drafts import Question, SituationKeys
from graphmem.domain.memories import Memory, MemoryKind, Pattern, Strategy
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import Header
from graphmem.ports.store import MemoryStore
from graphmem.services.intake import Clock
from graphmem.services.lessons_over import lessons_over
from graphmem.services.recall import Recall
from graphmem.services.saying import is_silenced
from graphmem.services.served import Served
from graphmem.services.wording import is_in_force

MAX_LIKELY = 5
WORTH = 0.005
"""Least relevance of what a brief lists: below it stands as 0.00, and is no nearer than chance."""


COMPARABLE = "learnt from comparable work"
"""Why a lesson is listed whose words are not those of the task."""


class BriefTask:
    """The recollection for a task, and which failures are likely in comparable work."""

    def __init__(
        self, store: MemoryStore, indexes: IndexSet, recall: Recall, served: Served, clock: Clock
    ) -> None:
        self._store = store
        self._indexes = indexes
        self._recall = recall
        self._served = served
        self._clock = clock

    def brief(self, namespace: str, question: Question) -> Brief:
        """Likely failures are counted over the experiences that equal every given key; without keys over all.

        With keys it also lists the lessons that those failures taught, whether or not the words of the task are theirs:
        no input is known yet that could tell which of them matters. What the hold-out withholds from the session is
        not counted; a kind whose example it withholds is left out. Raises as Recall.ask.
        """
        recollection = self._recall.ask(namespace, question, worth=WORTH)
        n, failures = self._comparable(namespace, question.keys)
        likely = self._likely(namespace, question, n, failures)
        if question.keys == SituationKeys():
            return Brief(recollection=recollection, likely_failures=likely)
        alike = [header for item in likely for header in failures[item.error_type]]
        whole = self._with_lessons(namespace, question, recollection, alike)
        return Brief(recollection=whole, likely_failures=likely)

    def _with_lessons(
        self, namespace: str, question: Question, found: Recollection, alike: Sequence[Header]
    ) -> Recollection:
        patterns, strategies = self._lessons(namespace, question.session_id, alike)
        in_force = [item for item in strategies if is_in_force(item)]
        with self._indexes.current(namespace) as index:
            told = {header.id for item in in_force for header in index.mirror.specifics(item.id)}
        whole = replace(
            found,
            patterns=_joined(question, MemoryKind.PATTERN, found.patterns, patterns),
            strategies=_joined(question, MemoryKind.STRATEGY, found.strategies, in_force),
            taught=tuple(item for item in patterns if item.id not in told)[: question.limit],
        )
        shown = [hit.memory.id for hit in (*whole.patterns, *whole.strategies)]
        self._served.note(namespace, question.session_id, [*shown, *(item.id for item in whole.taught)])
        return whole

    def _lessons(
        self, namespace: str, session_id: str, alike: Sequence[Header]
    ) -> tuple[tuple[Pattern, ...], tuple[Strategy, ...]]:
        """What failures taught that may be said to the session: nothing that is settled, muted, old or withheld."""
        now = self._clock()
        with self._indexes.current(namespace) as index:
            said = [
                header.id
                for header in alike
                if not self._served.hides(session_id, _lineage(header))
                and not is_silenced(index.mirror, header.id, now, None)
            ]
            generals = {name: index.mirror.generals(name) for name in said}
            over = {name for names in generals.values() for name in names}
            generals |= {name: index.mirror.generals(name) for name in over}
        held = self._store.get(
            namespace, sorted({name for names in generals.values() for name in names}), vectors=False
        )
        return lessons_over(said, generals, held)

    def _likely(
        self, namespace: str, question: Question, n: int, failures: Mapping[str, list[Header]]
    ) -> tuple[LikelyFailure, ...]:
        top = Counter({name: len(alike) for name, alike in failures.items()}).most_common(MAX_LIKELY)
        newest = {name: max(failures[name], key=_by_time) for name, _ in top}
        memories = self._store.get(namespace, [header.id for header in newest.values()], vectors=False)
        listed = {name: header for name, header in newest.items() if header.id in memories}
        places = {_lineage(one): Listing(one.id, Strength.BACKGROUND) for one in listed.values()}
        hidden = self._served.expose(namespace, question, places)
        shown = {
            name: memories[header.id] for name, header in listed.items() if _lineage(header) not in hidden
        }
        self._served.note(namespace, question.session_id, [memory.id for memory in shown.values()])
        return tuple(
            self._counted(question, name, example, failures[name], n) for name, example in shown.items()
        )

    def _comparable(self, namespace: str, keys: SituationKeys) -> tuple[int, dict[str, list[Header]]]:
        """How many experiences are comparable, and those that failed by error class."""
        failures: dict[str, list[Header]] = defaultdict(list)
        n = 0
        with self._indexes.current(namespace) as index:
            for header in index.mirror.experiences():
                if not _equal(header, keys):
                    continue
                n += 1
                if header.is_failure and header.error_class:
                    failures[header.error_class].append(header)
        return n, failures

    def _counted(
        self, question: Question, name: str, example: Memory, failures: list[Header], n: int
    ) -> LikelyFailure:
        hides = {
            lineage: self._served.hides(question.session_id, lineage) for lineage in map(_lineage, failures)
        }
        withheld = sum(hides[_lineage(header)] for header in failures)
        return LikelyFailure(error_type=name, count=len(failures) - withheld, n=n - withheld, example=example)


def _joined(
    question: Question, kind: MemoryKind, hits: tuple[Hit, ...], lessons: Iterable[Pattern | Strategy]
) -> tuple[Hit, ...]:
    """What was found by its words, then lessons of comparable work, as many as a list may hold."""
    if question.kinds and kind not in question.kinds:
        return hits
    known = {hit.memory.id for hit in hits}
    more = [
        Hit(memory=lesson, relevance=KEY_BONUS, lexical_score=0.0, similarity=None, decay=1.0, why=COMPARABLE)
        for lesson in lessons
        if lesson.id not in known
    ]
    return (*hits, *more)[: question.limit]


def _lineage(header: Header) -> str:
    return header.cluster_id or header.id


def _by_time(header: Header) -> tuple[object, str]:
    return header.occurred_at, header.id


def _equal(header: Header, keys: SituationKeys) -> bool:
    wanted = ((keys.agent, header.agent), (keys.tool, header.tool), (keys.task_type, header.task_type))
    return all(not value or value == own for value, own in wanted)
