"""Laws of retries: a key makes its action happen once, and says what came of it."""

from __future__ import annotations

from graphmem.domain.errors import BadInputError, ConflictError, StaleError
from graphmem.domain.records import RecordKind
from graphmem.ports.changes import Changes, StoredReceipt
from graphmem.ports.store import MemoryStore
from tests.builders import (
    NS,
    caused,
    changed,
    changes,
    evidence,
    fact,
    failure,
    generalizes,
    pattern,
    record,
    request,
)
from tests.contract.reading import at_once, edges_of, found, one, put, records_of, refused, snapshot


def keyed(key: str = "k", payload: str = "hash-1", text: str = "first") -> Changes:
    """An action with one key that makes a new memory each time it is built, as a retry does."""
    new = fact(text)
    return changes(new, requests=(request(key, new, payload),))


def test_a_new_key_is_unknown(store: MemoryStore) -> None:
    """A key that nobody used has no receipt."""
    store.apply(keyed("k"))
    assert store.receipt(NS, "K") is None
    assert store.receipt(NS, "k ") is None
    assert store.receipt("never written", "k") is None


def test_a_key_tells_what_it_made(store: MemoryStore) -> None:
    """The receipt of a key holds the payload hash, the memory it made and the revision that it led to."""
    store.apply(changes(fact()))
    action = keyed()
    receipt = store.apply(action)
    assert store.receipt(NS, "k") == StoredReceipt(
        key="k", payload_hash="hash-1", memory_id=action.create[0].id, revision=receipt.revision
    )


def test_a_retry_gets_the_first_receipt(store: MemoryStore) -> None:
    """The same key with the same payload answers the first receipt, created False, and writes nothing."""
    first = store.apply(keyed())
    stored = store.receipt(NS, "k")
    before = snapshot(store)
    again = store.apply(keyed())
    assert first.created
    assert not again.created
    assert again.receipts == (stored,)
    assert snapshot(store) == before


def test_a_retry_repeats_no_part_of_the_action(store: MemoryStore) -> None:
    """A retry adds no edge, evidence, record or count either, and its parameters_version is ignored."""
    lesson = pattern()
    put(store, lesson)

    def action() -> Changes:
        new = failure()
        return changes(
            new,
            edges=(caused(new, old, evidence=(evidence(note="n"),)), generalizes(lesson, new)),
            requests=(request("k", new),),
            records=(record(),),
            parameters_version=7,
        )

    (old,) = put(store, fact())
    store.apply(action())
    before = snapshot(store)
    store.apply(action())
    assert snapshot(store) == before
    assert one(store, lesson).frequency == 1


def test_a_key_belongs_to_its_payload(store: MemoryStore) -> None:
    """The same key with another payload is a conflict, and the first write stays."""
    store.apply(keyed())
    refused(store, ConflictError, keyed(payload="hash-2", text="second"))
    assert [item.text for item in found(store)] == ["first"]


def test_the_key_is_asked_before_all_else(store: MemoryStore) -> None:
    """A retry of an update gets its receipt although the version that it expects is gone."""
    (read,) = put(store, fact("old"))
    action = changes(update=(changed(read, statement="new"),), requests=(request("k", read),))
    assert store.apply(action).created
    assert not store.apply(action).created
    assert one(store, read).version == 2


def test_a_retry_of_an_erasure_gets_its_receipt(store: MemoryStore) -> None:
    """A key with no memory of its own is remembered although what it erased is gone."""
    (read,) = put(store, fact())
    action = changes(erase=(read.id,), requests=(request("k"),))
    assert store.apply(action).created
    assert not store.apply(action).created


def test_several_keys_of_one_action(store: MemoryStore) -> None:
    """With all of several keys known nothing is written, and the receipts come in the order asked."""
    first, second = fact("a"), fact("b")
    store.apply(changes(first, second, requests=(request("1", first), request("2", second))))
    before = snapshot(store)
    again = store.apply(changes(fact("b"), fact("a"), requests=(request("2"), request("1"))))
    assert not again.created
    assert [(item.key, item.memory_id) for item in again.receipts] == [("2", second.id), ("1", first.id)]
    assert snapshot(store) == before


def test_some_known_keys_are_no_answer(store: MemoryStore) -> None:
    """When only some of several keys are known the caller must sort them out first: nothing is written."""
    store.apply(keyed("known"))
    one_new, one_old = fact("n"), fact("o")
    requests = request("new", one_new), request("known", one_old)
    refused(store, StaleError, changes(one_new, one_old, requests=requests))
    assert store.receipt(NS, "new") is None


def test_one_conflict_refuses_all(store: MemoryStore) -> None:
    """One key with another payload refuses the whole action, also its new keys."""
    store.apply(keyed("known"))
    new, old = fact("n"), fact("o")
    requests = request("new", new), request("known", old, "hash-2")
    refused(store, ConflictError, changes(new, old, requests=requests))
    assert store.receipt(NS, "new") is None


def test_a_refused_action_leaves_its_key_free(store: MemoryStore) -> None:
    """After a refusal the corrected call can use the same key."""
    new = fact()
    bad = changes(new, edges=(caused(new, fact(id=new.id)),), requests=(request("k", new),))
    refused(store, BadInputError, bad)
    assert store.apply(keyed("k", "hash-2")).created


def test_a_key_stays_with_its_memory(store: MemoryStore) -> None:
    """Updates of the memory that a key made leave the key's receipt as it was."""
    store.apply(keyed())
    stored = store.receipt(NS, "k")
    put(store, update=(changed(found(store)[0], statement="new"),))
    assert store.receipt(NS, "k") == stored


def test_a_key_alone_moves_nothing(store: MemoryStore) -> None:
    """A key with records only is remembered, and the revision stays."""
    before = store.state(NS).revision
    action = changes(records=(record(),), requests=(request("k"),))
    assert store.apply(action).created
    assert not store.apply(action).created
    assert store.state(NS).revision == before
    assert len(records_of(store, RecordKind.SERVED)) == 1


def test_many_writers_with_one_key(store: MemoryStore) -> None:
    """Of many calls with one key at once exactly one writes, and all name the same memory."""
    receipts = at_once(lambda _: store.apply(keyed()), 32)
    assert sum(item.created for item in receipts) == 1
    (only,) = found(store)
    assert {item.receipts[0].memory_id for item in receipts if not item.created} == {only.id}
    assert store.state(NS).revision == 1


def test_many_writers_with_one_key_and_other_payloads(store: MemoryStore) -> None:
    """Of many calls with one key and different payloads at once one writes, all others are refused."""

    def write(number: int) -> bool:
        try:
            return store.apply(keyed("k", f"hash-{number}")).created
        except ConflictError:
            return False

    assert sum(at_once(write, 16)) == 1
    assert len(found(store)) == 1
    assert edges_of(store) == []
