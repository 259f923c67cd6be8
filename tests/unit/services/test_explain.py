"""Why it happened, and what followed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from graphmem.analysis import roots
from graphmem.analysis.walks import MAX_HOPS
from graphmem.domain.causation import Grade, VerdictKind
from graphmem.domain.drafts import CauseReview
from graphmem.domain.errors import BadInputError, NotFoundError
from graphmem.services import ranking
from graphmem.services.explain import MAX_ROOTS
from graphmem.wiring import Services
from tests.builders import NS, at, evidence
from tests.services import because, failed, recorded, refusal, remembered, state


@pytest.fixture
def chain(services: Services) -> list[str]:
    """F-1 <- E-1 <- E-2 <- E-3, ten seconds apart; the ids from the source on."""
    fact = remembered(services, "the config says port 80", occurred_at=at(-10))
    ids = [fact.memory.id]
    for number in range(3):
        written = failed(
            services,
            f"step {number}",
            occurred_at=at(10 * number),
            task_id=f"t{number % 2}",
            caused_by=because(ids[-1]),
        )
        ids.append(written.memory.id)
    return ids


def test_the_root_of_a_chain_comes_first_with_its_parts(services: Services, chain: list[str]) -> None:
    found = services.explain.explain(NS, "E-3")
    assert [item.memory.id for item in found.root_causes] == chain
    root = found.root_causes[0]
    assert (root.hops, root.grade, root.on_every_path) == (3, Grade.ASSERTED, True)
    assert {part.name: part.value for part in root.parts} == {
        "source": 1.0,
        "unrecovered": pytest.approx(1 / 3, abs=1e-3),
        "reach": 1.0,
        "confidence": 0.8,
    }


def test_the_days_since_another_task_rank_no_cause_of_it_first(services: Services) -> None:
    guess = failed(services, "summarise", occurred_at=at(-172_800), task_id="before").memory.id
    root = failed(services, "change the address", occurred_at=at(-3_600), task_id="now").memory.id
    step = failed(
        services, "search", occurred_at=at(-3_500), task_id="now", caused_by=because(root)
    ).memory.id
    causes = (*because(step), *because(guess))
    failed(services, "report", occurred_at=at(0), task_id="now", caused_by=causes)
    found = services.explain.explain(NS, "E-4")
    assert [item.memory.id for item in found.root_causes][:2] == [root, guess]


def test_baselines_stand_beside_the_ranking(services: Services, chain: list[str]) -> None:
    found = services.explain.explain(NS, "E-3")
    assert (found.earliest, found.latest, found.of.id) == (chain[0], chain[2], chain[3])


def test_the_path_tells_its_probability(services: Services, chain: list[str]) -> None:
    (path,) = services.explain.explain(NS, "E-3").paths
    assert path.ids == tuple(reversed(chain))
    assert path.probability == pytest.approx(0.8**3)


def test_one_cause_fixes_a_chain(services: Services, chain: list[str]) -> None:
    assert len(services.explain.explain(NS, "E-3").joint_fix) == 1


def test_nodes_and_edges_are_those_walked(services: Services, chain: list[str]) -> None:
    found = services.explain.explain(NS, "E-3", max_hops=2)
    assert [memory.id for memory in found.nodes] == [chain[3], chain[2], chain[1]]
    assert len(found.edges) == 2
    assert found.truncated
    assert [item.memory.id for item in found.root_causes] == [chain[2], chain[3]]


def test_the_number_of_roots_can_be_limited(services: Services, chain: list[str]) -> None:
    assert len(services.explain.explain(NS, "E-3", limit=1).root_causes) == 1


def test_only_edges_of_the_wanted_grade_are_walked(services: Services, chain: list[str]) -> None:
    services.link.review(NS, CauseReview(effect="E-3", cause="E-2", verdict=VerdictKind.CONFIRM))
    found = services.explain.explain(NS, "E-3", min_grade=Grade.CONFIRMED)
    assert [memory.id for memory in found.nodes] == [chain[3], chain[2]]
    assert found.min_grade is Grade.CONFIRMED


def test_something_without_causes_is_its_own_root(services: Services) -> None:
    failed(services, "alone")
    found = services.explain.explain(NS, "E-1")
    assert [(item.memory.ref, item.score, item.grade) for item in found.root_causes] == [("E-1", 1.0, None)]
    assert (found.paths, found.joint_fix, found.edges) == ((), (), ())


def test_a_fact_can_be_asked_about(services: Services, chain: list[str]) -> None:
    assert services.explain.explain(NS, "F-1").root_causes[0].memory.ref == "F-1"


def test_what_followed_is_told_nearest_first(services: Services, chain: list[str]) -> None:
    recorded(services, "repair", caused_by=because(chain[1]), occurred_at=at(50), task_id="t9")
    found = services.explain.impact(NS, "F-1")
    assert [memory.id for memory in found.nodes][:2] == chain[:2]
    assert (found.failures, found.tasks, found.truncated, len(found.edges)) == (3, 3, False, 4)


def test_nothing_followed_from_the_last(services: Services, chain: list[str]) -> None:
    found = services.explain.impact(NS, "E-3")
    assert ([memory.ref for memory in found.nodes], found.failures, found.tasks) == (["E-3"], 0, 0)


def test_the_damage_can_be_cut(services: Services, chain: list[str]) -> None:
    found = services.explain.impact(NS, "F-1", max_hops=1)
    assert ([memory.id for memory in found.nodes], found.truncated) == (chain[:2], True)


def test_explaining_writes_nothing(services: Services, chain: list[str]) -> None:
    before = state(services)
    services.explain.explain(NS, "E-3")
    services.explain.impact(NS, "F-1")
    assert state(services) == before


@pytest.mark.parametrize("hops", [0, -1, MAX_HOPS + 1])
def test_a_depth_outside_the_limits_is_refused(services: Services, chain: list[str], hops: int) -> None:
    for call in (services.explain.explain, services.explain.impact):
        error = refusal(lambda call=call: call(NS, "E-3", max_hops=hops), services)  # type: ignore[misc]
        assert isinstance(error, BadInputError)
        assert error.field == "max_hops"


@pytest.mark.parametrize("limit", [0, -1, MAX_ROOTS + 1])
def test_a_number_of_roots_outside_the_limits_is_refused(
    services: Services, chain: list[str], limit: int
) -> None:
    error = refusal(lambda: services.explain.explain(NS, "E-3", limit=limit), services)
    assert isinstance(error, BadInputError)
    assert error.field == "limit"


@pytest.mark.parametrize("name", ["", "E-9", "no-such-id"])
def test_an_unknown_memory_is_refused(services: Services, chain: list[str], name: str) -> None:
    for call in (services.explain.explain, services.explain.impact):
        assert isinstance(refusal(lambda call=call: call(NS, name), services), NotFoundError)  # type: ignore[misc]


def test_what_nobody_inferred_is_ranked_once(
    services: Services, chain: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def noting(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given: done.append(name) or work(*given)

    for place, name in ((roots, "rank"), (roots, "on_every_path"), (ranking, "on_every_path")):
        monkeypatch.setattr(place, name, noting(name, getattr(place, name)))
    found = services.explain.explain(NS, chain[-1])
    assert found.stated_root == found.root_causes[0].memory.id
    assert sorted(done) == ["on_every_path", "rank"]


def test_evidence_comes_back_as_it_was_given(services: Services) -> None:
    cause = failed(services, "a")
    failed(services, "b", caused_by=because(cause, confidence=0.25, note="seen"))
    (edge,) = services.explain.explain(NS, "E-2").edges
    (given,) = edge.evidence
    expected = evidence(0.25, note="seen")
    assert (given.confidence, given.note, given.grade) == (expected.confidence, expected.note, expected.grade)
