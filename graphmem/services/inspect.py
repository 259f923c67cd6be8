"""How the memory is: where it stands, and why an answer may be empty."""

from __future__ import annotations

from graphmem.domain.answers import Finding, RecallMode, Status
from graphmem.domain.drafts import Question
from graphmem.domain.rules import check_namespace
from graphmem.domain.words import filled
from graphmem.index.index_set import IndexSet
from graphmem.ports.store import MemoryStore
from graphmem.services import giving_up
from graphmem.services.embedding import Embedding
from graphmem.services.notebook import Notebook
from graphmem.services.recall import Recall
from graphmem.services.spaces import Spaces

NAMED = 20
"""Edited memories and edges that the doctor names one by one."""
_LEFT_OUT = (
    "no answer has it: put it right in the database, or remove it there, then run 'graphmem doctor --repair'"
)
_READ_IN_PART = "that is taken for missing: put it right in the database"


class Inspect:
    """Status for machines, findings for people."""

    def __init__(
        self,
        store: MemoryStore,
        store_url: str,
        indexes: IndexSet,
        spaces: Spaces,
        embedding: Embedding,
        notebook: Notebook,
    ) -> None:
        self._store = store
        self._store_url = store_url
        self._indexes = indexes
        self._spaces = spaces
        self._embedding = embedding
        self._notebook = notebook

    def status(self, namespace: str) -> Status:
        """Counts, revisions, digest check and the state of the vectors of one namespace."""
        check_namespace(namespace)
        matches = self._indexes.verify(namespace)
        with self._indexes.current(namespace) as index:
            revision, without, bad = index.cursor.revision, index.without_vectors(), index.bad_vectors()
        state = self._store.state(namespace)
        parameters = self._embedding.parameters
        compared = self._spaces.standing(namespace).compared
        return Status(
            namespace=namespace,
            store=self._store_url,
            revision=state.revision,
            index_revision=revision,
            counts=dict(state.counts),
            digest_matches=matches,
            embedder=f"{parameters.space.provider}:{parameters.space.model}" if parameters else "none",
            mode=RecallMode.HYBRID if compared else RecallMode.LEXICAL,
            without_vectors=without,
            bad_vectors=bad,
            pending_jobs=state.pending_jobs,
            pending_analyses=state.pending_analyses,
            failed_jobs=giving_up.count_given_up(self._store, namespace),
            notes=(
                *(() if compared or parameters is None else (self._foreign(namespace),)),
                *self._notebook.findings(),
            ),
        )

    def doctor(self, namespace: str, question: Question | None, recall: Recall) -> tuple[Finding, ...]:
        """What is in order and what is not; with a question also why its answer is empty or silent."""
        before = self.status(namespace)
        self._indexes.renew(namespace)
        status = self.status(namespace)
        total = sum(status.counts.get(kind, 0) for kind in ("FACT", "EXPERIENCE", "PATTERN", "STRATEGY"))
        differed = status.digest_matches and not before.digest_matches
        findings = [
            self._populated(namespace, total),
            self._balanced(namespace, status, total),
            Finding(
                ok=not differed,
                what="the index differed and was rebuilt" if differed else "the index equals the store",
            ),
            Finding(
                ok=status.index_revision == status.revision,
                what=f"the index is at revision {status.index_revision} of {status.revision}",
                remedy=""
                if status.index_revision == status.revision
                else "ask again, it catches up by itself",
            ),
            *self._damages(namespace),
            self._vectors(status),
            *giving_up.findings(status.failed_jobs),
        ]
        return tuple(findings + (self._answer(namespace, question, recall) if question and total else []))

    def _populated(self, namespace: str, total: int) -> Finding:
        if total:
            return Finding(ok=True, what=f"namespace '{namespace}' holds {_memories(total)}")
        others = [name for name in self._store.namespaces() if name != namespace]
        named = ", ".join(repr(name) for name in others[:5])
        remedy = f"did you mean {named}? choose with --namespace" if others else "record something first"
        return Finding(ok=False, what=f"namespace '{namespace}' is empty", remedy=remedy)

    def _balanced(self, namespace: str, status: Status, total: int) -> Finding:
        """Whether the counts of the store are those of what it holds: an index that was just built is asked."""
        if status.digest_matches:
            return Finding(ok=True, what="what the store counts is what it holds")
        with self._indexes.current(namespace) as index:
            there = len(index.mirror.headers)
        return Finding(
            ok=False,
            what=f"the store counts {_memories(total)}, and holds {there}: edited by hand",
            remedy="put back what you miss, then run 'graphmem doctor --repair': it counts what can be read",
        )

    def _damages(self, namespace: str) -> list[Finding]:
        """What cannot be read, by name."""
        found = self._store.damaged(namespace, NAMED + 1)
        said = [
            Finding(
                ok=False,
                what=f"{damage.name} {'cannot be read' if damage.whole else 'is read in part'}: {damage.why}",
                remedy=_LEFT_OUT if damage.whole else _READ_IN_PART,
            )
            for damage in found[:NAMED]
        ]
        more = Finding(
            ok=False, what="there is more that cannot be read", remedy="ask again when this is mended"
        )
        return [*said, more] if len(found) > NAMED else said

    def _vectors(self, status: Status) -> Finding:
        if status.notes:
            remedy = "start with the embedder that wrote them, or run 'graphmem reembed' with this one"
            return Finding(ok=False, what=status.notes[0], remedy=remedy)
        if self._embedding.parameters is None:
            return Finding(ok=False, what="no embedder: words only", remedy="choose one with --embedder")
        if not self._embedding.answers(patient=True):
            return Finding(ok=False, what=f"embedder {status.embedder} does not answer", remedy="see the log")
        lacking = status.without_vectors + status.bad_vectors
        return Finding(
            ok=not lacking,
            what=f"{status.embedder}: {_memories(lacking)} without a usable vector",
            remedy="they are found by words; run 'graphmem doctor --repair'" if lacking else "",
        )

    def _foreign(self, namespace: str) -> str:
        stored = self._spaces.stored(namespace)
        name = f"{stored.space.provider}:{stored.space.model}" if stored else "another model"
        if stored and not stored.complete:
            return f"vectors of this namespace are being made anew by {name}: words only until that is done"
        return f"vectors of this namespace were made by {name}: words only"

    def _answer(self, namespace: str, question: Question, recall: Recall) -> list[Finding]:
        found = recall.ask(namespace, question)
        lists = (found.facts, found.errors, found.worked, found.patterns, found.strategies)
        listed = sum(map(len, lists))
        if not listed:
            return [
                Finding(
                    ok=False,
                    what="nothing shares a word or comes near in meaning",
                    remedy="say it in other words",
                )
            ]
        said = ", ".join(reminder.strength.value for reminder in found.reminders)
        silent = "no past failure is near enough to warn about; those listed are background"
        return [
            Finding(ok=True, what=filled("{n} {n:memory is|memories are} listed", n=listed)),
            Finding(ok=True, what=f"said: {said}" if said else silent),
        ]


def _memories(n: int) -> str:
    return filled("{n} {n:memory|memories}", n=n)
