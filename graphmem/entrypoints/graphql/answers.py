"""What reading verbs answer, as GraphQL types."""

from __future__ import annotations

import re
from collections.abc import Iterable

import strawberry
from strawberry import UNSET

from graphmem.domain import answers as domain
from graphmem.domain.answers import RecallMode
from graphmem.domain.memories import Memory as Stored
from graphmem.domain.memories import MemoryKind
from graphmem.entrypoints.graphql.declaring import answered
from graphmem.entrypoints.graphql.edges import CauseEdge, cause_edge
from graphmem.entrypoints.graphql.kinds import Memory, mirrored, node, nodes
from graphmem.entrypoints.graphql.reminders import Reminder, reminders
from graphmem.ports.queries import Page
from graphmem.services.wording import prompt_text

_USER_INFO = re.compile(r"//[^/@]*@")


@strawberry.type(description="One memory found, with the parts of its score.")
class Hit:
    """A hit."""

    memory: Memory
    relevance: float = strawberry.field(description="From 0 to 1; not a probability.")
    lexical_score: float = strawberry.field(description="BM25, 0 or more.")
    similarity: float | None = strawberry.field(
        description="Centred cosine from -1 to 1; null without vectors."
    )
    decay: float = strawberry.field(description="What age leaves of the rank, above 0 and at most 1.")
    why: str
    confidence: float | None = strawberry.field(
        description="A calibrated probability; null where there is none."
    )
    failed_here: list[Memory] = strawberry.field(
        description="Failures that this fact is a recorded cause of."
    )
    weak: bool = strawberry.field(
        description="Only the nearest of what went wrong: no word, meaning or tool says that it fits."
    )


@strawberry.type(description="Facts, own errors and what worked, apart.")
class Recollection:
    """The answer of recall."""

    facts: list[Hit]
    errors: list[Hit]
    worked: list[Hit]
    patterns: list[Hit]
    strategies: list[Hit]
    reminders: list[Reminder] = strawberry.field(description="At most three, and only where they are earned.")
    revision: int
    mode: RecallMode = strawberry.field(description="LEXICAL: words only, no usable vectors.")
    language: str
    source: strawberry.Private[domain.Recollection]

    @answered()
    def prompt_text(self, max_tokens: int | None = 400, language: str | None = UNSET) -> str:
        """The block to put before a model, '' when there is nothing to say.

        maxTokens from 1 to 4,000; language 'en' or 'zh', otherwise that of the question.
        """
        return prompt_text(self.source, 400 if max_tokens is None else max_tokens, language or None)


@strawberry.type(
    description="How often a kind of failure happened in comparable work: count of n experiences."
)
class LikelyFailure:
    """A failure to expect."""

    error_type: str
    count: int
    n: int
    example: Memory


@strawberry.type(description="What to know at the start of a task.")
class Brief:
    """The answer of brief."""

    recollection: Recollection
    likely_failures: list[LikelyFailure]


@strawberry.type(description="What followed from a memory, nearest first.")
class Impact:
    """The answer of impact."""

    of: Memory
    nodes: list[Memory]
    edges: list[CauseEdge]
    failures: int
    tasks: int
    truncated: bool


@strawberry.type(description="A possible cause, to be confirmed with linkCause. score is from 0 to 1.")
class CauseProposal:
    """A proposal."""

    memory: Memory
    score: float
    reasons: list[str]


@strawberry.type(description="How many memories and edges a namespace holds.")
class Counts:
    """Counts by kind."""

    facts: int
    experiences: int
    failures: int
    patterns: int
    strategies: int
    causes: int
    generalizations: int
    supersessions: int


@strawberry.type(description="Work of one kind that was given up.")
class FailedJobs:
    """Count of a kind."""

    kind: str
    count: int


@strawberry.type(description="Where a namespace and the index over it stand.")
class Status:
    """The answer of status."""

    namespace: str
    store: str
    revision: int
    index_revision: int
    counts: Counts
    digest_matches: bool
    embedder: str
    mode: RecallMode
    without_vectors: int
    bad_vectors: int
    pending_jobs: int = strawberry.field(description="Work of the service itself that waits or is at work.")
    pending_analyses: int = strawberry.field(description="What waits for an analyst: see pendingWork.")
    failed_jobs: list[FailedJobs] = strawberry.field(
        description="Work that was tried too often and is kept: see graphmem doctor."
    )
    notes: list[str]


@strawberry.type(description="One memory of a page.")
class MemoryEdge:
    """An edge of the connection."""

    node: Memory


@strawberry.type(description="Whether there is more; endCursor goes into `after`, null on the last page.")
class PageInfo:
    """Paging."""

    has_next_page: bool
    end_cursor: str | None


@strawberry.type(description="A page of memories, newest first.")
class MemoryConnection:
    """A connection by key, not by offset: pages stay apart while memories are added."""

    edges: list[MemoryEdge]
    nodes: list[Memory]
    page_info: PageInfo


def recollection(found: domain.Recollection) -> Recollection:
    """Recollection as a GraphQL object."""
    lists = {
        name: _hits(getattr(found, name)) for name in ("facts", "errors", "worked", "patterns", "strategies")
    }
    return mirrored(Recollection, found, **lists, reminders=reminders(found.reminders), source=found)


def brief(found: domain.Brief) -> Brief:
    """Brief as a GraphQL object."""
    likely = [mirrored(LikelyFailure, item, example=node(item.example)) for item in found.likely_failures]
    return Brief(recollection=recollection(found.recollection), likely_failures=likely)


def impact(found: domain.Impact) -> Impact:
    """Impact as a GraphQL object."""
    edges = [cause_edge(edge) for edge in found.edges]
    return mirrored(Impact, found, of=node(found.of), nodes=nodes(found.nodes), edges=edges)


def proposals(found: Iterable[domain.CauseProposal]) -> list[CauseProposal]:
    """Proposals as GraphQL objects."""
    return [mirrored(CauseProposal, item, memory=node(item.memory)) for item in found]


def status(found: domain.Status) -> Status:
    """Status as a GraphQL object; a password in the store's address is left out."""
    counts = found.counts
    return mirrored(
        Status,
        found,
        store=_USER_INFO.sub("//", found.store),
        counts=Counts(
            facts=counts.get(MemoryKind.FACT, 0),
            experiences=counts.get(MemoryKind.EXPERIENCE, 0),
            failures=counts.get("FAILURE", 0),
            patterns=counts.get(MemoryKind.PATTERN, 0),
            strategies=counts.get(MemoryKind.STRATEGY, 0),
            causes=counts.get("CAUSED_BY", 0),
            generalizations=counts.get("GENERALIZES", 0),
            supersessions=counts.get("SUPERSEDES", 0),
        ),
        failed_jobs=[FailedJobs(kind=kind, count=count) for kind, count in found.failed_jobs.items()],
    )


def connection(page: Page[Stored]) -> MemoryConnection:
    """A page as a connection."""
    found = nodes(page.items)
    return MemoryConnection(
        edges=[MemoryEdge(node=item) for item in found],
        nodes=found,
        page_info=PageInfo(has_next_page=bool(page.next), end_cursor=page.next or None),
    )


def _hits(found: Iterable[domain.Hit]) -> list[Hit]:
    return [mirrored(Hit, hit, memory=node(hit.memory), failed_here=nodes(hit.failed_here)) for hit in found]
