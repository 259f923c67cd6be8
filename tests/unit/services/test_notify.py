"""Who wants to know is told once of each thing, and a receiver that is away holds nothing up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from graphmem.domain.drafts import PatternReview
from graphmem.domain.memories import PatternStatus, State
from graphmem.domain.records import JobKind, Record, RecordKind
from graphmem.ports.changes import Changes, Update
from graphmem.services import notify
from graphmem.wiring import Services
from tests.builders import NS, Clock, at
from tests.contract.reading import records_of
from tests.lessons import broke, patterns
from tests.receiver import Receiver, receiving
from tests.services import opened


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made


@pytest.fixture
def telling(path: Path, clock: Clock, receiver: Receiver) -> Iterator[Services]:
    """Services that tell the receiver."""
    with opened(path, clock=clock, webhook=f"{receiver.url}/hook") as made:
        yield made


def made_high(services: Services) -> None:
    """Five failures of five tasks."""
    for number in range(5):
        broke(services, number)


def pending(services: Services) -> int:
    return services.store.state(NS).pending_jobs


def notices(services: Services) -> list[Record]:
    """The jobs NOTIFY that are kept, ended or not."""
    return [item for item in records_of(services.store, RecordKind.JOB) if item.body["kind"] == "NOTIFY"]


def later(services: Services, clock: Clock, seconds: float) -> int:
    """The worker's next look, some time later."""
    clock.now += timedelta(seconds=seconds)
    return services.worker.round()


def test_a_pattern_that_becomes_high_is_told(telling: Services, receiver: Receiver) -> None:
    made_high(telling)
    assert (pending(telling), receiver.raw) == (1, [])
    assert telling.worker.round() == 1
    (message,) = receiver.messages
    (pattern,) = patterns(telling)
    assert message["type"] == "pattern.high"
    assert message["data"]["namespace"] == NS
    told = message["data"]["pattern"]
    assert (told["id"], told["ref"], told["lesson"]) == (pattern.id, "P-1", pattern.lesson)
    assert (told["level"], told["episodes"], told["status"]) == ("HIGH", 5, "OPEN")
    assert (pending(telling), telling.worker.round(), len(receiver.raw)) == (0, 0, 1)
    assert notices(telling) == []


def test_a_pattern_that_came_back_is_told(telling: Services, receiver: Receiver) -> None:
    made_high(telling)
    telling.worker.round()
    decided = PatternReview(id="P-1", status=PatternStatus.RESOLVED, by="anna", reason="fixed")
    telling.curate.review_pattern(NS, decided)
    broke(telling, 6)
    telling.worker.round()
    assert [message["type"] for message in receiver.messages] == ["pattern.high", "pattern.regressed"]
    assert receiver.messages[1]["data"]["pattern"]["status"] == "REGRESSED"
    assert len(set(receiver.ids())) == 2


def test_nobody_to_tell_leaves_no_job(services: Services) -> None:
    """Without a webhook nothing waits, whether a worker runs or not."""
    made_high(services)
    assert pending(services) == 0


def test_what_was_to_be_told_ends_when_nobody_is_any_more(
    telling: Services, path: Path, receiver: Receiver
) -> None:
    made_high(telling)
    with opened(path, seed=1) as silent:
        assert (silent.worker.round(), pending(silent)) == (1, 0)
    assert receiver.raw == []


def test_a_notice_that_was_not_taken_is_sent_again_later(
    telling: Services, clock: Clock, receiver: Receiver
) -> None:
    """Not at once: after ten seconds, then after thirty more; by the same id each time."""
    receiver.statuses[:] = [500, 429, 200]
    made_high(telling)
    assert (telling.worker.round(), pending(telling)) == (0, 1)
    assert (later(telling, clock, 5), len(receiver.raw)) == (0, 1)
    assert (later(telling, clock, 6), len(receiver.raw)) == (0, 2)
    assert (later(telling, clock, 20), len(receiver.raw)) == (0, 2)
    assert (later(telling, clock, 11), len(receiver.raw)) == (1, 3)
    assert (pending(telling), len(set(receiver.ids()))) == (0, 1)


def test_a_notice_that_nobody_takes_is_given_up(telling: Services, clock: Clock, receiver: Receiver) -> None:
    receiver.statuses[:] = [400]
    made_high(telling)
    for _ in range(notify.TRIES + 3):
        later(telling, clock, 20_000)
    assert (len(receiver.raw), pending(telling)) == (notify.TRIES, 0)
    assert [kept.body["state"] for kept in notices(telling)] == ["FAILED"]


def test_one_that_is_not_taken_does_not_hold_up_the_next(telling: Services, receiver: Receiver) -> None:
    receiver.statuses[:] = [500, 200]
    made_high(telling)
    for number in range(5):
        broke(telling, number, manifestation="the network of the region was gone", correction="try it again")
    assert [telling.worker.round() for _ in range(2)] == [0, 1]
    assert len(set(receiver.ids())) == 2
    assert pending(telling) == 1


def test_processes_that_die_while_they_send_are_counted(
    telling: Services, clock: Clock, receiver: Receiver
) -> None:
    """A message at which the sender dies each time is given up as well."""
    made_high(telling)
    for _ in range(notify.TRIES):
        clock.now += notify.LEASE
        assert telling.store.claim(NS, JobKind.NOTIFY, "killed", clock.now, notify.LEASE) is not None
    assert later(telling, clock, 61) == 1
    assert (pending(telling), receiver.raw) == (0, [])


def test_a_notice_that_another_process_sends_meanwhile_is_left_to_it(
    telling: Services, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer took longer than the lease; the other one ends the job."""
    made_high(telling)
    taken: list[object] = []

    def slow(_: object) -> None:
        clock.now += 2 * notify.LEASE
        taken.append(telling.store.claim(NS, JobKind.NOTIFY, "other", clock.now, notify.LEASE))

    slowly = notify.Notify(telling.store, slow, clock, "slow")
    assert slowly.pending(NS) == 0
    assert taken != [None]
    assert pending(telling) == 1


def test_of_a_pattern_that_is_out_of_use_nobody_is_told(telling: Services, receiver: Receiver) -> None:
    made_high(telling)
    (pattern,) = patterns(telling)
    gone = Update(memory=replace(pattern, state=State.RETRACTED), expected_version=pattern.version)
    telling.store.apply(Changes(namespace=NS, at=at(99), update=(gone,)))
    assert (telling.worker.round(), pending(telling), receiver.raw) == (1, 0, [])


def test_the_address_and_the_secret_are_in_no_log(
    path: Path, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.statuses[:] = [500]
    with opened(path, webhook=f"{receiver.url}/t0ken", webhook_secret="s3cret") as telling:
        made_high(telling)
        telling.worker.round()
    assert "answered 500" in caplog.text
    assert "t0ken" not in caplog.text
    assert "s3cret" not in caplog.text + repr(telling.settings)
