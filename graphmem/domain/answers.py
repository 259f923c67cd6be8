"""What the services answer: values that doors render."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from graphmem.domain.causation import CauseEdge
from graphmem.domain.gate import GateLook
from graphmem.domain.memories import Memory, Pattern


class RecallMode(StrEnum):
    """HYBRID: words and meaning. LEXICAL: words only, since the query or the store has no usable vectors."""

    HYBRID = "HYBRID"
    LEXICAL = "LEXICAL"


class Strength(StrEnum):
    """How a past failure is said: as a warning, as a question, or only listed."""

    REMIND = "REMIND"
    ASK = "ASK"
    BACKGROUND = "BACKGROUND"


@dataclass(frozen=True, kw_only=True)
class Written:
    """A committed write. created: False when the key was known and nothing was written now.

    embedded: False when vectors follow later. redactions: how many secrets were replaced.
    """

    memory: Memory
    key: str
    created: bool
    revision: int
    embedded: bool = True
    redactions: int = 0


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One memory found. relevance in [0, 1]; lexical_score is raw BM25 (>= 0); similarity is the centred
    cosine in [-1, 1], None without vectors; decay in (0, 1]; confidence is a calibrated probability, None
    where nothing calibrated it. failed_here: failures that a fact is a recorded cause of. weak: an own error that is
    only the nearest there is, with no word, meaning or tool that says that it fits.
    """

    memory: Memory
    relevance: float
    lexical_score: float
    similarity: float | None
    decay: float
    why: str
    confidence: float | None = None
    failed_here: tuple[Memory, ...] = ()
    weak: bool = False


@dataclass(frozen=True, kw_only=True)
class Reminder:
    """A past mistake worth saying now. confidence: probability that it applies. exposure_id: what answerReminder
    takes; '' when nobody's session was told.
    """

    strength: Strength
    text: str
    subject: Memory
    evidence: tuple[Memory, ...]
    confidence: float | None = None
    exposure_id: str = ""

    @property
    def pattern(self) -> Pattern | None:
        """The pattern that it is about, if it is about one."""
        return self.subject if isinstance(self.subject, Pattern) else None


@dataclass(frozen=True, kw_only=True)
class Recollection:
    """Facts, own errors and what worked, apart; reminders only where they are earned (at most three).

    taught: in a brief, patterns of comparable work that no strategy in force tells; they stand in its prompt block.
    look: what the gate looked at, noted with the exposure of that failure's lineage; None where meaning had no say, for
    relevance then is another measure.
    """

    facts: tuple[Hit, ...] = ()
    errors: tuple[Hit, ...] = ()
    worked: tuple[Hit, ...] = ()
    patterns: tuple[Hit, ...] = ()
    strategies: tuple[Hit, ...] = ()
    reminders: tuple[Reminder, ...] = ()
    taught: tuple[Pattern, ...] = ()
    revision: int = 0
    mode: RecallMode = RecallMode.HYBRID
    language: str = "en"
    look: GateLook | None = None


@dataclass(frozen=True, kw_only=True)
class LikelyFailure:
    """How often a kind of failure happened in comparable work: count of n experiences."""

    error_type: str
    count: int
    n: int
    example: Memory


@dataclass(frozen=True, kw_only=True)
class Brief:
    """What to know at the start of a task."""

    recollection: Recollection
    likely_failures: tuple[LikelyFailure, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Impact:
    """What followed from a memory: the graph against the arrows; failures counts failing nodes."""

    of: Memory
    nodes: tuple[Memory, ...]
    edges: tuple[CauseEdge, ...]
    failures: int
    tasks: int
    truncated: bool


@dataclass(frozen=True, kw_only=True)
class CauseProposal:
    """A possible cause, for a person or the agent to confirm. score in [0, 1]."""

    memory: Memory
    score: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Forgotten:
    """What was removed; ids empty and already_gone True when there was nothing (left) to remove."""

    ids: tuple[str, ...]
    refs: tuple[str, ...]
    edges: int
    revision: int
    already_gone: bool = False


@dataclass(frozen=True, kw_only=True)
class Status:
    """Where a namespace and the index over it stand. failed_jobs: by kind, work that was given up."""

    namespace: str
    store: str
    revision: int
    index_revision: int
    counts: Mapping[str, int]
    digest_matches: bool
    embedder: str
    mode: RecallMode
    without_vectors: int
    bad_vectors: int
    pending_jobs: int = 0
    pending_analyses: int = 0
    failed_jobs: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reflection:
    """What one look at all failures led to. failures: looked at; left_out: older ones beyond what is clustered at
    once; alone: failures like no other; moved: failures that are in another cluster than before; patterns: new
    ones; merged: patterns that said the same as an older one; reworded: lessons worded anew; strategies: new ones.
    """

    failures: int = 0
    left_out: int = 0
    clusters: int = 0
    alone: int = 0
    moved: int = 0
    patterns: int = 0
    merged: int = 0
    reworded: int = 0
    strategies: int = 0


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Failures that belong together. members: the first five of size; pattern: the one over most of them."""

    id: str
    size: int
    members: tuple[Memory, ...]
    pattern: Pattern | None = None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing doctor noticed, and what to do about it."""

    ok: bool
    what: str
    remedy: str = ""


@dataclass(frozen=True, kw_only=True)
class ImportReport:
    """What an import did."""

    created: int
    known: int
    edges: int
    failures: tuple[str, ...] = field(default=())


@dataclass(frozen=True, kw_only=True)
class CopyProgress:
    """How far a copy is. step: WAITING (for a copy that was killed), MEMORIES, EDGES, RECORDS or COMPARING.

    done and total count memories or edges, records without a total.
    """

    namespace: str
    step: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True, kw_only=True)
class CopyReport:
    """What a copy of one namespace ended with; the digest is that of both stores."""

    namespace: str
    memories: int
    edges: int
    digest: int


@dataclass(frozen=True, kw_only=True)
class ReembedProgress:
    """How many memories of a namespace have got their vectors; waiting: for a call that was killed."""

    namespace: str
    done: int = 0
    total: int = 0
    waiting: bool = False


@dataclass(frozen=True, kw_only=True)
class ReembedReport:
    """In which space a namespace is now, and how many memories got other vectors for it in this call."""

    namespace: str
    space: str
    memories: int
