"""A model and an analyst put together: named, installed, or said why not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from graphmem.consulting import INSTALL, consultant
from graphmem.domain.consulting import ModelEndpoint, Outcome
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.domain.memories import Experience
from graphmem.domain.records import RecordKind
from graphmem.ports.listing import job_of
from tests.builders import NS
from tests.chat import completion
from tests.contract.reading import found, records_of
from tests.receiver import receiving
from tests.services import failed, opened


def test_a_model_at_an_endpoint_answers_what_waits(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as services, receiving(bodies=[completion()]) as server:
        failed(services, "clean the row")
        consult = consultant(services.analyse, ModelEndpoint(model="m", url=server.url))
        told = consult.next(NS)
        (memory,) = found(services.store, NS)
    assert told is not None
    assert (told.outcome, told.tokens) == (Outcome.ANSWERED, 321)
    assert isinstance(memory, Experience)
    assert memory.root_cause is not None
    assert memory.root_cause.source == "llm"


def test_two_analysts_have_two_names(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as services, receiving(bodies=[completion("no idea")]) as server:
        for action in ("clean the row", "fly over the sea"):
            failed(services, action)
        for _ in range(2):
            consultant(services.analyse, ModelEndpoint(model="m", url=server.url)).next(NS)
        owners = {job_of(record).owner for record in records_of(services.store, RecordKind.JOB)}
    assert len(owners) == 2
    assert all(owner.startswith("llm:") for owner in owners)


def test_without_a_name_it_is_said(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as services, pytest.raises(BadInputError) as caught:
        consultant(services.analyse, ModelEndpoint())
    assert caught.value.field == "GRAPHMEM_LLM"


def test_without_the_sdk_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "graphmem.adapters.analysts.chat", raising=False)
    monkeypatch.setitem(sys.modules, "openai", None)
    with opened(tmp_path / "m.db") as services, pytest.raises(UnavailableError) as caught:
        consultant(services.analyse, ModelEndpoint(model="m"))
    assert caught.value.remedy == INSTALL
