"""Puts the services together, over the adapters that opening.py names."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib import import_module

from graphmem.analysis.clusters import Group
from graphmem.analysis.failures import Failure
from graphmem.config import Settings, full_name
from graphmem.domain.identifiers import uuid7
from graphmem.domain.records import JobKind
from graphmem.index.cluster_view import ClusterView
from graphmem.index.following import Following
from graphmem.index.index_set import IndexSet
from graphmem.ports.embedder import Embedder
from graphmem.ports.store import MemoryStore
from graphmem.services.analyse import Analyse
from graphmem.services.assign import Assign
from graphmem.services.brief import BriefTask
from graphmem.services.browse import Browse
from graphmem.services.calibrate import Calibrate
from graphmem.services.capture import Capture
from graphmem.services.collect import Collect
from graphmem.services.copy import Copy
from graphmem.services.curate import Curate
from graphmem.services.daybook import Daybook
from graphmem.services.diagnose import Diagnose, Tools
from graphmem.services.embedding import Embedding
from graphmem.services.explain import Explain
from graphmem.services.forget import Forget
from graphmem.services.furnish import Furnish
from graphmem.services.growth import Growth
from graphmem.services.holding import Holder
from graphmem.services.inspect import Inspect
from graphmem.services.intake import Clock, NewId
from graphmem.services.link import Link
from graphmem.services.maintain import Maintain
from graphmem.services.measure import Measure
from graphmem.services.notebook import Notebook
from graphmem.services.notify import Notify
from graphmem.services.oddities import Oddities
from graphmem.services.overview import Overview
from graphmem.services.recall import Recall
from graphmem.services.reembed import Reembed
from graphmem.services.reflect import Reflect
from graphmem.services.regroup import Regroup
from graphmem.services.remember import Remember
from graphmem.services.repair import Repair
from graphmem.services.replay import Replay
from graphmem.services.revise import Revise
from graphmem.services.served import Coin, Served
from graphmem.services.sessions import Sessions
from graphmem.services.spaces import Spaces
from graphmem.services.sweep import Sweep
from graphmem.services.transfer import Transfer
from graphmem.services.upkeep import look_after
from graphmem.services.work import Worker
from graphmem.wiring.opening import open_embedder, open_target, open_webhook

SEED_PROFILE = "graphmem.analysis.seed_profile"
"""Loaded when it is asked for: scikit-learn costs 0.8 s of CPU."""


@dataclass(frozen=True)
class Services:
    """Every verb of the memory over one store. Close it when done."""

    settings: Settings
    store: MemoryStore
    embedding: Embedding
    remember: Remember
    capture: Capture
    assign: Assign
    analyse: Analyse
    reflect: Reflect
    curate: Curate
    recall: Recall
    brief: BriefTask
    explain: Explain
    overview: Overview
    oddities: Oddities
    link: Link
    revise: Revise
    forget: Forget
    browse: Browse
    daybook: Daybook
    transfer: Transfer
    sessions: Sessions
    measure: Measure
    calibrate: Calibrate
    collect: Collect
    replay: Replay
    diagnose: Diagnose
    copy: Copy
    reembed: Reembed
    inspect: Inspect
    maintain: Maintain
    sweep: Sweep
    repair: Repair
    worker: Worker
    notebook: Notebook

    def close(self) -> None:
        """Write what waits; release the worker, the embedder and the store."""
        self.worker.stop()
        self.notebook.close()
        self.embedding.close()
        self.store.close()


def build(
    settings: Settings,
    *,
    store: MemoryStore | None = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
    new_id: NewId | None = None,
) -> Services:
    """Services over the store and embedder that the settings name, or over what is given instead.

    Raises BadInputError for a store URL that is none, UnavailableError when the store cannot be opened.
    """
    if store is None:
        store = open_target(settings)
    else:
        store.migrate()
    embedding = Embedding(embedder or open_embedder(settings), settings.embed_timeout_s)
    clock, new_id = clock or partial(datetime.now, UTC), new_id or _new_id
    spaces = Spaces(store, embedding.parameters)
    furnish = Furnish(spaces, embedding, new_id)
    return _assembled(
        settings,
        _Parts(
            store=store,
            embedding=embedding,
            spaces=spaces,
            indexes=IndexSet(store, spaces.of),
            furnish=furnish,
            growth=Growth(store, furnish, clock, new_id, tells=bool(settings.webhook)),
            notebook=Notebook(store, clock),
            clock=clock,
            new_id=new_id,
            holder=Holder(secrets.token_hex(8), clock),
        ),
    )


@dataclass(frozen=True)
class _Parts:
    """What services are made of. holder: this process, as the holder of jobs."""

    store: MemoryStore
    embedding: Embedding
    spaces: Spaces
    indexes: IndexSet
    furnish: Furnish
    growth: Growth
    notebook: Notebook
    clock: Clock
    new_id: NewId
    holder: Holder


def _assembled(settings: Settings, parts: _Parts) -> Services:
    store, indexes, notebook, clock = parts.store, parts.indexes, parts.notebook, parts.clock
    served, recall, replay, diagnose = _asking(settings, parts)
    remember, assign, reflect, maintain, sweep, worker = _working(settings, parts)
    return Services(
        settings=settings,
        store=store,
        embedding=parts.embedding,
        remember=remember,
        capture=Capture(remember),
        assign=assign,
        analyse=Analyse(store, parts.furnish, clock, notebook, parts.growth.settle),
        reflect=reflect,
        curate=Curate(store, parts.furnish, clock, parts.new_id),
        recall=recall,
        brief=BriefTask(store, indexes, recall, served, clock),
        explain=Explain(store, indexes, clock),
        overview=Overview(store, indexes),
        oddities=Oddities(store, indexes),
        link=Link(store, clock, parts.new_id),
        revise=Revise(store, parts.furnish, clock),
        forget=Forget(store, clock, notebook),
        browse=Browse(store),
        daybook=Daybook(store),
        transfer=Transfer(store, parts.furnish, assign, parts.holder, parts.new_id),
        sessions=Sessions(store, notebook, clock),
        measure=Measure(store, indexes, notebook, clock),
        calibrate=Calibrate(store, indexes, parts.spaces, notebook, clock),
        collect=Collect(store),
        replay=replay,
        diagnose=diagnose,
        copy=Copy(store, full_name(settings.store), parts.holder),
        reembed=Reembed(store, parts.spaces, parts.embedding, parts.holder),
        inspect=Inspect(store, settings.store, indexes, parts.spaces, parts.embedding, notebook),
        maintain=maintain,
        sweep=sweep,
        repair=Repair(store, indexes, parts.spaces, parts.embedding, clock),
        worker=worker,
        notebook=notebook,
    )


def _asking(settings: Settings, parts: _Parts) -> tuple[Served, Recall, Replay, Diagnose]:
    """What answers a question, what notes that it was answered, and what asks again later."""
    coin = Coin(settings.holdout, settings.holdout_seed)
    served = Served(parts.notebook, parts.clock, parts.new_id, coin)
    store, indexes, embedding, clock = parts.store, parts.indexes, parts.embedding, parts.clock
    recall = Recall(store, indexes, embedding, clock, served, settings.remind_from)
    replay = Replay(store, indexes, recall, parts.notebook)
    tools = Tools(recall, replay, embedding, clock, settings.reminder_share)
    return served, recall, replay, Diagnose(store, indexes, tools)


def _learning(parts: _Parts) -> tuple[Assign, Reflect]:
    """What makes lessons of failures: one by one, and all together."""
    store, spaces, clock = parts.store, parts.spaces, parts.clock
    clusters = Following(store, lambda namespace, version: ClusterView(spaces.settled(namespace), version))
    regroup = Regroup(store, clusters, parts.growth, parts.furnish, clock, _cluster_as_seed)
    assign = Assign(store, clusters, parts.growth, regroup, clock, parts.holder.owner)
    return assign, Reflect(store, clusters, assign, clock, parts.new_id)


def _working(settings: Settings, parts: _Parts) -> tuple[Remember, Assign, Reflect, Maintain, Sweep, Worker]:
    """What writes, what is done after the commit, and by whom."""
    store, clock, notebook, owner = parts.store, parts.clock, parts.notebook, parts.holder.owner
    assign, reflect = _learning(parts)
    remember = Remember(store, parts.furnish, assign, clock, parts.new_id, notebook, settings.generalize)
    maintain = Maintain(store, parts.spaces, parts.embedding, clock, owner)
    sweep = Sweep(store, parts.indexes, notebook, clock)
    notify = Notify(store, open_webhook(settings), clock, owner)
    jobs = {
        JobKind.EMBED: maintain.embed_pending,
        JobKind.ASSIGN: assign.pending,
        JobKind.NOTIFY: notify.pending,
    }
    worker = Worker(store, jobs, partial(look_after, reflect, sweep), clock)
    return remember, assign, reflect, maintain, sweep, worker


def _cluster_as_seed(failures: Iterable[Failure]) -> list[Group]:
    groups: list[Group] = import_module(SEED_PROFILE).cluster_as_seed(failures)
    return groups


def _new_id(at: datetime) -> str:
    return uuid7(at, secrets.randbits(74))
