"""The worker of a running service: does what was left for after the commit."""

from __future__ import annotations

import logging
from threading import Event, Thread

from graphmem.domain.errors import GraphmemError
from graphmem.ports.store import MemoryStore
from graphmem.services.assign import Assign
from graphmem.services.maintain import Maintain
from graphmem.services.notify import Notify
from graphmem.services.reflect import Reflect
from graphmem.services.sweep import Sweep

INTERVAL_S = 5.0
"""Seconds between two looks at the jobs."""

_log = logging.getLogger(__name__)


class Worker:
    """A thread that makes missing vectors, assigns new failures, reflects when it is time, tells who wants to
    know, and sweeps once a day, in every namespace.

    Several processes may each have one.
    """

    def __init__(
        self,
        store: MemoryStore,
        maintain: Maintain,
        assign: Assign,
        reflect: Reflect,
        notify: Notify,
        sweep: Sweep,
        interval_s: float = INTERVAL_S,
    ) -> None:
        self._store = store
        self._maintain = maintain
        self._assign = assign
        self._reflect = reflect
        self._notify = notify
        self._sweep = sweep
        self._interval_s = interval_s
        self._stopping = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Begin; does nothing when it already runs."""
        if self._thread is None:
            self._stopping.clear()
            self._thread = Thread(target=self._run, name="graphmem-worker", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End after the job in hand; does nothing when it does not run."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def round(self) -> int:
        """One look at the jobs of every namespace; how many were done. A store that is away is left for later."""
        done = 0
        try:
            for namespace in self._store.namespaces():
                if self._stopping.is_set():
                    break
                done += self._maintain.embed_pending(namespace)
                done += self._assign.pending(namespace)
                if self._reflect.is_due(namespace):
                    self._reflect.reflect(namespace)
                    done += 1
                done += self._notify.pending(namespace)
                if self._sweep.is_due(namespace):
                    self._sweep.sweep(namespace)
        except GraphmemError as error:
            _log.warning("worker: %s", error.code)
        return done

    def _run(self) -> None:
        while not self._stopping.is_set():
            if not self.round():
                self._stopping.wait(self._interval_s)
