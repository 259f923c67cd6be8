"""Writing facts and experiences: once, whole, and known again when the same call comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graphmem.domain.answers import Written
from graphmem.domain.drafts import Draft, ExperienceDraft, FactDraft
from graphmem.domain.errors import BadInputError, StaleError, TooLargeError
from graphmem.domain.memories import Memory, is_failure
from graphmem.domain.rules import MAX_ITEMS, check_namespace, check_occurred
from graphmem.ports.changes import Receipt, Request, StoredReceipt
from graphmem.ports.store import MemoryStore
from graphmem.services.assign import Assign, assignments
from graphmem.services.causes import require
from graphmem.services.drafting import Drafted, draft_memory
from graphmem.services.furnish import Furnish
from graphmem.services.intake import Clock, NewId, clean, naming_item, payload_hash
from graphmem.services.notebook import Notebook
from graphmem.services.open_work import analyses
from graphmem.services.provenance import Provenance
from graphmem.services.receipts import known_receipt

_ATTEMPTS = 5
"""How often a write that lost a race looks up its key again before it gives up."""


@dataclass(frozen=True, slots=True)
class _Item:
    """One draft, cleaned and hashed."""

    draft: Draft
    redactions: int
    payload_hash: str


class Remember:
    """The writing verbs. A call with a key can be repeated: it is written once."""

    def __init__(
        self,
        store: MemoryStore,
        furnish: Furnish,
        assign: Assign,
        clock: Clock,
        new_id: NewId,
        notebook: Notebook,
        generalize: bool = False,
    ) -> None:
        """generalize: give a failure without one a general form by rule."""
        self._store = store
        self._generalize = generalize
        self._furnish = furnish
        self._assign = assign
        self._clock = clock
        self._new_id = new_id
        self._notebook = notebook
        self._provenance = Provenance(store)

    def fact(self, namespace: str, draft: FactDraft) -> Written:
        """Remember a fact; the facts it supersedes stay, marked.

        Raises BadInputError, TooLargeError, NotFoundError, ConflictError, UnavailableError.
        """
        return self._write(namespace, [draft], many=False)[0]

    def experience(self, namespace: str, draft: ExperienceDraft) -> Written:
        """Record what was done and what came of it, with the causes that the writer names.

        Raises as fact().
        """
        return self._write(namespace, [draft], many=False)[0]

    def many(self, namespace: str, drafts: Sequence[ExperienceDraft]) -> tuple[Written, ...]:
        """Record several experiences in one transaction; causes may name keys of the same call.

        Known items answer created False; one refusal refuses all, its field begins with the item's index.
        """
        if not drafts:
            raise BadInputError("nothing to record", field="input", remedy="send at least one item")
        if len(drafts) > MAX_ITEMS:
            raise TooLargeError(
                f"{len(drafts)} items, at most {MAX_ITEMS}", field="input", remedy="split the call"
            )
        return self._write(namespace, drafts, many=True)

    def together(self, namespace: str, drafts: Sequence[Draft]) -> tuple[Written, ...]:
        """Facts and experiences that one action of a user writes, all or none, in one transaction.

        Raises as fact(); the fields of a refusal are those of the drafts.
        """
        return self._write(namespace, drafts, many=False)

    def _write(self, namespace: str, drafts: Sequence[Draft], *, many: bool) -> tuple[Written, ...]:
        check_namespace(namespace)
        items = _intake(drafts, many)
        for _ in range(_ATTEMPTS):
            try:
                written = self._attempt(namespace, items, many)
            except StaleError as error:
                self._furnish.again(namespace)
                lost = error
                continue
            if any(item.created and is_failure(item.memory) for item in written):
                self._assign.after_write(namespace)
            return written
        raise lost

    def _attempt(self, namespace: str, items: Sequence[_Item], many: bool) -> tuple[Written, ...]:
        known: dict[int, StoredReceipt] = {}
        drafted: dict[int, Drafted] = {}
        pending: dict[str, Memory] = {}
        at = self._clock()
        for index, item in enumerate(items):
            with naming_item(index, many):
                receipt = self._known(namespace, item)
                if receipt is not None:
                    known[index] = receipt
                    continue
                check_occurred(item.draft.occurred_at, at)
                stamp = {"id": self._new_id(at), "namespace": namespace, "recorded_at": at}
                drafted[index] = draft_memory(
                    self._store, item.draft, stamp, pending, generalize=self._generalize
                )
                memory = drafted[index].memory
                pending[item.draft.key or memory.id] = memory
        committed = self._commit(namespace, items, drafted) if drafted else {}
        return tuple(
            committed[index] if index in committed else self._as_before(namespace, item, known[index])
            for index, item in enumerate(items)
        )

    def _known(self, namespace: str, item: _Item) -> StoredReceipt | None:
        return known_receipt(self._store, namespace, item.draft.key, item.payload_hash)

    def _commit(
        self, namespace: str, items: Sequence[_Item], drafted: dict[int, Drafted]
    ) -> dict[int, Written]:
        memories = [one.memory for one in drafted.values()]
        at = memories[0].recorded_at
        self._notebook.before_write(namespace, {memory.session_id for memory in memories})
        furnished = self._furnish(namespace, self._provenance.marked(namespace, memories), at)
        requests = {index: _request(items[index], one.memory) for index, one in drafted.items()}
        receipt: Receipt = self._store.apply(
            replace(
                furnished.changes(namespace, at),
                create=furnished.memories,
                update=tuple(update for one in drafted.values() for update in one.updates),
                edges=tuple(edge for one in drafted.values() for edge in one.edges),
                requests=tuple(requests.values()),
                jobs=(
                    *furnished.jobs,
                    *assignments(memories, at, self._new_id),
                    *analyses(memories, at),
                ),
            )
        )
        if not receipt.created:
            raise StaleError("the same call was committed at the same time", remedy="look the key up")
        stored = {memory.id: memory for memory in receipt.memories}
        return {
            index: Written(
                memory=stored[request.memory_id],
                key=request.key,
                created=True,
                revision=receipt.revision,
                embedded=furnished.embedded,
                redactions=items[index].redactions,
            )
            for index, request in requests.items()
        }

    def _as_before(self, namespace: str, item: _Item, receipt: StoredReceipt) -> Written:
        """What the first call with the same key led to."""
        memory = require(self._store, namespace, receipt.memory_id)
        return Written(
            memory=memory,
            key=item.draft.key,
            created=False,
            revision=receipt.revision,
            embedded=bool(memory.vectors),
            redactions=item.redactions,
        )


def _request(item: _Item, memory: Memory) -> Request:
    return Request(key=item.draft.key or memory.id, payload_hash=item.payload_hash, memory_id=memory.id)


def _intake(drafts: Sequence[Draft], many: bool) -> list[_Item]:
    items = []
    for index, draft in enumerate(drafts):
        with naming_item(index, many):
            cleaned, redactions = clean(draft)
            items.append(_Item(cleaned, redactions, payload_hash(cleaned)))
    keys = [item.draft.key for item in items if item.draft.key]
    if len(keys) != len(set(keys)):
        raise BadInputError("two items have the same key", field="key", remedy="give each its own")
    return items
