"""A change leaves everything else as it was, and keeps what was."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from graphmem.domain.drafts import MemoryUpdate
from graphmem.domain.errors import BadInputError, NotFoundError, StaleError, TooLargeError
from graphmem.domain.memories import AnalysisState, Experience, Memory, RootCause
from graphmem.domain.records import RecordKind
from graphmem.domain.rules import MAX_SHORT, MAX_TAGS, MAX_TEXT
from graphmem.ports.queries import PageRequest, RecordSelection
from graphmem.wiring import Services
from tests.builders import NS, at, changes, pattern, strategy
from tests.services import asked, failed, refusal, remembered, state, texts


def update(services: Services, name: str = "F-1", **changes: Any) -> Memory:
    """Change a memory."""
    return services.revise.update(NS, MemoryUpdate(id=name, **changes))


def history(services: Services, memory: Memory) -> list[str]:
    """The old texts of a memory, oldest first."""
    selection = RecordSelection(subject=memory.id)
    found = services.store.records(NS, RecordKind.VERSION, selection, PageRequest(first=100)).items
    return [item.body["memory"]["statement"] for item in found]


def test_a_new_text_leaves_all_other_fields(services: Services) -> None:
    old = remembered(
        services,
        "the disk is full",
        tags=("ops", "a"),
        metadata={"category": "x", "priority": 3},
        occurred_at=at(-100),
        subject="disk",
        task_id="t",
    ).memory
    new = update(services, text="the network is down")
    assert new.text == "the network is down"
    assert new.version == 2
    kept = (
        "id",
        "ref",
        "tags",
        "metadata",
        "occurred_at",
        "recorded_at",
        "subject",
        "task_id",
        "state",
        "writer",
    )
    assert {name: getattr(new, name) for name in kept} == {name: getattr(old, name) for name in kept}
    assert services.browse.memory(NS, "F-1") == new


def test_the_old_text_is_kept_as_a_version(services: Services) -> None:
    memory = remembered(services, "one").memory
    update(services, text="two")
    update(services, text="three")
    assert history(services, memory) == ["one", "two"]


def test_the_new_text_is_found_and_the_old_one_is_not(services: Services) -> None:
    remembered(services, "alpha alpha")
    update(services, text="omega omega")
    assert texts(asked(services, "omega").facts) == ["omega omega"]
    assert asked(services, "alpha").facts == ()


def test_a_change_without_a_new_text_keeps_the_vectors(services: Services) -> None:
    old = remembered(services, "x").memory
    assert update(services, add_tags=("a",)).vectors == old.vectors


def test_a_new_correction_changes_what_is_searched(services: Services) -> None:
    old = failed(services, "copy", correction="first").memory
    new = update(services, "E-1", correction="close the gate")
    assert new.vectors != old.vectors
    assert texts(asked(services, "gate").errors) == ["copy"]


def test_every_field_of_an_experience_can_be_changed(services: Services) -> None:
    failed(services, "copy")
    wanted: dict[str, Any] = {
        "context": "a",
        "correction": "b",
        "generalization": "c",
        "error_type": "d",
        "root_cause": RootCause("e"),
        "metadata": {"f": 1},
    }
    new = update(services, "E-1", **wanted)
    assert {name: getattr(new, name) for name in wanted} == wanted


def test_a_callers_own_words_are_known_as_such(services: Services) -> None:
    """A general form is the caller's from then on; a failure whose cause is given waits for no analysis."""
    failed(services, "copy")
    assert update(services, "E-1", correction="b").analysis is AnalysisState.PENDING
    told = update(services, "E-1", generalization="c", root_cause=RootCause("e"))
    assert isinstance(told, Experience)
    assert (told.generalization_source, told.analysis) == ("agent", AnalysisState.DONE)
    assert "c" in told.outcome


@pytest.mark.parametrize(("kind", "field"), [("P-1", "lesson"), ("S-1", "guidance")])
def test_the_text_of_every_kind_can_be_changed(services: Services, kind: str, field: str) -> None:
    services.store.apply(changes(pattern(), strategy()))
    assert getattr(update(services, kind, text="new"), field) == "new"


def test_tags_are_added_and_removed_one_by_one(services: Services) -> None:
    remembered(services, "x", tags=("a", "b"))
    assert update(services, add_tags=("c", "a"), remove_tags=("b", "nowhere")).tags == ("a", "c")


def test_a_tag_both_removed_and_added_is_there(services: Services) -> None:
    remembered(services, "x", tags=("a", "b"))
    assert update(services, add_tags=("a",), remove_tags=("a",)).tags == ("b", "a")


def test_a_change_of_nothing_writes_nothing(services: Services) -> None:
    remembered(services, "x", tags=("a",))
    before = state(services)
    assert update(services, text="x", add_tags=("a",)).version == 1
    assert state(services) == before


def test_a_change_of_an_older_version_is_refused(services: Services) -> None:
    remembered(services, "x")
    update(services, text="y", expected_version=1)
    error = refusal(lambda: update(services, text="z", expected_version=1), services)
    assert isinstance(error, StaleError)
    assert error.field == "expected_version"


def test_twenty_tags_added_at_once_are_all_there(services: Services) -> None:
    remembered(services, "x")
    gate = Barrier(4)

    def add(worker: int) -> None:
        gate.wait()
        for number in range(5):
            update(services, add_tags=(f"tag-{worker}-{number}",))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(4)))
    memory = services.browse.memory(NS, "F-1")
    assert len(memory.tags) == 20
    assert memory.version == 21


def test_secrets_are_replaced_as_in_a_new_memory(services: Services) -> None:
    remembered(services, "x")
    new = update(services, text="export API_TOKEN=fake-123456", metadata={"password": "hunter2"})
    assert new.text == "export API_TOKEN=[redacted:token]"
    assert new.metadata == {"password": "[redacted:password]"}


def test_times_are_kept_in_utc(services: Services) -> None:
    remembered(services, "x")
    new = update(services, valid_to=at(5).astimezone())
    assert getattr(new, "valid_to", None) == at(5)


BAD: dict[str, tuple[str, dict[str, Any], type[Exception], str]] = {
    "unknown": ("F-9", {"text": "x"}, NotFoundError, "id"),
    "no id": ("", {"text": "x"}, NotFoundError, "id"),
    "empty text": ("F-1", {"text": "  "}, BadInputError, "text"),
    "long text": ("F-1", {"text": "x" * (MAX_TEXT + 1)}, TooLargeError, "text"),
    "NUL": ("F-1", {"text": "a\0"}, BadInputError, "text"),
    "surrogate": ("E-1", {"correction": "\ud800"}, BadInputError, "correction"),
    "context of a fact": ("F-1", {"context": "x"}, BadInputError, "context"),
    "end of an experience": ("E-1", {"valid_to": at(5)}, BadInputError, "valid_to"),
    "naive end": ("F-1", {"valid_to": at(5).replace(tzinfo=None)}, BadInputError, "valid_to"),
    "end before its begin": ("F-1", {"valid_to": at(-5)}, BadInputError, "valid_to"),
    "too many tags": ("F-1", {"add_tags": tuple(map(str, range(MAX_TAGS)))}, TooLargeError, "tags"),
    "empty tag": ("F-1", {"add_tags": ("",)}, BadInputError, "tags[0]"),
    "long error type": ("E-1", {"error_type": "x" * (MAX_SHORT + 1)}, TooLargeError, "error_type"),
    "wide integer": ("F-1", {"metadata": {"n": 2**70}}, BadInputError, "metadata.n"),
    "long metadata": ("F-1", {"metadata": {"n": "x" * 20_000}}, TooLargeError, "metadata"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_a_new_memory_could_not_be_a_changed_one_cannot_become(services: Services, name: str) -> None:
    remembered(services, "x", valid_from=at(0), tags=("old",))
    failed(services, "y")
    target, fields, kind, field = BAD[name]
    error = refusal(lambda: update(services, target, **fields), services)
    assert isinstance(error, kind)
    assert error.field == field


def test_a_memory_of_another_namespace_is_unknown(services: Services) -> None:
    foreign = remembered(services, "x", "other").memory
    assert isinstance(
        refusal(lambda: update(services, foreign.id, text="y"), services, "other"), NotFoundError
    )


def test_the_title_follows_the_text(services: Services) -> None:
    failed(services, "copy", error_type="OSError")
    memory = update(services, "E-1", text="move")
    assert isinstance(memory, Experience)
    assert memory.title == "OSError: move"
