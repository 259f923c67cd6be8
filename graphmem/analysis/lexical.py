"""BM25 over a corpus that changes: documents are added, replaced and removed in place.

The scores are those of rank_bm25's ``BM25Okapi`` built anew on the live documents. That class looks at every
document for every query term and cannot change; this one keeps an inverted index and looks only at the
documents that hold a query term.
"""

import math
import threading
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

IdfMode = Literal["lucene", "okapi"]


class IncrementalBM25(BM25Okapi):  # type: ignore[misc, unused-ignore]
    """A BM25 index whose documents live in numbered slots.

    A slot is given out by :meth:`add`, counted from 0, and never renumbered or given out again. Removing
    takes a document's postings out at once: nothing dead is scored, nothing waits for a compaction.

    A term in n of the N live documents, tf times in a document of dl tokens, adds to that document's score

        idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * dl / avgdl))

    with idf ``"lucene"``, ln(1 + (N - n + .5) / (n + .5)), above 0 in a corpus of any size (BM25Similarity of
    Apache Lucene); or ``"okapi"``, ln(N - n + .5) - ln(n + .5), where a negative value becomes ``epsilon``
    times the mean over the vocabulary (rank_bm25). In okapi mode scores are bit-equal to rank_bm25's, and
    within 1e-12 where that mean is involved.

    All methods may be called from any thread: one lock serves writers and readers in turn. Of the base
    class's tables only ``corpus_size`` (N) and ``avgdl`` (mean document length, 0 without any) are kept.
    """

    def __init__(
        self,
        corpus: Iterable[Sequence[str]] = (),
        *,
        idf: IdfMode = "lucene",
        k1: float = 1.5,
        b: float = 0.75,
        epsilon: float = 0.25,
    ) -> None:
        """Index the token lists of `corpus` in slots 0, 1, ...; k1 >= 0 and 0 <= b <= 1."""
        self._mode = idf
        self._lock = threading.Lock()
        self._postings: dict[str, _Postings] = {}
        self._terms_of: list[tuple[str, ...] | None] = []
        self._lengths = np.zeros(16, dtype=np.int64)
        self._token_count = 0
        self._floor: float | None = None
        super().__init__(corpus, k1=k1, b=b, epsilon=epsilon)
        del self.doc_freqs, self.doc_len, self.idf

    def __len__(self) -> int:
        """Number of live documents."""
        return int(self.corpus_size)

    def add(self, document_tokens: Sequence[str]) -> int:
        """Index a document, empty ones too, and return its slot."""
        frequencies = Counter(document_tokens)
        with self._lock:
            slot = len(self._terms_of)
            if slot == len(self._lengths):
                self._lengths = np.concatenate([self._lengths, np.zeros_like(self._lengths)])
            self._terms_of.append(None)
            self._insert(slot, frequencies)
            return slot

    def replace(self, slot: int, document_tokens: Sequence[str]) -> None:
        """Give the document in `slot` other tokens. Raises KeyError if the slot holds no document."""
        frequencies = Counter(document_tokens)
        with self._lock:
            self._delete(slot)
            self._insert(slot, frequencies)

    def remove(self, slot: int) -> None:
        """Forget the document in `slot`. Raises KeyError if the slot holds no document."""
        with self._lock:
            self._delete(slot)

    def scores(self, query_tokens: Sequence[str]) -> NDArray[np.float64]:
        """Score of every slot ever given out: shape (slots,), finite.

        It is 0 where the slot is empty or its document shares no token with the query. A token that the query
        repeats counts as often, as in rank_bm25.
        """
        with self._lock:
            scores = np.zeros(len(self._terms_of))
            for token in query_tokens:
                postings = self._postings.get(token)
                if postings is not None:
                    # rank_bm25's order of operations: another order would not be bit-equal.
                    slots, tf = postings.slots, postings.frequencies
                    length_norm = 1 - self.b + self.b * self._lengths[slots] / self.avgdl
                    scores[slots] += self._idf(postings.count) * (
                        tf * (self.k1 + 1) / (tf + self.k1 * length_norm)
                    )
            return scores

    def top(self, query_tokens: Sequence[str], n: int) -> list[tuple[int, float]]:
        """The at most `n` best (slot, score) above 0, best first; equal scores by ascending slot."""
        scores = self.scores(query_tokens)
        slots = np.flatnonzero(scores > 0)
        if n < 1 or not len(slots):
            return []
        if len(slots) > n:
            nth_best = np.partition(scores[slots], -n)[-n]
            slots = slots[scores[slots] >= nth_best]
        best = slots[np.lexsort((slots, -scores[slots]))][:n]
        return [(int(slot), float(scores[slot])) for slot in best]

    def get_scores(self, query: Sequence[str]) -> NDArray[np.float64]:
        """rank_bm25's name for :meth:`scores`."""
        return self.scores(query)

    def get_batch_scores(self, query: Sequence[str], doc_ids: Sequence[int]) -> list[float]:
        """Scores of the slots `doc_ids`, in that order."""
        return [float(score) for score in self.scores(query)[list(doc_ids)]]

    def get_top_n(self, query: Sequence[str], documents: Sequence[Any], n: int = 5) -> list[Any]:
        """Those of `documents`, indexed by slot, that :meth:`top` finds."""
        return [documents[slot] for slot, _ in self.top(query, n)]

    def _initialize(self, corpus: Iterable[Sequence[str]]) -> None:
        for document_tokens in corpus:
            self.add(document_tokens)

    def _calc_idf(self, nd: None) -> None:
        """Nothing to prepare: every write changes every idf, so each is computed when it is asked for."""

    def _insert(self, slot: int, frequencies: Counter[str]) -> None:
        for term, frequency in frequencies.items():
            postings = self._postings.get(term)
            if postings is None:
                postings = self._postings[term] = _Postings()
            postings.append(slot, frequency)
        self._terms_of[slot] = tuple(frequencies)
        self._lengths[slot] = frequencies.total()
        self._recount_corpus(+1, frequencies.total())

    def _delete(self, slot: int) -> None:
        terms = self._terms_of[slot] if 0 <= slot < len(self._terms_of) else None
        if terms is None:
            raise KeyError(f"slot {slot} holds no document")
        for term in terms:
            postings = self._postings[term]
            postings.discard(slot)
            if not postings.count:
                del self._postings[term]
        self._terms_of[slot] = None
        self._recount_corpus(-1, -int(self._lengths[slot]))

    def _recount_corpus(self, documents: int, tokens: int) -> None:
        self.corpus_size += documents
        self._token_count += tokens
        self.avgdl = self._token_count / self.corpus_size if self.corpus_size else 0.0
        self._floor = None

    def _idf(self, documents: int) -> float:
        """Weight of a term found in so many live documents, at least one."""
        if self._mode == "lucene":
            return math.log(1 + (self.corpus_size - documents + 0.5) / (documents + 0.5))
        idf = self._okapi_idf(documents)
        if idf >= 0:
            return idf
        if self._floor is None:
            self._floor = float(self.epsilon) * self._average_okapi_idf()
        return self._floor

    def _okapi_idf(self, documents: int) -> float:
        return math.log(self.corpus_size - documents + 0.5) - math.log(documents + 0.5)

    def _average_okapi_idf(self) -> float:
        """Mean over the vocabulary, negative values included, as rank_bm25 takes it."""
        terms_found_in = Counter(postings.count for postings in self._postings.values())
        # fsum is exact, so the order in which the vocabulary grew cannot show in a score.
        total = math.fsum(terms * self._okapi_idf(documents) for documents, terms in terms_found_in.items())
        return total / len(self._postings)


class _Postings:
    """The documents that hold one term, in no order, each once."""

    __slots__ = ("_frequencies", "_slots")

    def __init__(self) -> None:
        self._slots = array("i")
        self._frequencies = array("i")

    @property
    def count(self) -> int:
        return len(self._slots)

    @property
    def slots(self) -> NDArray[np.intc]:
        """A view, to be dropped before the next change."""
        return np.frombuffer(self._slots, dtype=np.intc)

    @property
    def frequencies(self) -> NDArray[np.intc]:
        """As slots."""
        return np.frombuffer(self._frequencies, dtype=np.intc)

    def append(self, slot: int, frequency: int) -> None:
        self._slots.append(slot)
        self._frequencies.append(frequency)

    def discard(self, slot: int) -> None:
        """Take out the posting of `slot`, which must be there, and put the last one in its place."""
        place = self._slots.index(slot)
        for column in (self._slots, self._frequencies):
            column[place] = column[-1]
            column.pop()
