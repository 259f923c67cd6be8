"""What to know at the start of a task."""

from __future__ import annotations

from collections import Counter, defaultdict

from graphmem.domain.answers import Brief, LikelyFailure
from graphmem.domain.drafts import Question, SituationKeys
from graphmem.index.index_set import IndexSet
from graphmem.index.mirror import Header
from graphmem.ports.store import MemoryStore
from graphmem.services.recall import Recall

MAX_LIKELY = 5


class BriefTask:
    """The recollection for a task, and which failures are likely in comparable work."""

    def __init__(self, store: MemoryStore, indexes: IndexSet, recall: Recall) -> None:
        self._store = store
        self._indexes = indexes
        self._recall = recall

    def brief(self, namespace: str, question: Question) -> Brief:
        """Likely failures are counted over the experiences that equal every given key; without keys over all.

        Raises as Recall.ask.
        """
        recollection = self._recall.ask(namespace, question)
        return Brief(recollection=recollection, likely_failures=self._likely(namespace, question.keys))

    def _likely(self, namespace: str, keys: SituationKeys) -> tuple[LikelyFailure, ...]:
        counts: Counter[str] = Counter()
        latest: dict[str, list[Header]] = defaultdict(list)
        n = 0
        with self._indexes.current(namespace) as index:
            for header in index.mirror.experiences():
                if not _comparable(header, keys):
                    continue
                n += 1
                if header.is_failure and header.error_class:
                    counts[header.error_class] += 1
                    latest[header.error_class].append(header)
        top = counts.most_common(MAX_LIKELY)
        newest = {
            name: max(latest[name], key=lambda header: (header.occurred_at, header.id)).id for name, _ in top
        }
        memories = self._store.get(namespace, list(newest.values()))
        return tuple(
            LikelyFailure(error_type=name, count=count, n=n, example=memories[newest[name]])
            for name, count in top
            if newest[name] in memories
        )


def _comparable(header: Header, keys: SituationKeys) -> bool:
    wanted = ((keys.agent, header.agent), (keys.tool, header.tool), (keys.task_type, header.task_type))
    return all(not value or value == own for value, own in wanted)
