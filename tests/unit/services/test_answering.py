"""What an analyst's answer makes of a memory, and what it only hands back."""

from __future__ import annotations

from dataclasses import replace

from graphmem.domain.memories import Memory, State
from graphmem.domain.rules import is_witness
from graphmem.wiring import Services
from tests.analyses import CAUSE, claimed, submitted
from tests.builders import NS
from tests.lessons import FIX, PARSER, broke, patterns
from tests.services import asked, failed


def served_lesson(services: Services) -> Memory:
    """A lesson that session s was served."""
    source = failed(services, "clean the column", root_cause=CAUSE, correction=FIX).memory
    asked(services, "clean the column", session_id="s")
    return source


def test_what_was_served_and_comes_back_is_no_second_witness(services: Services) -> None:
    source = served_lesson(services)
    failed(services, "fly over the sea")
    memory = submitted(services, claimed(services), generalization=FIX, session_id="s")
    assert (memory.informed_by, memory.generalization) == ((source.id,), FIX)
    assert not is_witness(memory)


def test_own_words_of_an_analyst_are_a_witness(services: Services) -> None:
    """Neither its own correction, which was served as well, nor words in another session make it a copy."""
    served_lesson(services)
    failed(services, "clean the table", correction=FIX)
    failed(services, "fly over the sea")
    first, second = services.analyse.claim(NS, "ana", 2)
    own = replace(CAUSE, prevention="count rows first")
    assert is_witness(submitted(services, first, root_cause=own, session_id="s"))
    assert is_witness(submitted(services, second, generalization=FIX, session_id="other"))


def test_a_lesson_that_was_served_merges_no_patterns(services: Services) -> None:
    """Two patterns of other failures stay two, although the analyst gave both the same words."""
    for number in range(3):
        broke(services, number)
    for number in range(3):
        broke(services, number, manifestation="the network of the region was gone", correction="call again")
    first, second = services.analyse.claim(NS, "ana", 2)
    submitted(services, first)
    asked(services, f"clean a file: {PARSER}", session_id="s")
    copied = submitted(services, second, session_id="s")
    assert copied.metadata["informed_by"]
    assert not is_witness(copied)
    services.reflect.reflect(NS)
    assert [pattern.state for pattern in patterns(services)] == [State.ACTIVE, State.ACTIVE]
