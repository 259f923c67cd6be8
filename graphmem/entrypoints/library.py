"""The Python door: the services' verbs as methods that take plain arguments.

import graphmem

with graphmem.open("sqlite:///memory.db") as memory:
    memory.record("clean the column", "FAILURE", error_type="IndexError", context="input []")
    print(memory.prompt("clean the column, input [None]"))
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from os import PathLike, fspath
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar, overload

import networkx as nx

from graphmem.analysis.walks import DEFAULT_HOPS
from graphmem.config import from_environment
from graphmem.domain.answers import Brief, Forgotten, Impact, Recollection, Written
from graphmem.domain.causation import CauseEdge, Grade, VerdictKind
from graphmem.domain.drafts import (
    CauseLink,
    CauseRef,
    CauseReview,
    ExperienceDraft,
    FactDraft,
    FailureDraft,
    MemoryUpdate,
    TurnDraft,
)
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.domain.explanations import Explanation, WhatIf
from graphmem.domain.memories import Memory, Result
from graphmem.domain.overview import ChokePoint, CommonCause, Priorities, Propagation
from graphmem.domain.proof import Calibration, Experiment, Recurrence
from graphmem.domain.recurrence import Answer, Exposure, ReminderAnswer, SessionEnd
from graphmem.domain.turns import ObservedTurn
from graphmem.entrypoints.capture.guarding import Guard, guarded, known
from graphmem.entrypoints.library_upkeep import Upkeep
from graphmem.entrypoints.networks import network
from graphmem.entrypoints.plain import drafted, fitting, member, question
from graphmem.services.what_if import what_if
from graphmem.services.wording import prompt_text
from graphmem.wiring import Services, build

if TYPE_CHECKING:
    import pandas as pd

FRAMES = "graphmem.entrypoints.data_frames"
"""Loaded when a frame is asked for: pandas is an extra, and costs a second of CPU."""
_P = ParamSpec("_P")
_R = TypeVar("_R")


class GraphMemory(Upkeep):
    """One namespace of one store. Safe to use from several threads. Close it when done."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.namespace = services.settings.namespace

    def remember(self, statement: str, **fields: Any) -> Written:
        """Remember a fact; fields as in FactDraft. Raises GraphmemError."""
        return self.services.remember.fact(
            self.namespace, drafted(FactDraft, {"statement": statement, **fields})
        )

    def record(self, action: str, result: Result | str, **fields: Any) -> Written:
        """Record an experience; fields as in ExperienceDraft, a cause also by its ref. Raises GraphmemError.

        The ref is `.memory.ref` of what comes back.
        """
        draft = drafted(ExperienceDraft, {"action": action, "result": result, **fields})
        return self.services.remember.experience(self.namespace, draft)

    def capture_failure(
        self, task_type: str, manifestation: str, agent_trace: str = "", **fields: Any
    ) -> Written:
        """Record a failure the moment it happens (seed 2); fields as in FailureDraft. Raises GraphmemError."""
        said = {"task_type": task_type, "manifestation": manifestation, "agent_trace": agent_trace}
        draft = drafted(FailureDraft, {**said, **fields})
        return self.services.capture.failure(self.namespace, draft)

    def capture(self, action: str, *, success: bool = False, **fields: Any) -> Guard:
        """`with memory.capture("load the prices", task_id="t"):` an exception becomes a failure, and goes on.

        fields as in ExperienceDraft; success True records a block that ends well, too. Raises BadInputError for a
        field that there is not; else never by itself.
        """
        return Guard(self.services, self.namespace, action, fields, success)

    @overload
    def captures(self, action: Callable[_P, _R]) -> Callable[_P, _R]: ...

    @overload
    def captures(
        self, action: str = "", *, success: bool = False, **fields: Any
    ) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...

    def captures(self, action: Any = "", *, success: bool = False, **fields: Any) -> Any:
        """`@memory.captures` or `@memory.captures(…)`: the same for each call of a function, its arguments as context.

        Raises BadInputError for a field that there is not.
        """
        if callable(action):
            return self.captures()(action)
        known(fields)
        return guarded(lambda name, said: self.capture(name, success=success, **said), action, fields)

    def observe_turn(self, said: str, **fields: Any) -> ObservedTurn:
        """Read what a user said of an answer (seed 1, 4.2); fields as in TurnDraft. Raises GraphmemError."""
        return self.services.capture.turn(self.namespace, drafted(TurnDraft, {"said": said, **fields}))

    def recall(self, situation: str, **fields: Any) -> Recollection:
        """What is known about a situation; tool, agent, task_type, session_id, … as in Question and SituationKeys.

        Raises GraphmemError.
        """
        return self.services.recall.ask(self.namespace, question(situation, fields))

    def prompt(self, of: str | Recollection | Brief, max_tokens: int = 400, **fields: Any) -> str:
        """The block to put before a model; '' when there is nothing to say.

        of: a situation, which is then asked about with the fields of recall, or what recall or brief answered.
        Raises GraphmemError.
        """
        found = self.recall(of, **fields) if isinstance(of, str) else of
        if not isinstance(of, str) and fields:
            raise BadInputError(
                "has been asked already", field=next(iter(fields)), remedy="give it to recall or brief"
            )
        return prompt_text(found.recollection if isinstance(found, Brief) else found, max_tokens)

    def brief(self, task: str, **fields: Any) -> Brief:
        """What to know at the start of a task; fields as of recall. Raises GraphmemError."""
        return self.services.brief.brief(self.namespace, question(task, fields))

    def explain(self, memory_id: str, **bounds: Any) -> Explanation:
        """Root causes of a memory; bounds as in Explain.explain. Raises GraphmemError."""
        explain = self.services.explain.explain
        return explain(self.namespace, **fitting(explain, {"memory_id": memory_id, **bounds}))

    def what_if(self, found: Explanation, *remove: str) -> WhatIf:
        """What would have been without these nodes of an explanation (ids or refs); none: without its smallest fix.

        Raises GraphmemError.
        """
        return what_if(found, remove or None)

    def impact(self, memory_id: str, max_hops: int = DEFAULT_HOPS) -> Impact:
        """What followed from a memory. Raises GraphmemError."""
        return self.services.explain.impact(self.namespace, memory_id, max_hops)

    def priorities(self, since: datetime | None = None, limit: int = 10) -> Priorities:
        """Which few root causes make most failures. Raises GraphmemError."""
        return self.services.overview.priorities(self.namespace, since, limit)

    def choke_points(self, since: datetime | None = None, limit: int = 10) -> tuple[ChokePoint, ...]:
        """Where chains of failures meet. Raises GraphmemError."""
        return self.services.overview.choke_points(self.namespace, since, limit)

    def propagation(
        self, since: datetime | None = None, min_trials: int = 5, limit: int = 40_000
    ) -> Propagation:
        """How one class of failures leads to another: all pairs unless limited. Raises GraphmemError."""
        return self.services.overview.propagation(self.namespace, since, min_trials, limit)

    def common_cause(self, first: str, second: str) -> CommonCause:
        """What two memories share. Raises GraphmemError."""
        return self.services.oddities.common_cause(self.namespace, first, second)

    def link(self, effect: str, cause: str, **evidence: Any) -> CauseEdge:
        """State that effect (id or ref) was caused by cause; evidence: confidence, note. Raises GraphmemError."""
        named = drafted(CauseRef, {"id": cause, **evidence})
        said = {"effect": effect, "cause": named, "by": "library"}
        return self.services.link.link(self.namespace, drafted(CauseLink, said))

    def review(self, effect: str, cause: str, verdict: VerdictKind | str, reason: str = "") -> CauseEdge:
        """Confirm or refute a cause. Raises GraphmemError."""
        said = {"effect": effect, "cause": cause, "verdict": verdict, "by": "library", "reason": reason}
        return self.services.link.review(self.namespace, drafted(CauseReview, said))

    def show(self, memory_id: str) -> Memory:
        """One memory by id or ref. Raises NotFoundError."""
        return self.services.browse.memory(self.namespace, memory_id)

    def update(self, memory_id: str, **changes: Any) -> Memory:
        """Change a memory; changes as in MemoryUpdate. Raises GraphmemError."""
        return self.services.revise.update(
            self.namespace, drafted(MemoryUpdate, {"id": memory_id, **changes})
        )

    def forget(self, memory_id: str, dry_run: bool = False) -> Forgotten:
        """Remove a memory everywhere. Raises GraphmemError."""
        return self.services.forget.forget(self.namespace, memory_id, dry_run)

    def answer(self, exposure_id: str, answer: Answer | str, note: str = "") -> Exposure:
        """Say how a reminder was taken: APPLIED, NOT_APPLICABLE or REFUTED. Raises GraphmemError."""
        said = {"exposure_id": exposure_id, "answer": answer, "note": note}
        return self.services.sessions.answer(self.namespace, drafted(ReminderAnswer, said))

    def end_session(self, session_id: str) -> SessionEnd:
        """Say that a session is over. Raises GraphmemError."""
        return self.services.sessions.end(self.namespace, session_id)

    def recurrence(self, subject: str = "", since: datetime | None = None) -> Recurrence:
        """How often failures came back after they were shown. Raises GraphmemError."""
        return self.services.measure.recurrence(self.namespace, subject, since)

    def experiment(self, subject: str = "", since: datetime | None = None) -> Experiment:
        """What showing did against withholding. Raises GraphmemError."""
        return self.services.measure.experiment(self.namespace, subject, since)

    def calibrate(self, dry_run: bool = False) -> Calibration:
        """Fit the reminder gate on this namespace's own outcomes, where that is better. Raises GraphmemError."""
        return self.services.calibrate.calibrate(self.namespace, dry_run)

    def frame(self, name: str) -> pd.DataFrame:
        """'experiences', 'edges' (of CAUSED_BY) or 'exposures' of the namespace as a pandas data frame.

        Columns and dtypes: EXPERIENCES, EDGES, EXPOSURES in graphmem.entrypoints.data_frames (docs/data.md). Of
        exposures at most 100,000 are read; attrs["truncated"] says that there are more. Raises BadInputError for
        another name, UnavailableError without pandas.
        """
        if name not in ("experiences", "edges", "exposures"):
            raise BadInputError(
                f"{name!r} is no frame", field="name", remedy="experiences, edges or exposures"
            )
        made = _frames()
        if name == "exposures":
            found = self.services.measure.exposures(self.namespace)
            frame: pd.DataFrame = made.exposures(found.judged)
            frame.attrs["truncated"] = found.truncated
            return frame
        collect = self.services.collect
        if name == "experiences":
            return made.experiences(collect.experiences(self.namespace))
        return made.edges(collect.causes(self.namespace))

    def graph(
        self, as_of: datetime | None = None, min_grade: Grade | str = Grade.INFERRED
    ) -> nx.MultiDiGraph[Any]:
        """All memories and edges as a networkx graph: ids as nodes, the kind of an edge as its key.

        min_grade: of cause edges only those of at least this grade; refuted ones never. as_of: as recorded at that
        instant. Attributes: graphmem.entrypoints.networks.network (docs/data.md). Raises BadInputError.
        """
        return network(
            self.services.collect.network(self.namespace, as_of, member("min_grade", Grade, min_grade))
        )

    def close(self) -> None:
        """Release the store and the embedder."""
        self.services.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_memory(
    url: str | PathLike[str] | None = None, *, namespace: str | None = None, embedder: str | None = None
) -> GraphMemory:
    """A memory over a store URL ('sqlite:///memory.db') or the path of a file; without one, the user's own.

    Raises BadInputError or UnavailableError.
    """
    store = f"sqlite:///{fspath(url)}" if isinstance(url, PathLike) else url
    return GraphMemory(build(from_environment(store=store, namespace=namespace, embedder=embedder)))


def _frames() -> Any:
    try:
        return import_module(FRAMES)
    except ModuleNotFoundError as error:
        raise UnavailableError(
            f"{error.name} is not installed", field="name", remedy="pip install 'graphmem[lab]'"
        ) from error
