"""Which lineages an answer lists, and the answer without some of them."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.analysis.holdout import Listing, listed, memories_of, without
from graphmem.domain.answers import Hit, Recollection, Reminder, Strength
from graphmem.domain.memories import Experience, Memory, Pattern
from tests.builders import experience, fact, failure, pattern, strategy

ONE, TWO, OTHER = failure(cluster_id="c1"), failure(cluster_id="c1"), failure(cluster_id="c2")
ALONE = failure()
LESSON, GUIDANCE = pattern(), strategy()
WORKED, KNOWN = experience(), fact()
BEYOND = {LESSON.id: ("c1",), GUIDANCE.id: ("c1", "c2")}


def lineages_of(memory: Memory) -> tuple[str, ...]:
    """As the mirror tells them."""
    if isinstance(memory, Experience):
        return (memory.cluster_id or memory.id,) if memory is not WORKED else ()
    return BEYOND.get(memory.id, ())


def say(asks: bool, evidence: Sequence[Memory], language: str, lesson: Pattern | None) -> str:
    """Words that tell what they were made of."""
    return f"{asks} {len(evidence)} {language} {lesson.id if lesson else '-'}"


def hit(memory: Memory, failed_here: tuple[Memory, ...] = ()) -> Hit:
    """A hit with any figures."""
    return Hit(
        memory=memory,
        relevance=0.5,
        lexical_score=1.0,
        similarity=None,
        decay=1.0,
        why="",
        failed_here=failed_here,
    )


def reminder(strength: Strength, *evidence: Memory) -> Reminder:
    """A reminder of its first memory."""
    return Reminder(strength=strength, text="as said", subject=evidence[0], evidence=evidence)


FOUND = Recollection(
    facts=(hit(KNOWN, (TWO, ALONE)),),
    errors=(hit(OTHER), hit(ONE)),
    worked=(hit(WORKED),),
    patterns=(hit(LESSON),),
    strategies=(hit(GUIDANCE),),
    reminders=(reminder(Strength.ASK, OTHER, TWO), reminder(Strength.REMIND, ONE)),
    language="zh",
)


def test_every_lineage_is_listed_with_its_best_memory_and_strongest_way() -> None:
    assert listed(FOUND, lineages_of) == {
        "c1": Listing(ONE.id, Strength.REMIND),
        "c2": Listing(OTHER.id, Strength.ASK),
        ALONE.id: Listing(ALONE.id, Strength.BACKGROUND),
    }


def test_an_answer_without_failures_lists_no_lineage() -> None:
    assert listed(Recollection(facts=(hit(KNOWN),), worked=(hit(WORKED),)), lineages_of) == {}


def test_nothing_of_a_hidden_lineage_is_left() -> None:
    """Evidence, pattern, the strategies that rest on it, reminders, and the failures told beside a fact."""
    left = without(FOUND, lineages_of, {"c1"}, say)
    assert not {ONE.id, TWO.id, LESSON.id, GUIDANCE.id} & memories_of(left).keys()
    assert [item.memory for item in left.errors] == [OTHER]
    assert left.facts[0].failed_here == (ALONE,)
    assert (left.worked, left.language) == (FOUND.worked, "zh")


def test_a_reminder_goes_with_its_subject_and_is_said_anew_without_hidden_evidence() -> None:
    (asked,) = without(FOUND, lineages_of, {"c1"}, say).reminders
    assert (asked.subject, asked.evidence, asked.text) == (OTHER, (OTHER,), "True 1 zh -")
    (warned,) = without(FOUND, lineages_of, {"c2"}, say).reminders
    assert (warned.subject, warned.text) == (ONE, "as said")


def test_a_pattern_keeps_its_word_without_hidden_evidence() -> None:
    asking = Reminder(strength=Strength.ASK, text="as said", subject=LESSON, evidence=(ONE, OTHER))
    (asked,) = without(Recollection(reminders=(asking,)), lineages_of, {"c2"}, say).reminders
    assert (asked.evidence, asked.text) == ((ONE,), f"True 1 en {LESSON.id}")
    assert without(Recollection(reminders=(asking,)), lineages_of, {"c1"}, say).reminders == ()


def test_with_nothing_hidden_the_answer_is_the_same() -> None:
    assert without(FOUND, lineages_of, frozenset(), say) == FOUND
    assert without(FOUND, lineages_of, {"elsewhere"}, say) == FOUND


def test_all_that_is_shown_is_named_once() -> None:
    everything = (ONE, TWO, OTHER, ALONE, LESSON, GUIDANCE, WORKED, KNOWN)
    assert memories_of(FOUND) == {memory.id: memory for memory in everything}
