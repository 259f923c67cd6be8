"""Laws of what a sweep needs: notes on what was served can leave, and a tier is no new value."""

from __future__ import annotations

import pytest

from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Tier
from graphmem.domain.records import RecordKind
from graphmem.ports.store import MemoryStore
from tests.builders import NS, changed, changes, fact, failure, record
from tests.contract.reading import one, records_of, refused


def test_records_are_dropped_by_kind_and_id(store: MemoryStore) -> None:
    """Only those named leave, with their digests; unknown ones are ignored, and nothing moves."""
    served, exposed = record(RecordKind.SERVED), record(RecordKind.EXPOSURE)
    twin = record(RecordKind.SERVED, id=exposed.id)
    store.apply(changes(fact(), records=(served,)))
    before = store.state(NS)
    store.apply(changes(records=(exposed, twin)))
    named = ((RecordKind.EXPOSURE, exposed.id), (RecordKind.SERVED, twin.id), (RecordKind.SERVED, "unknown"))
    store.apply(changes(drop=named))
    assert records_of(store, RecordKind.SERVED) == [served]
    assert records_of(store, RecordKind.EXPOSURE) == []
    assert store.state(NS) == before
    store.apply(changes(drop=named))
    assert store.state(NS) == before


@pytest.mark.parametrize("kind", sorted(set(RecordKind) - {RecordKind.SERVED, RecordKind.EXPOSURE}))
def test_other_records_are_never_dropped(store: MemoryStore, kind: RecordKind) -> None:
    kept = record(RecordKind.AUDIT)
    store.apply(changes(records=(kept,)))
    refused(store, BadInputError, changes(drop=((kind, kept.id),)))
    assert records_of(store, RecordKind.AUDIT) == [kept]


def test_a_change_of_the_tier_leaves_no_old_value(store: MemoryStore) -> None:
    """How readily a memory is searched is nothing that it says; any other change keeps what was there."""
    old = failure()
    store.apply(changes(old))
    (moved,) = store.apply(changes(update=(changed(one(store, old), tier=Tier.COLD),))).memories
    assert (moved.version, one(store, old)) == (2, moved)
    assert records_of(store, RecordKind.VERSION) == []
    store.apply(changes(update=(changed(moved, tier=Tier.WARM, correction="look first"),)))
    assert [item.subject for item in records_of(store, RecordKind.VERSION)] == [old.id]
