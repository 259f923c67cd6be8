"""The worker of a running service: does what was left for after the commit."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from threading import Event, Thread
from time import monotonic

from graphmem.domain.errors import GraphmemError
from graphmem.domain.records import JobKind
from graphmem.ports.queries import FreeJobs
from graphmem.ports.store import MemoryStore
from graphmem.services import surprises
from graphmem.services.intake import Clock

INTERVAL_S = 5.0
"""Seconds between two looks at the jobs, when there is nothing to do."""
TURN = 20
"""Jobs of a kind that a namespace gets done before it is the next one's turn."""
LOOK_EVERY = 100
"""Jobs after which a look after a namespace has its turn, where more jobs wait."""
LOOK_AGAIN = timedelta(hours=1)
"""How long a namespace that nobody writes to is not looked after again."""

DoJobs = Callable[[str, int], int]
"""Does at most so many jobs of a namespace; how many were done."""
LookAfter = Callable[[str], int]
"""Does in a namespace what is due by now; how many things were done."""

_log = logging.getLogger(__name__)


class Worker:
    """A thread that does jobs of some kinds where they wait, and looks after every namespace from time to time.

    What a round asks of the store grows with the namespaces that have work or were written to, not with all there
    are. Each gets a turn before any gets a second one. Several processes may each have a worker.
    """

    def __init__(
        self,
        store: MemoryStore,
        jobs: Mapping[JobKind, DoJobs],
        look_after: LookAfter,
        clock: Clock,
        interval_s: float = INTERVAL_S,
    ) -> None:
        self._store = store
        self._jobs = jobs
        self._look_after = look_after
        self._clock = clock
        self._interval_s = interval_s
        self._looked: dict[str, tuple[int, datetime]] = {}
        self._last = ""
        self._turned = 0.0
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
        """A turn for each namespace where jobs wait, then a look after those that need one; how many things were
        done. However many jobs wait, every LOOK_EVERY of them one look has its turn; and jobs that come meanwhile have
        not to wait for all looks. A store that is away is left for later.
        """
        looks = self._looks()
        done, failed = 0, []
        for part in (self._work(looks), self._upkeep(looks)):
            try:
                for count in part:
                    done += count
            except GraphmemError as error:
                failed.append(error.code)
        for code in dict.fromkeys(failed):
            _log.warning("worker: %s", code)
        return done

    def _work(self, looks: Iterator[int]) -> Iterator[int]:
        """A turn for each namespace where jobs wait, with looks in between; what each did."""
        jobs = 0
        for done in self._turns():
            yield done
            jobs += done
            if jobs >= LOOK_EVERY:
                jobs = 0
                yield next(looks, 0)

    def _upkeep(self, looks: Iterator[int]) -> Iterator[int]:
        """The looks that are left, with turns in between; what each did."""
        for done in looks:
            yield done
            if monotonic() - self._turned >= self._interval_s:
                yield from self._turns()

    def _looks(self) -> Iterator[int]:
        """A look after each namespace that needs one; what it did."""
        for namespace in self._neglected():
            if self._stopping.is_set():
                return
            yield self._look_after(namespace)

    def _turns(self) -> Iterator[int]:
        """One turn for each namespace where jobs wait, beginning after the one that was begun last: one whose jobs
        raise an error keeps nobody else waiting.
        """
        try:
            names = list(self._store.namespaces(FreeJobs(kinds=tuple(self._jobs), at=self._clock())))
            for namespace in sorted(names, key=lambda name: (name <= self._last, name)):
                for do in self._jobs.values():
                    if self._stopping.is_set():
                        return
                    self._last = namespace
                    yield do(namespace, TURN)
        finally:
            self._turned = monotonic()

    def _neglected(self) -> Iterator[str]:
        """Namespaces that were written to since the last look, or not looked after for LOOK_AGAIN."""
        now = self._clock()
        for namespace, revision in self._store.namespaces().items():
            seen, at = self._looked.get(namespace, (-1, now))
            if seen != revision or now - at >= LOOK_AGAIN:
                self._looked[namespace] = revision, now
                yield namespace

    def _run(self) -> None:
        while not self._stopping.is_set():
            if not self._survived():
                self._stopping.wait(self._interval_s)

    def _survived(self) -> int:
        """A round; what is wrong with the program in one job is logged, and ends no work of others."""
        try:
            return self.round()
        except Exception as error:
            surprises.note(error, "worker")
            return 0
