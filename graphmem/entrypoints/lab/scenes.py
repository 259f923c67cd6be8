"""What a notebook works on: your own memory, or a demo whose truth is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from graphmem.config import Settings, from_environment, notebook_store
from graphmem.domain.errors import BadInputError, NotFoundError
from graphmem.domain.memories import Memory
from graphmem.entrypoints.library import GraphMemory
from graphmem.tooling.chain_noise import Noise
from graphmem.tooling.chain_words import Language
from graphmem.tooling.chains import Planted, class_driven, hidden_confounders
from graphmem.tooling.demo import numbered_ids
from graphmem.tooling.month import HOLDOUT, Calendar, Month
from graphmem.tooling.planting import plant
from graphmem.wiring import build

DEMO = "demo-"
"""A namespace that begins so is filled with the demo where it is empty, on any store."""
HISTORIES: Mapping[str, Callable[[], Planted]] = {
    "habits": lambda: class_driven(200, seed=11, noise=Noise(0.2, 0.2, 0.1), language=Language.EN),
    "hidden causes": lambda: hidden_confounders(300, seed=11, language=Language.EN),
}
"""Planted histories by name: habits = failures trigger others by their class, as noisy as an agent records them
(20 % of the edges missing, 20 % spurious, 10 % wrong labels); hidden causes = four classes share a cause that nobody
recorded."""

_FOLDERS: list[TemporaryDirectory[str]] = []
"""Kept, since a folder that nobody holds is removed at once."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A memory; truth: what was planted in it, None where it is your own. demo: whether asserts may be made."""

    memory: GraphMemory
    demo: bool
    truth: Planted | None = None


def scene(name: str) -> Scene:
    """The memory that GRAPHMEM_URL names, in GRAPHMEM_NAMESPACE; without it, a planted history in a file of its own.

    name: one of HISTORIES. Raises BadInputError for another name, ConflictError for a demo namespace that holds
    something else, and whatever opening a store raises.
    """
    if name not in HISTORIES:
        raise BadInputError(f"{name!r} is no history", field="name", remedy=f"one of {', '.join(HISTORIES)}")
    settings = _settings()
    memory = GraphMemory(build(settings))
    if not settings.namespace.startswith(DEMO):
        return Scene(memory, demo=False)
    history = HISTORIES[name]()
    plant(memory.services.store, memory.namespace, history)
    return Scene(memory, demo=True, truth=history)


def blank() -> Scene:
    """An empty demo to record into: on the store that GRAPHMEM_URL names only where the namespace is a demo's."""
    settings = _settings()
    return Scene(
        GraphMemory(build(settings if settings.namespace.startswith(DEMO) else _temporary())), demo=True
    )


def replanted(history: Planted) -> Scene:
    """A scene of its own with that history, in a file of its own."""
    memory = GraphMemory(build(_temporary()))
    plant(memory.services.store, memory.namespace, history)
    return Scene(memory, demo=True, truth=history)


def failure_to_explain(chosen: Scene) -> Memory:
    """A failure with a cause: of a demo the task whose chain is longest, of your own memory the newest.

    Raises NotFoundError where no failure has a cause.
    """
    memory = chosen.memory
    if chosen.truth and chosen.truth.episodes:
        return memory.show(max(chosen.truth.episodes, key=lambda one: len(one.path)).asked)
    failures, edges = memory.frame("experiences"), memory.frame("edges")
    failures = failures[failures["failed"] & failures.index.isin(edges.loc[edges["active"], "effect_id"])]
    if failures.empty:
        raise NotFoundError(
            "no failure has a recorded cause", field="memory", remedy="link one: graphmem link EFFECT CAUSE"
        )
    return memory.show(str(failures["occurred_at"].idxmax()))


def month() -> Scene:
    """The memory that GRAPHMEM_URL names; without it, one that has lived tooling.month. Raises as scene()."""
    settings = _settings(HOLDOUT)
    if not settings.namespace.startswith(DEMO):
        return Scene(GraphMemory(build(settings)), demo=False)
    calendar = Calendar()
    memory = GraphMemory(build(settings, clock=calendar, new_id=numbered_ids()))
    if not any(memory.services.store.state(memory.namespace).counts.values()):
        Month().live(memory.services, memory.namespace, calendar)
    return Scene(memory, demo=True)


def _settings(holdout: float = 0.0) -> Settings:
    """Of your own store; of a demo, without vectors: nothing in it is asked by meaning."""
    own = notebook_store()
    if own:
        settings = from_environment(store=own)
        demo = settings.namespace.startswith(DEMO)
        return from_environment(store=own, embedder="none", holdout=holdout) if demo else settings
    return _temporary(holdout)


def _temporary(holdout: float = 0.0) -> Settings:
    """A store in a folder of its own, which goes when the process ends."""
    folder = TemporaryDirectory(prefix="graphmem-notebook-", ignore_cleanup_errors=True)
    _FOLDERS.append(folder)
    return from_environment(
        store=f"sqlite:///{Path(folder.name) / 'memory.db'}",
        namespace=f"{DEMO}notebook",
        embedder="none",
        holdout=holdout,
    )
