"""work --llm: a model answers what waits, or it is printed what it would be asked."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from graphmem.config import Settings
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.entrypoints.cli.calling import Call
from graphmem.entrypoints.cli.consulting import REST_S, consult_for_ever, consulting
from graphmem.entrypoints.cli.terminal import Terminal
from graphmem.services.allowance import Allowance
from graphmem.services.consult import Consult
from graphmem.services.work import INTERVAL_S
from tests.builders import NS, Clock
from tests.chat import FAILURE_TEXT, ScriptedModel, completion
from tests.receiver import Receiver, receiving
from tests.services import failed, opened
from tests.unit.entrypoints.cli.conftest import Run

Fail = Callable[..., str]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """An endpoint that answers, and the settings for it."""
    with receiving(bodies=[completion()]) as received:
        monkeypatch.setenv("GRAPHMEM_LLM", "m")
        monkeypatch.setenv("GRAPHMEM_LLM_URL", received.url)
        for name in ("GRAPHMEM_LLM_KEY", "GRAPHMEM_LLM_TOKENS"):
            monkeypatch.delenv(name, raising=False)
        yield received


def test_a_model_answers_what_waits(run: Run, fail: Fail, server: Receiver) -> None:
    fail("clean the rows")
    fail("fly over the sea")
    assert run("work", "--once", "--llm").lines == [
        "E-1 answered (321 tokens)",
        "E-2 answered (321 tokens)",
        "2 done.",
    ]
    assert run("show", "E-1", "--json").data["root_cause"]["source"] == "llm"
    assert run("pending").lines == ["Nothing waits."]
    assert len(server.raw) == 2


def test_only_the_namespace_that_is_named_leaves_the_machine(run: Run, fail: Fail, server: Receiver) -> None:
    fail("clean the rows", "--namespace", "theirs")
    assert run("work", "--once", "--llm").lines == ["0 done."]
    assert server.raw == []


def test_without_llm_nothing_is_asked(run: Run, fail: Fail, server: Receiver) -> None:
    fail("clean the rows")
    assert run("work", "--once").lines == ["0 done."]
    assert server.raw == []


def test_a_dry_run_prints_the_question_and_sends_nothing(run: Run, fail: Fail, server: Receiver) -> None:
    fail("clean the rows", "--manifestation", "it broke\u202e on [red]x[/red]")
    ended = run("work", "--llm", "--dry-run")
    assert ended.lines[0].startswith("E-1 ✗ clean the rows")
    assert ended.lines[1].startswith("  E-1 would be asked about, about ")
    assert '"manifestation": "it broke on [red]x[/red]"' in ended.out
    assert ended.lines[-1].startswith("1 would be asked about, about ")
    assert ended.lines[-1].endswith("200000 a day are allowed. Nothing was sent.")
    assert server.raw == []
    (item,) = run("claim", "--owner", "ana", "--json").data
    assert item["attempt"] == 1


def test_a_dry_run_needs_no_model(run: Run, fail: Fail, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAPHMEM_LLM", raising=False)
    fail("clean the rows")
    assert run("work", "--llm", "--dry-run").code == 0
    ended = run("work", "--llm", "--once")
    assert (ended.code, "GRAPHMEM_LLM" in ended.err) == (2, True)


def test_a_dry_run_is_one_of_the_model(run: Run) -> None:
    ended = run("work", "--dry-run")
    assert (ended.code, "--llm" in ended.err) == (2, True)


def test_used_up_tokens_are_said(
    run: Run, fail: Fail, server: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHMEM_LLM_TOKENS", "100")
    fail("clean the rows")
    first, second = run("work", "--once", "--llm").lines
    assert (first.startswith("E-1 waits: "), second) == (True, "0 done.")
    assert server.raw == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (completion("no idea"), "the model's answer does not fit, the repaired one neither (642 tokens)"),
        (completion(None, refusal="no"), "the model would not answer (321 tokens)"),
    ],
)
def test_what_was_not_answered_is_said(run: Run, fail: Fail, server: Receiver, body: str, said: str) -> None:
    server.bodies = [body]
    fail("clean the rows")
    assert run("work", "--once", "--llm").lines == [f"E-1: {said}", "0 done."]


def test_a_refusing_endpoint_ends_it(run: Run, fail: Fail, server: Receiver) -> None:
    server.statuses, server.bodies = [401], [json.dumps({"error": {"message": "bad key s3cret"}})]
    fail("clean the rows")
    ended = run("work", "--once", "--llm")
    assert (ended.code, ended.out) == (2, "")
    assert "answered 401" in ended.err
    assert "s3cret" not in ended.err


@pytest.mark.parametrize(
    ("said", "tokens", "rests"),
    [
        ((FAILURE_TEXT,), 10**6, [INTERVAL_S, INTERVAL_S]),
        ((UnavailableError("away"), FAILURE_TEXT), 10**6, [REST_S, INTERVAL_S]),
        ((FAILURE_TEXT,), 1, [REST_S, REST_S]),
    ],
)
def test_a_model_is_left_alone_while_it_cannot_answer(
    tmp_path: Path, said: tuple[Any, ...], tokens: int, rests: list[float]
) -> None:
    """It goes on looking for what is new; how long it waits is told, not slept."""
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            raise KeyboardInterrupt

    with opened(tmp_path / "m.db") as services:
        for action in ("clean the row", "fly over the sea"):
            failed(services, action)
        call = Call(Settings(store="sqlite:///x.db", namespace=NS), Terminal(), json=False)
        consult = Consult(services.analyse, ScriptedModel(*said), "llm:1", Allowance(tokens, Clock()))
        with pytest.raises(KeyboardInterrupt):
            consult_for_ever(call, consult, Event(), wait)
    assert waited == rests


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], bool]], None]:
    """Has `serve` run until something is so, in place of a port."""

    def until(done: Callable[[], bool]) -> None:
        def run_service(*_: Any) -> None:
            end = time.monotonic() + 60
            while not done() and time.monotonic() < end:
                time.sleep(0.05)

        monkeypatch.setattr("graphmem.entrypoints.cli.serving.run_service", run_service)

    return until


def test_a_service_may_ask_a_model_itself(run: Run, fail: Fail, server: Receiver, ran: Any) -> None:
    """In the namespace that is named, and no other."""
    fail("clean the rows")
    fail("fly over the sea", "--namespace", "theirs")
    ran(lambda: bool(server.raw))
    _, *said = run("serve", "--llm").lines
    assert said == ["E-1 answered (321 tokens)"]
    assert len(server.raw) == 1
    assert run("show", "E-1", "--json").data["root_cause"]["source"] == "llm"
    assert len(run("pending", "--namespace", "theirs", "--json").data) == 1


def test_a_service_that_is_not_told_to_asks_nobody(run: Run, fail: Fail, server: Receiver, ran: Any) -> None:
    fail("clean the rows")
    ran(lambda: True)
    assert len(run("serve").lines) == 1
    assert server.raw == []


def test_a_service_without_a_model_says_so_before_it_listens(run: Run, ran: Any, monkeypatch: Any) -> None:
    monkeypatch.delenv("GRAPHMEM_LLM", raising=False)
    ran(lambda: True)
    ended = run("serve", "--llm")
    assert (ended.code, ended.out, "GRAPHMEM_LLM" in ended.err) == (2, "", True)


def test_a_model_that_never_will_ends_the_asking_and_not_the_service(tmp_path: Path, capsys: Any) -> None:
    with opened(tmp_path / "m.db") as services:
        failed(services, "clean the row")
        model = ScriptedModel(
            BadInputError("the endpoint answered 401", field="GRAPHMEM_LLM", remedy="see it")
        )
        consult = Consult(services.analyse, model, "llm:1", Allowance(10**6, Clock()))
        call = Call(Settings(store="sqlite:///x.db", namespace=NS), Terminal(), json=False)
        with consulting(call, consult):
            end = time.monotonic() + 60
            while "401" not in (said := capsys.readouterr().out) and time.monotonic() < end:
                time.sleep(0.05)
        assert "answered 401" in said
        assert services.store.state(NS).pending_analyses == 1
