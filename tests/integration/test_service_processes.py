"""Services in several processes over one store: each sees what the other wrote, and both together count exactly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from graphmem.domain.causation import EdgeKind
from graphmem.wiring import Services
from tests.contract.reading import Reader, counts, edges_of, found
from tests.integration.service_process import ServiceProcess, service_process, services_at
from tests.services import remembered

CAPTURES = 50
ROUNDS = 2
"""100 rounds: python -m benchmarks.soak."""


@pytest.fixture
def services(place: str) -> Iterator[Services]:
    """Services in the process of the test."""
    with closing(services_at(place)) as made:
        yield made


@pytest.fixture
def two(services: Services, place: str, namespace: str) -> Iterator[list[ServiceProcess]]:
    """Two processes with services of their own, over a store that is up to date."""
    assert services.store.state(namespace).revision == 0
    with ExitStack() as stack:
        yield [stack.enter_context(service_process(place, namespace)) for _ in range(2)]


def test_a_process_finds_what_another_one_wrote_with_its_first_question(two: list[ServiceProcess]) -> None:
    """There is nothing to wait for: whoever asks reads first what is new. Back and forth, many times."""
    for number in range(10):
        writer, reader = two[number % 2], two[1 - number % 2]
        statement = f"the disk of node{number} is full"
        revision = writer.do("remember", statement)
        assert revision == number + 1
        assert statement in reader.do("ask", f"node{number}", 0)
        assert statement in writer.do("ask", f"node{number}", revision)


def test_a_revision_that_a_client_was_told_can_be_asked_for_in_another_process(
    two: list[ServiceProcess],
) -> None:
    """minRevision carries read-your-writes between processes; one that is not there yet is refused, not ignored."""
    writer, reader = two
    revision = writer.do("remember", "the disk is full")
    assert reader.do("ask", "disk", revision) == ["the disk is full"]
    assert reader.do("ask", "disk", revision + 1) == "UNAVAILABLE"
    assert writer.do("remember", "the disk is full again") == revision + 1
    assert len(reader.do("ask", "disk", revision + 1)) == 2


def test_captures_of_one_cause_in_two_processes_count_exactly(
    two: list[ServiceProcess], services: Services, namespace: str
) -> None:
    """Fifty failures of one cause at once, again and again: as many nodes, edges and receipts, and one digest."""
    cause = remembered(services, "the config is stale", namespace).memory
    revisions: list[int] = []
    for number in range(1, ROUNDS + 1):
        for name, process in zip("ab", two, strict=True):
            process.send("capture", f"deploy {name}{number}", CAPTURES // 2)
        for process in two:
            revisions += process.told()
        assert len(set(revisions)) == number * CAPTURES
        assert counts(services.store, namespace)["FAILURE"] == number * CAPTURES
        caused = edges_of(services.store, namespace, kinds=(EdgeKind.CAUSED_BY,), to_ids=(cause.id,))
        assert len({edge.from_id for edge in caused}) == len(caused) == number * CAPTURES
        impact = services.explain.impact(namespace, cause.id)
        assert (impact.failures, len(impact.edges)) == (number * CAPTURES, number * CAPTURES)
    stored = found(services.store, namespace)
    assert len({memory.ref for memory in stored}) == len(stored)
    reader = Reader(services.store, namespace).catch_up()
    state = services.store.state(namespace)
    assert (reader.cursor.revision, reader.digest) == (state.revision, state.graph_digest)
