"""The graph in memory: edges by both ends, headers without texts."""

from __future__ import annotations

from dataclasses import replace

from graphmem.domain.memories import Memory, State
from graphmem.index.mirror import GraphMirror, header_of
from graphmem.ports.queries import Direction
from tests.builders import caused, experience, fact, failure, generalizes, pattern, refuted, strategy

CAUSES, EFFECTS = Direction.CAUSES, Direction.EFFECTS


def mirror_of(*memories: Memory) -> GraphMirror:
    """A mirror of memories without edges."""
    mirror = GraphMirror()
    for memory in memories:
        mirror.put(memory, ())
    return mirror


def hops(mirror: GraphMirror, memory: Memory, way: Direction) -> list[tuple[str, str]]:
    """The edges one hop away."""
    return [(edge.effect_id, edge.cause_id) for edge in mirror.expand([memory.id], way)]


def test_an_edge_is_found_from_both_ends() -> None:
    cause, effect = fact(), failure()
    mirror = mirror_of(cause)
    mirror.put(effect, (caused(effect, cause),))
    assert hops(mirror, effect, CAUSES) == hops(mirror, cause, EFFECTS) == [(effect.id, cause.id)]
    assert hops(mirror, effect, EFFECTS) == hops(mirror, cause, CAUSES) == []


def test_an_edge_may_come_before_its_cause() -> None:
    cause, effect = failure(), failure()
    mirror = GraphMirror()
    mirror.put(effect, (caused(effect, cause),))
    mirror.put(cause, ())
    assert hops(mirror, cause, EFFECTS) == [(effect.id, cause.id)]


def test_the_edges_of_a_memory_take_the_place_of_the_old_ones() -> None:
    one, other, effect = failure(), failure(), failure()
    mirror = mirror_of(one, other)
    mirror.put(effect, (caused(effect, one),))
    mirror.put(effect, (caused(effect, other),))
    assert hops(mirror, one, EFFECTS) == []
    assert hops(mirror, effect, CAUSES) == [(effect.id, other.id)]


def test_a_removed_cause_leaves_no_edge() -> None:
    cause, effect = failure(), failure()
    mirror = mirror_of(cause)
    mirror.put(effect, (caused(effect, cause),))
    mirror.remove(cause.id)
    assert hops(mirror, effect, CAUSES) == []
    mirror.put(effect, ())
    assert mirror.headers.keys() == {effect.id}


def test_a_removed_effect_leaves_no_edge() -> None:
    cause, effect = failure(), failure()
    mirror = mirror_of(cause)
    mirror.put(effect, (caused(effect, cause),))
    mirror.remove(effect.id)
    assert hops(mirror, cause, EFFECTS) == []
    assert mirror.failures_caused_by(cause.id) == []


def test_unknown_ids_are_ignored() -> None:
    mirror = GraphMirror()
    mirror.remove("nobody")
    assert mirror.expand(["nobody"], CAUSES) == []


def test_only_failures_with_an_active_edge_are_counted_against_a_cause() -> None:
    cause, failed, innocent, worked = fact(), failure(), failure(), experience()
    mirror = mirror_of(cause)
    mirror.put(failed, (caused(failed, cause),))
    mirror.put(innocent, (caused(innocent, cause, verdicts=(refuted(),)),))
    mirror.put(worked, (caused(worked, cause),))
    assert mirror.failures_caused_by(cause.id) == [failed.id]


def test_refuted_edges_are_there_for_who_asks() -> None:
    cause, effect = failure(), failure()
    mirror = mirror_of(cause)
    mirror.put(effect, (caused(effect, cause, verdicts=(refuted(),)),))
    assert len(hops(mirror, effect, CAUSES)) == 1


def test_other_relations_are_no_causes() -> None:
    lesson, member = pattern(), failure()
    mirror = mirror_of(lesson)
    mirror.put(member, (generalizes(lesson, member),))
    assert hops(mirror, member, CAUSES) == hops(mirror, lesson, EFFECTS) == []


def test_only_active_experiences_are_walked_through() -> None:
    active, retracted = failure(), failure(state=State.RETRACTED)
    mirror = mirror_of(active, retracted, fact(), pattern())
    assert [header.id for header in mirror.experiences()] == [active.id]


def test_a_header_holds_what_ranking_needs() -> None:
    memory = failure(error_type="builtins.IndexError", tool="bash", agent="a1", task_id="t")
    header = header_of(memory)
    assert (header.error_class, header.tool, header.agent, header.task_id) == (
        "indexerror",
        "bash",
        "a1",
        "t",
    )
    assert header.is_failure
    assert not header_of(fact()).is_failure


def test_patterns_are_found_over_their_members() -> None:
    lesson, other, member = pattern(), pattern(), failure()
    mirror = mirror_of(lesson, other)
    mirror.put(member, (generalizes(lesson, member), generalizes(other, member)))
    assert mirror.generals(member.id) == sorted([lesson.id, other.id])
    mirror.put(member, (generalizes(lesson, member),))
    assert mirror.generals(member.id) == [lesson.id]


def test_a_removed_pattern_is_over_nothing() -> None:
    lesson, member = pattern(), failure()
    mirror = mirror_of(lesson)
    mirror.put(member, (generalizes(lesson, member),))
    mirror.remove(lesson.id)
    assert mirror.generals(member.id) == []
    mirror.put(member, (generalizes(lesson, member),))
    assert mirror.generals(member.id) == [lesson.id]


def test_a_failure_belongs_to_its_cluster_or_to_itself() -> None:
    alone, held = failure(), failure(cluster_id="c1")
    mirror = mirror_of(alone, held, worked := experience(cluster_id="c1"), known := fact())
    assert mirror.lineages(alone.id) == (alone.id,)
    assert mirror.lineages(held.id) == ("c1",)
    assert mirror.lineages(worked.id) == mirror.lineages(known.id) == mirror.lineages("nobody") == ()


def test_a_pattern_belongs_to_the_cluster_of_most_of_its_members() -> None:
    lesson, bare = pattern(), pattern()
    mirror = mirror_of(lesson, bare)
    for cluster in ("c2", "c1", "c1", ""):
        mirror.put(member := failure(cluster_id=cluster), (generalizes(lesson, member),))
    assert (mirror.lineages(lesson.id), mirror.lineages(bare.id)) == (("c1",), (bare.id,))


def test_a_strategy_belongs_to_the_clusters_of_its_patterns() -> None:
    guidance, bare = strategy(), strategy()
    mirror = mirror_of(guidance, bare)
    for cluster in ("c2", "c1"):
        lesson = pattern()
        mirror.put(lesson, (generalizes(guidance, lesson),))
        mirror.put(member := failure(cluster_id=cluster), (generalizes(lesson, member),))
    assert (mirror.lineages(guidance.id), mirror.lineages(bare.id)) == (("c1", "c2"), (bare.id,))


def test_a_member_that_left_counts_no_more() -> None:
    lesson, member, other = pattern(), failure(cluster_id="c1"), failure(cluster_id="c2")
    mirror = mirror_of(lesson)
    mirror.put(member, (generalizes(lesson, member),))
    mirror.put(member, ())
    assert mirror.lineages(lesson.id) == (lesson.id,)
    mirror.put(other, (generalizes(lesson, other),))
    mirror.remove(other.id)
    assert mirror.lineages(lesson.id) == (lesson.id,)


def test_a_header_tells_its_episode() -> None:
    names = [{"task_id": "t", "session_id": "s"}, {"session_id": "s"}, {"id": "e1"}]
    assert [header_of(failure(**fields)).episode for fields in names] == ["t", "s", "e1"]


def test_the_members_of_an_episode_are_its_active_experiences() -> None:
    one, other = failure(task_id="t1"), experience(task_id="t1")
    away = failure(task_id="t1", state=State.RETRACTED)
    mirror = mirror_of(one, other, away, fact(task_id="t1"), failure(task_id="t2"))
    assert [item.id for item in mirror.of_episode("t1")] == sorted([one.id, other.id])
    assert mirror.of_episode("t9") == []


def test_a_memory_that_is_removed_or_moved_leaves_its_episode() -> None:
    one, other = failure(task_id="t1"), failure(task_id="t1")
    mirror = mirror_of(one, other)
    mirror.remove(one.id)
    mirror.put(replace(other, task_id="t2"), ())
    assert mirror.of_episode("t1") == []
    assert [item.id for item in mirror.of_episode("t2")] == [other.id]
