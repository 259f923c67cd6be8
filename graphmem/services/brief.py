"""What to know at the start of a task."""

from __future__ import annotations

from collections import Counter, defaultdict

from graphmem.analysis.holdout import Listing
from graphmem.domain.answers import Brief, LikelyFailure, Strength
from graphmem.domain.drafts import Question, SituationKeys
from graphmem.domain.memories import Memory
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import Header
from graphmem.ports.store import MemoryStore
from graphmem.services.recall import Recall
from graphmem.services.served import Served

MAX_LIKELY = 5
WORTH = 0.005
"""Least relevance of what a brief lists: below it stands as 0.00, and is no nearer than chance."""


class BriefTask:
    """The recollection for a task, and which failures are likely in comparable work."""

    def __init__(self, store: MemoryStore, indexes: IndexSet, recall: Recall, served: Served) -> None:
        self._store = store
        self._indexes = indexes
        self._recall = recall
        self._served = served

    def brief(self, namespace: str, question: Question) -> Brief:
        """Likely failures are counted over the experiences that equal every given key; without keys over all.

        What the hold-out withholds from the session is not counted; a kind whose example it withholds is left out.
        Raises as Recall.ask.
        """
        recollection = self._recall.ask(namespace, question, worth=WORTH)
        return Brief(recollection=recollection, likely_failures=self._likely(namespace, question))

    def _likely(self, namespace: str, question: Question) -> tuple[LikelyFailure, ...]:
        n, failures = self._comparable(namespace, question.keys)
        top = Counter({name: len(alike) for name, alike in failures.items()}).most_common(MAX_LIKELY)
        newest = {name: max(failures[name], key=_by_time) for name, _ in top}
        memories = self._store.get(namespace, [header.id for header in newest.values()])
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


def _lineage(header: Header) -> str:
    return header.cluster_id or header.id


def _by_time(header: Header) -> tuple[object, str]:
    return header.occurred_at, header.id


def _equal(header: Header, keys: SituationKeys) -> bool:
    wanted = ((keys.agent, header.agent), (keys.tool, header.tool), (keys.task_type, header.task_type))
    return all(not value or value == own for value, own in wanted)
