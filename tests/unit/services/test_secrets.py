"""A secret is in no byte that is stored, embedded, logged or answered."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.causation import VerdictKind
from graphmem.domain.drafts import CauseLink, CauseRef, CauseReview, MemoryUpdate
from graphmem.domain.errors import GraphmemError
from graphmem.domain.memories import Experience, RootCause
from graphmem.wiring import Services
from tests.builders import NS
from tests.services import FlakyEmbedder, bytes_of, failed, recorded, remembered

SECRET = "fake-123456789"
TEXT = f"export API_TOKEN={SECRET}"

WRITES: dict[str, Callable[[Services], Any]] = {
    "statement": lambda s: remembered(s, TEXT),
    "subject": lambda s: remembered(s, "x", subject=TEXT),
    "tag": lambda s: remembered(s, "x", tags=(TEXT,)),
    "metadata value": lambda s: remembered(s, "x", metadata={"password": SECRET, "deep": [{"log": TEXT}]}),
    "metadata key": lambda s: remembered(s, "x", metadata={TEXT: 1}),
    "action": lambda s: recorded(s, TEXT),
    "context": lambda s: recorded(s, "x", context=TEXT),
    "output": lambda s: recorded(s, "x", output=TEXT),
    "expected": lambda s: recorded(s, "x", expected=TEXT),
    "error type": lambda s: failed(s, "x", error_type=TEXT),
    "correction": lambda s: failed(s, "x", correction=TEXT),
    "generalization": lambda s: failed(s, "x", generalization=TEXT),
    "manifestation": lambda s: failed(s, "x", manifestation=TEXT),
    "trace": lambda s: failed(s, "x", trace=TEXT),
    "tool": lambda s: failed(s, "x", tool=TEXT),
    "root cause": lambda s: failed(s, "x", root_cause=RootCause(TEXT, prevention=TEXT, source=TEXT)),
    "note of a cause": lambda s: failed(s, "x", caused_by=(CauseRef(id="F-1", note=TEXT),)),
    "update": lambda s: s.revise.update(
        NS, MemoryUpdate(id="E-1", text=TEXT, correction=TEXT, root_cause=RootCause(TEXT), add_tags=(TEXT,))
    ),
    "note of a link": lambda s: s.link.link(NS, CauseLink(effect="E-1", cause=CauseRef(id="F-1", note=TEXT))),
    "reason of a review": lambda s: s.link.review(
        NS, CauseReview(effect="E-1", cause="F-1", verdict=VerdictKind.CONFIRM, reason=TEXT)
    ),
}


@pytest.fixture(autouse=True)
def _seeded(flaky: Services) -> None:
    """F-1, and E-1 because of it."""
    remembered(flaky, "the disk")
    failed(flaky, "copy", caused_by=(CauseRef(id="F-1"),))


@pytest.mark.parametrize("name", WRITES)
def test_a_secret_is_nowhere(
    flaky: Services, embedder: FlakyEmbedder, path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answer = WRITES[name](flaky)
    assert SECRET.encode() not in bytes_of(path)
    assert not any(SECRET in text for text in embedder.asked)
    assert SECRET not in repr(answer)
    assert SECRET not in caplog.text
    assert not any(SECRET in line for line in flaky.transfer.export(NS))


def test_how_many_were_replaced_is_told(flaky: Services) -> None:
    written = failed(flaky, TEXT, context=TEXT, metadata={"password": SECRET}, key="k")
    assert written.redactions == 3
    assert failed(flaky, TEXT, context=TEXT, metadata={"password": SECRET}, key="k").redactions == 3
    assert remembered(flaky, "x").redactions == 0


def test_around_the_secret_the_text_stays(flaky: Services) -> None:
    memory = failed(flaky, f"{TEXT} && run").memory
    assert isinstance(memory, Experience)
    assert memory.action == "export API_TOKEN=[redacted:token] && run"


def test_a_refusal_does_not_repeat_it(flaky: Services) -> None:
    with pytest.raises(GraphmemError) as caught:
        failed(flaky, "x", task_id="t", caused_by=(CauseRef(text=TEXT),))
    assert SECRET not in str(caught.value)


def test_a_cause_is_found_by_the_text_as_it_was_said(flaky: Services) -> None:
    cause = failed(flaky, TEXT, task_id="t")
    effect = failed(flaky, "x", task_id="t", caused_by=(CauseRef(text=TEXT),))
    assert flaky.explain.explain(NS, effect.memory.id).earliest == cause.memory.id
