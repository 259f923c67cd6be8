"""Texts to vectors within a time budget: a slow or broken model never loses a write."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from threading import Lock

from graphmem.analysis.redaction import redact
from graphmem.domain.errors import GraphmemError
from graphmem.domain.memories import Memory, SearchField, searchable
from graphmem.domain.records import SpaceParameters
from graphmem.ports.embedder import Embedder

BUDGET_S = 2.0
"""Seconds a write or a question waits for its vectors."""
FIRST_BUDGET_S = 30.0
"""Seconds the first call waits: the model is loaded then."""
TEXT_S = 0.1
"""Seconds more for each further text of one call: many at once take longer than one."""
MORE_S = 8.0
"""Seconds more for all of them while somebody waits: a request has its own limit, and late vectors are kept."""
CACHED_TEXTS = 2_048
EMBEDDED_CHARACTERS = 8_192
"""Longer texts are embedded by their beginning; words are indexed in full."""

_PROBE = "graphmem"

_log = logging.getLogger(__name__)


class Embedding:
    """An embedder behind a time budget and a cache. None for the embedder means words only."""

    def __init__(self, embedder: Embedder | None, budget_s: float = BUDGET_S) -> None:
        self._embedder = embedder
        self._budget_s = budget_s
        self._waits_s = max(FIRST_BUDGET_S, budget_s)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="graphmem-embed")
        self._cache: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()
        self._is_late = False

    @property
    def parameters(self) -> SpaceParameters | None:
        """The shipped numbers of the embedder's space."""
        return self._embedder.parameters if self._embedder else None

    def vectors(self, texts: Sequence[str], *, patient: bool = False) -> list[bytes] | None:
        """One vector per text; None when there is no embedder or it does not answer in time.

        Secrets are replaced first: a question may hold some, and an embedder may be elsewhere. patient: nobody waits
        for the answer, so it may take FIRST_BUDGET_S.
        """
        texts = [redact(text).text[:EMBEDDED_CHARACTERS] for text in texts]
        with self._lock:
            missing = list(dict.fromkeys(text for text in texts if text not in self._cache))
            found = {text: self._cache[text] for text in texts if text in self._cache}
        if missing:
            computed = self._compute(missing, patient)
            if computed is None:
                return None
            found.update(zip(missing, computed, strict=True))
            self._keep(found)
        return [found[text] for text in texts]

    def embed(
        self, memories: Sequence[Memory], *, patient: bool = False
    ) -> list[dict[SearchField, bytes]] | None:
        """Vectors of every searched field of the memories; None as in vectors()."""
        texts = [searchable(memory) for memory in memories]
        flat = self.vectors([text for fields in texts for text in fields.values()], patient=patient)
        if flat is None:
            return None
        rest = iter(flat)
        return [{name: next(rest) for name in fields} for fields in texts]

    def answers(self, *, patient: bool = False) -> bool:
        """Whether the embedder answers now; nothing that it said before counts. patient: as in vectors()."""
        return self._compute([_PROBE], patient) is not None

    def close(self) -> None:
        """Let the worker thread end after what it is doing."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _compute(self, texts: list[str], patient: bool = False) -> list[bytes] | None:
        if self._embedder is None:
            return None
        more_s = TEXT_S * (len(texts) - 1)
        waits_s = FIRST_BUDGET_S + more_s if patient else self._waits_s + min(more_s, MORE_S)
        future: Future[list[bytes]] | None = None
        try:
            future = self._thread.submit(self._embedder.embed, texts)
            computed = future.result(timeout=waits_s)
        except FutureTimeoutError:
            self._waits_s = self._budget_s
            if future:
                self._give_up(texts, future, waits_s)
            return None
        except (GraphmemError, OSError, ValueError, RuntimeError) as error:
            own = isinstance(error, GraphmemError)  # our words hold no text; those of others might
            _log.warning("embedder failed: %s", error if own else type(error).__name__)
            return None
        self._waits_s = self._budget_s
        self._is_late = False
        if len(computed) != len(texts):
            _log.warning("embedder made %d vectors of %d texts", len(computed), len(texts))
            return None
        return computed

    def _give_up(self, texts: list[str], future: Future[list[bytes]], waited_s: float) -> None:
        """Take out of the queue what nobody waits for: it would make each call after it late as well.

        What is being computed cannot be stopped, and is kept. Said once, until the embedder answers again.
        """
        if not future.cancel():
            future.add_done_callback(lambda late: self._keep_late(texts, late))
        if not self._is_late:
            _log.warning(
                "embedder did not answer within %.1f s: words only, missing vectors are made later", waited_s
            )
        self._is_late = True

    def _keep_late(self, texts: list[str], late: Future[list[bytes]]) -> None:
        """What came after its time is there for who asks next, such as the worker that makes missing vectors."""
        if not late.cancelled() and late.exception() is None and len(late.result()) == len(texts):
            self._keep(dict(zip(texts, late.result(), strict=True)))

    def _keep(self, found: dict[str, bytes]) -> None:
        with self._lock:
            self._cache.update(found)
            while len(self._cache) > CACHED_TEXTS:
                self._cache.popitem(last=False)
