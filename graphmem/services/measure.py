"""Did it help? How often what was shown came back, and what showing it did against withholding it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from graphmem.analysis.effects import effect, fate, rate
from graphmem.domain.memories import Memory, MemoryKind
from graphmem.domain.proof import Arm, Experiment, Rate, Recurrence, Retirement
from graphmem.domain.recurrence import Lineage, Outcome, Step, occasions
from graphmem.domain.rules import MAX_SHORT, check_namespace, check_text, check_time
from graphmem.index.index_set import IndexSet
from graphmem.ports.store import MemoryStore
from graphmem.services.causes import require
from graphmem.services.history import History, Judged, read_history
from graphmem.services.intake import Clock
from graphmem.services.notebook import Notebook

LINEAGES = 50
"""Without a subject, the lineages said most often over which occasions before and after are summed."""
_LEARNT = (MemoryKind.PATTERN, MemoryKind.STRATEGY)


class Measure:
    """The verbs of proof. They read exposures page by page and change nothing; retirement is only proposed."""

    def __init__(self, store: MemoryStore, indexes: IndexSet, notebook: Notebook, clock: Clock) -> None:
        self._store = store
        self._indexes = indexes
        self._notebook = notebook
        self._clock = clock

    def recurrence(self, namespace: str, subject: str = "", since: datetime | None = None) -> Recurrence:
        """How often failures came back after they were shown: of one subject (id or ref of a failure, a pattern or a
        strategy), or of all. Exposures and occasions before since are left out.

        Raises NotFoundError, BadInputError, TooLargeError, UnavailableError.
        """
        memory, history = self._history(namespace, subject, since)
        before, after = _before_and_after(history, memory is not None)
        shown = [item for item in history.judged if item.exposure.shown]
        answers = Counter(item.exposure.answer for item in shown if item.exposure.answer is not None)
        return Recurrence(
            subject=memory,
            since=since,
            shown=_arm(shown),
            withheld=len(history.judged) - len(shown),
            answers=dict(answers),
            before=before,
            after=after,
            effect=effect(after, before),
            truncated=history.truncated,
        )

    def experiment(self, namespace: str, subject: str = "", since: datetime | None = None) -> Experiment:
        """Recurrence where a lineage was shown against where the coin withheld it, with memory of it and without.

        Only exposures drawn at the hold-out rate last in force count: another rate began another experiment.
        Raises as recurrence().
        """
        memory, history = self._history(namespace, subject, since)
        share = next((item.exposure.rate for item in reversed(history.judged) if item.exposure.rate > 0), 0.0)
        drawn = [item for item in history.judged if share > 0 and item.exposure.rate == share]
        shown, withheld = _arms(drawn)
        return Experiment(
            subject=memory,
            since=since,
            rate=share,
            shown=shown,
            withheld=withheld,
            effect=effect(shown.rate, withheld.rate),
            retirements=self._retirements(namespace, memory, drawn, history.learnt),
            truncated=history.truncated,
        )

    def exposures(self, namespace: str, since: datetime | None = None) -> History:
        """What the rates are made of: every exposure since a time, with what became of it. Raises as recurrence()."""
        return self._history(namespace, "", since)[1]

    def _history(self, namespace: str, subject: str, since: datetime | None) -> tuple[Memory | None, History]:
        check_namespace(namespace)
        check_text("subject", subject, MAX_SHORT)
        if since is not None:
            check_time("since", since)
        self._notebook.flush()
        memory = require(self._store, namespace, subject, "subject") if subject else None
        return memory, read_history(self._store, self._indexes, namespace, memory, since, self._clock())

    def _retirements(
        self,
        namespace: str,
        subject: Memory | None,
        drawn: Sequence[Judged],
        learnt: Mapping[str, tuple[str, ...]],
    ) -> tuple[Retirement, ...]:
        """Each pattern and strategy (or the subject, if it is one) by the exposures of its own lineages."""
        lineages: dict[str, list[str]] = defaultdict(list)
        for lineage, ids in learnt.items():
            for name in ids:
                lineages[name].append(lineage)
        if subject is not None:
            lineages = {subject.id: lineages.get(subject.id, [])} if subject.kind in _LEARNT else {}
        own = _by_lineage(drawn)
        proposed = []
        for name, of in sorted(lineages.items()):
            shown, withheld = _arms([item for lineage in of for item in own.get(lineage, ())])
            if (found := fate(shown.rate, withheld.rate)) is not None:
                proposed.append((name, found, shown.rate, withheld.rate))
        memories = self._store.get(namespace, [name for name, *_ in proposed])
        return tuple(
            Retirement(
                memory=memories[name],
                fate=found,
                shown=first,
                withheld=second,
                effect=effect(first, second),
            )
            for name, found, first, second in proposed
            if name in memories
        )


def _arms(judged: Sequence[Judged]) -> tuple[Arm, Arm]:
    """Those shown and those withheld."""
    shown = [item for item in judged if item.exposure.shown]
    return _arm(shown), _arm([item for item in judged if not item.exposure.shown])


def _arm(judged: Sequence[Judged]) -> Arm:
    counted = Counter(item.outcome for item in judged)
    outcomes = {name: counted[name] for name in Outcome}
    recurred = outcomes[Outcome.RECURRED]
    return Arm(
        exposures=len(judged), outcomes=outcomes, rate=rate(recurred, recurred + outcomes[Outcome.AVOIDED])
    )


def _by_lineage(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    own: dict[str, list[Judged]] = defaultdict(list)
    for item in judged:
        own[item.lineage].append(item)
    return own


def _before_and_after(history: History, all_of_them: bool) -> tuple[Rate, Rate]:
    """Occasions before and after the first saying, summed over the subject's lineages or those said most often."""
    often = Counter(item.lineage for item in history.judged if item.lineage in history.said)
    names = sorted(history.lineages) if all_of_them else [name for name, _ in often.most_common(LINEAGES)]
    places = _by_place(history.steps)
    before: list[bool] = []
    after: list[bool] = []
    for name in names:
        lineage = history.lineages[name]
        earlier, later = occasions(lineage, _steps_of(lineage, places), history.said.get(name))
        before += earlier
        after += later
    return rate(sum(before), len(before)), rate(sum(after), len(after))


def _by_place(steps: Iterable[Step]) -> dict[tuple[str, str], list[Step]]:
    """Steps by tool, by task type and, where they failed, by cluster."""
    places: dict[tuple[str, str], list[Step]] = defaultdict(list)
    for step in steps:
        for kind, name in (("tool", step.tool), ("task", step.task_type)):
            if name:
                places[kind, name].append(step)
        if step.failed:
            places["cluster", step.cluster_id or step.id].append(step)
    return places


def _steps_of(lineage: Lineage, places: Mapping[tuple[str, str], list[Step]]) -> list[Step]:
    keys = [("tool", name) for name in lineage.tools] + [("task", name) for name in lineage.task_types]
    found = {step.id: step for key in (*keys, ("cluster", lineage.id)) for step in places.get(key, ())}
    return list(found.values())
