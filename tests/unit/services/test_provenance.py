"""What an agent was served and hands back is kept, marked, and no second witness."""

from __future__ import annotations

from pathlib import Path

from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.domain.drafts import ExperienceDraft
from graphmem.domain.memories import Experience, Memory, Result
from graphmem.domain.rules import is_witness
from graphmem.wiring import Services
from tests.builders import NS
from tests.failing_store import FailingStore
from tests.services import asked, failed, opened, recorded, remembered

FIX = "return an empty result when there are no rows"


def informed(memory: Memory) -> tuple[str, ...]:
    """The sources that a memory names."""
    assert isinstance(memory, Experience)
    assert is_witness(memory) is not bool(memory.informed_by)
    return memory.informed_by


def test_a_correction_that_was_served_is_marked(services: Services) -> None:
    source = failed(services, "clean the column", correction=FIX).memory
    asked(services, "clean the column", session_id="s")
    again = failed(services, "clean the table", correction=FIX, session_id="s").memory
    assert informed(again) == (source.id,)
    assert informed(services.browse.memory(NS, again.id)) == (source.id,)
    assert isinstance(again, Experience)
    assert again.correction == FIX


def test_own_words_and_other_sessions_are_not_marked(services: Services) -> None:
    failed(services, "clean the column", correction=FIX)
    asked(services, "clean the column", session_id="s")
    for fields in (
        {"correction": "count the columns before anything else", "session_id": "s"},
        {"correction": FIX, "session_id": "other"},
        {"correction": FIX},
        {"session_id": "s"},
    ):
        assert informed(failed(services, "clean the table", **fields).memory) == ()


def test_what_the_agent_names_itself_is_kept(services: Services) -> None:
    source = failed(services, "clean the column", correction=FIX).memory
    fact = remembered(services, "rows may be missing").memory
    asked(services, "clean the column", session_id="s")
    made = recorded(
        services, "clean", correction=FIX, session_id="s", informed_by=(fact.id, source.id)
    ).memory
    assert informed(made) == (fact.id, source.id)


def test_a_retry_is_known_although_it_was_marked(services: Services) -> None:
    failed(services, "clean the column", correction=FIX)
    asked(services, "clean the column", session_id="s")
    draft = ExperienceDraft(action="clean", result=Result.FAILURE, correction=FIX, session_id="s", key="k")
    first, again = (services.remember.experience(NS, draft) for _ in range(2))
    assert (first.created, again.created, again.memory.id) == (True, False, first.memory.id)


def test_another_process_knows_what_was_served(path: Path) -> None:
    with opened(path) as first:
        source = failed(first, "clean the column", correction=FIX).memory
        asked(first, "clean the column", session_id="s")
    with opened(path, seed=1) as second:
        assert informed(failed(second, "clean", correction=FIX, session_id="s").memory) == (source.id,)


def test_a_withheld_lesson_was_not_served(path: Path) -> None:
    with opened(path, holdout=0.999) as services:
        failed(services, "clean the column", correction=FIX)
        asked(services, "clean the column", session_id="s")
        assert informed(failed(services, "clean", correction=FIX, session_id="s").memory) == ()


def test_only_lessons_of_a_session_cost_a_look(tmp_path: Path) -> None:
    store = FailingStore(SqliteStore(tmp_path / "memory.db"))
    with opened(store) as services:
        for _ in range(2):
            recorded(services, "clean")
        store.calls.clear()
        recorded(services, "clean", session_id="s")
        recorded(services, "clean", correction=FIX)
        assert store.calls == ["apply", "apply"]
