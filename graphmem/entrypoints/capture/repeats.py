"""What became of the same action before, and the note of how it ended now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from graphmem.analysis.redaction import redact
from graphmem.domain.answers import Written
from graphmem.domain.drafts import CHANGED, ExperienceDraft
from graphmem.domain.memories import Experience, MemoryKind, Result, State
from graphmem.domain.rules import MAX_PAGE, error_class
from graphmem.ports.queries import PageRequest, Selection, pages
from graphmem.wiring import Services

AFTER = "after"
"""Key of a success's metadata: the ref of the failure that it followed."""
RETRIES_END = timedelta(hours=1)
"""After a failure: from then on the same failure is a new occasion."""
MAX_RUNS = 5_000
"""Runs looked through for the last one of each action."""


@dataclass(frozen=True, slots=True)
class Past:
    """The same action in the same place before, newest first."""

    runs: tuple[Experience, ...] = ()

    @property
    def failures(self) -> tuple[Experience, ...]:
        """Those that failed."""
        return tuple(run for run in self.runs if run.result is Result.FAILURE)

    @property
    def unsolved(self) -> Experience | None:
        """The last run, if it failed."""
        return self.runs[0] if self.runs and self.runs[0].result is Result.FAILURE else None

    @property
    def worked(self) -> Experience | None:
        """The last success that followed a failure."""
        return next(
            (run for run in self.runs if run.result is Result.SUCCESS and AFTER in run.metadata), None
        )

    @property
    def correction(self) -> str:
        """What somebody wrote down as right, the latest."""
        return next((run.correction for run in self.failures if run.correction), "")


def past_of(services: Services, namespace: str, draft: ExperienceDraft) -> Past:
    """Runs with the tool, task type, action and context of a draft, among the last MAX_PAGE of that tool."""
    selection = Selection(
        kinds=(MemoryKind.EXPERIENCE,), states=(State.ACTIVE,), tool=draft.tool, task_type=draft.task_type
    )
    page = services.browse.memories(namespace, selection, PageRequest(first=MAX_PAGE))
    wanted = (redact(draft.action).text, redact(draft.context).text)
    runs = [item for item in page.items if isinstance(item, Experience)]
    return Past(tuple(run for run in runs if (run.action, run.context) == wanted))


def pasts_of(services: Services, namespace: str, tool: str, task_type: str) -> dict[str, Past]:
    """What is known of each action of a tool, by action, among its last MAX_RUNS runs."""
    selection = Selection(
        kinds=(MemoryKind.EXPERIENCE,), states=(State.ACTIVE,), tool=tool, task_type=task_type
    )
    runs: dict[str, list[Experience]] = defaultdict(list)
    first = PageRequest(first=MAX_PAGE)
    found = pages(lambda page: services.browse.memories(namespace, selection, page), first)
    for page in islice(found, MAX_RUNS // MAX_PAGE):
        for item in page.items:
            if isinstance(item, Experience):
                runs[item.action].append(item)
    return {action: Past(tuple(known)) for action, known in runs.items()}


def retried(past: Past, error_type: str, at: datetime) -> str:
    """The episode of the failure that another one repeats, '' where it is a new occasion.

    Trying again is none: the same error within the hour, and nothing that worked in between.
    """
    last = past.unsolved
    if last is None or at - last.occurred_at > RETRIES_END:
        return ""
    return last.episode if error_class(last.error_type) == error_class(error_type) else ""


def note_success(
    services: Services, namespace: str, draft: ExperienceDraft, failed: Experience, changed: Sequence[str]
) -> Written:
    """Record that what failed works again, and which files had changed since. Raises GraphmemError."""
    told = f"works again after {failed.ref}"
    if changed:
        told += f"; changed since: {', '.join(changed)}"
    return services.remember.experience(
        namespace,
        ExperienceDraft(
            action=draft.action,
            context=draft.context,
            result=Result.SUCCESS,
            output=told,
            tool=draft.tool,
            task_type=draft.task_type,
            task_id=draft.task_id or failed.task_id,
            session_id=draft.session_id,
            agent=draft.agent,
            writer=draft.writer,
            metadata={AFTER: failed.ref, CHANGED: list(changed)},
        ),
    )
