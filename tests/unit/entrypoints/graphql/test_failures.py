"""What goes wrong on our side: masked, timed out, or UNAVAILABLE; the log never holds a text."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import pytest
from starlette.testclient import TestClient

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.entrypoints.graphql.app import create_app
from graphmem.queries import graphql_operation
from tests.failing_store import FailingStore
from tests.unit.entrypoints.graphql.door import Door, opened

SECRET = "the-text-of-a-memory"


@pytest.fixture
def store(tmp_path: Path) -> FailingStore:
    return FailingStore(SqliteStore(tmp_path / "failing.db"))


@pytest.fixture
def failing(tmp_path: Path, store: FailingStore) -> Iterator[Door]:
    """The door over a store whose calls can be made to fail."""
    with opened(tmp_path, store=store) as door:
        door.fact("a first fact")
        yield door


def broken(*_: Any, **__: Any) -> Any:
    """A fault of ours whose words quote a memory."""
    raise RuntimeError(SECRET)


def test_surprises_are_masked_and_their_words_not_logged(
    door: Door, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The caller gets a request id, the log the place under the same id."""
    monkeypatch.setattr(door.services.browse, "memory", broken, raising=False)
    caplog.set_level(logging.DEBUG)
    answer = door.ask(graphql_operation("memory"), id=SECRET)
    (error,) = answer.errors
    assert (answer.status, answer.data, error["path"]) == (200, None, ["memory"])
    assert answer.code == "INTERNAL"
    request_id = error["extensions"]["requestId"]
    assert request_id == answer.headers["x-request-id"]
    assert SECRET not in str(answer)
    logged = caplog.text
    assert request_id in logged
    assert "RuntimeError at" in logged
    assert "test_failures.py" in logged
    assert SECRET not in logged


def test_a_fault_before_execution_is_masked_too(
    door: Door, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("graphmem.entrypoints.graphql.documents.measure", broken)
    answer = door.ask(f"{{ status {{ revision }} }} # {SECRET}")
    assert answer.code == "INTERNAL"
    monkeypatch.setattr("graphmem.entrypoints.graphql.bodies.operation", broken)
    again = door.ask("{ status { revision } }")
    assert (again.status, again.code) == (500, "INTERNAL")
    assert SECRET not in caplog.text + str(answer) + str(again)


def test_ordinary_calls_log_no_text(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    door.fact(SECRET)
    door.ask("{ nothing }", text=SECRET)
    door.run("recall", situation=SECRET)
    door.problem("record_experience", action="a", result="FAILURE", causedBy=[{"text": SECRET}])
    assert SECRET not in caplog.text


WRITES: dict[str, Any] = {
    "remember_fact": {"statement": "b"},
    "record_experience": {"action": "b", "result": "FAILURE"},
    "capture_failure": {"manifestation": "b"},
    "observe_turn": {"said": "That's wrong, it should be 7."},
    "record_many": [{"action": "b", "result": "FAILURE"}],
    "update_memory": {"id": "F-1", "text": "b"},
    "forget": {"id": "F-1"},
    "link_cause": {"effect": "F-1", "cause": {"id": "F-1"}},
    "review_cause": {"effect": "F-1", "cause": "F-1", "verdict": "CONFIRM"},
    "reflect": {},
    "review_pattern": {"id": "P-1", "status": "MUTED"},
    "promote_pattern": {"pattern": "P-1"},
    "review_strategy": {"id": "S-1", "status": "RETIRED"},
}
READS: dict[str, dict[str, Any]] = {
    "recall": {"situation": "a"},
    "brief": {"task": "a"},
    "explain": {"id": "F-1"},
    "impact": {"id": "F-1"},
    "suggest_causes": {"id": "F-1"},
    "memory": {"id": "F-1"},
    "memories": {},
    "clusters": {},
    "status": {},
}


@pytest.mark.parametrize("name", [*READS, *WRITES])
def test_a_store_that_is_away_is_unavailable(failing: Door, store: FailingStore, name: str) -> None:
    """503 and never an empty list that looks like "no memories"; without a restart it works again."""
    variables = READS[name] if name in READS else {"input": WRITES[name]}
    before = failing.run("status")
    store.arm(1)
    answer = failing.ask(graphql_operation(name), **variables)
    assert store.failed
    assert (answer.status, answer.data, answer.code) == (503, None, "UNAVAILABLE")
    assert answer.errors[0]["extensions"]["remedy"]
    assert failing.run("status") == before


def test_a_lost_answer_is_known_again_by_its_key(failing: Door, store: FailingStore) -> None:
    """The commit happened, its answer was lost: the retry with the same key finds the first."""
    body = {"statement": "written once", "key": "k"}
    store.arm(1 + _calls_before_apply(failing, store), after=True)
    lost = failing.ask(graphql_operation("remember_fact"), input=body)
    assert (lost.status, lost.code) == (503, "UNAVAILABLE")
    assert "same key" in lost.errors[0]["extensions"]["remedy"]
    again = failing.fact(**body)
    assert again["receipt"]["created"] is False
    assert failing.run("status")["counts"]["facts"] == 4


def _calls_before_apply(door: Door, store: FailingStore) -> int:
    door.fact("what is looked up once is known from here on", key="first")
    start = len(store.calls)
    door.fact("to count the calls", key="counted")
    return store.calls[start:].index("apply")


def test_readiness_follows_the_store(failing: Door, store: FailingStore) -> None:
    ready = failing.client.get("/readyz")
    assert (ready.status_code, ready.json()["ready"], ready.json()["mode"]) == (200, True, "HYBRID")
    assert ready.json()["embedder"].startswith("hash:")
    assert ready.json()["revision"] == ready.json()["indexRevision"] == 1
    store.arm(1)
    away = failing.client.get("/readyz")
    assert (away.status_code, away.json()) == (503, {"ready": False, "code": "UNAVAILABLE"})
    assert failing.client.get("/healthz").status_code == 200
    assert failing.client.get("/readyz").status_code == 200


def test_readiness_does_not_break_with_a_fault(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door.services.inspect, "status", broken, raising=False)
    away = door.client.get("/readyz")
    assert (away.status_code, away.json()) == (503, {"ready": False, "code": "INTERNAL"})


def test_a_slow_service_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """503 with UNAVAILABLE in time, and others are answered meanwhile."""
    release = Event()
    with opened(tmp_path, request_timeout_s=0.3) as door:
        monkeypatch.setattr(
            door.services.browse, "memory", lambda *_: release.wait(20) and broken(), raising=False
        )
        started = monotonic()
        answer = door.ask(graphql_operation("memory"), id="F-1")
        assert monotonic() - started < 5
        assert (answer.status, answer.code) == (503, "UNAVAILABLE")
        assert "same key" in answer.errors[0]["extensions"]["remedy"]
        assert door.get("{ status { revision } }") == {"revision": 0}
        release.set()


def test_the_app_can_be_started_again(tmp_path: Path) -> None:
    """Bug case 23: five starts and stops, each on its own event loop."""
    with opened(tmp_path) as door:
        app = create_app(door.services)
        for number in range(5):
            with TestClient(app, base_url="http://127.0.0.1:8000") as client:
                again = Door(door.services, client)
                again.fact(f"start {number}")
                assert again.run("status")["counts"]["facts"] == number + 1


def test_partial_answers_keep_what_was_found(door: Door) -> None:
    """Fields that may be null would stay; here all are required, so data is null and each error has its path."""
    answer = door.ask('{ a: explain(id: "E-9") { truncated } b: status { revision } }')
    assert (answer.status, answer.data) == (200, None)
    assert answer.errors[0]["path"] == ["a"]
