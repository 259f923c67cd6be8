"""Links between classes are told from coincidence, from steps between and from common causes."""

from __future__ import annotations

import random

import pytest

from graphmem.analysis.class_links import MIN_EPISODES, Presence, class_bonds, class_links
from graphmem.analysis.history import Occurrence, by_episode
from graphmem.domain.overview import Bond
from tests.unit.analysis.causal import happened


def history(count: int, draw: object, seed: int = 1) -> dict[str, list[Occurrence]]:
    """So many episodes; draw(chance) gives the classes of one in order."""
    chance = random.Random(seed)
    return by_episode(
        happened(f"{number}-{place}", place, kind, f"task{number}")
        for number in range(count)
        for place, kind in enumerate(draw(chance))  # type: ignore[operator]
    )


def linked(episodes: dict[str, list[Occurrence]], classes: str = "abcd") -> set[tuple[str, str]]:
    """The links found."""
    found = class_links(Presence.of(episodes, list(classes)))
    return {(link.cause_class, link.effect_class) for link in found}


def bonds(episodes: dict[str, list[Occurrence]], classes: str = "abcd") -> dict[str, Bond]:
    """What is told of each ordered pair that shares an episode, e.g. of "ab"."""
    found = class_bonds(Presence.of(episodes, list(classes)))
    return {link.cause_class + link.effect_class: link.bond for link in found}


def chain(chance: random.Random) -> list[str]:
    """a leads to b, b leads to c; d comes and goes."""
    kinds = ["a"] if chance.random() < 0.4 else []
    if kinds and chance.random() < 0.7:
        kinds.append("b")
    if "b" in kinds and chance.random() < 0.7:
        kinds.append("c")
    return [*(["d"] if chance.random() < 0.3 else []), *kinds]


def test_a_chain_gives_its_links_but_none_past_the_step_between() -> None:
    assert linked(history(400, chain)) == {("a", "b"), ("b", "c")}
    told = bonds(history(400, chain))
    assert (told["ab"], told["bc"], told["ac"]) == (Bond.LEADS_TO, Bond.LEADS_TO, Bond.EXPLAINED)
    assert (told["ba"], told["cb"], told["ca"]) == (Bond.CO_OCCURS,) * 3


def test_below_a_hundred_episodes_nothing_is_a_link() -> None:
    few = history(MIN_EPISODES - 1, chain)
    assert linked(few) == set()
    assert set(bonds(few).values()) == {Bond.CO_OCCURS}
    assert all(link.q is None and link.together for link in class_bonds(Presence.of(few, list("abcd"))))
    assert linked(history(4 * MIN_EPISODES, chain))


def test_a_hidden_cause_that_strikes_in_any_order_makes_no_link() -> None:
    def hidden(chance: random.Random) -> list[str]:
        return chance.sample("abcd", 3) if chance.random() < 0.3 else chance.sample("abcd", 1)

    assert linked(history(600, hidden)) == set()


def test_a_hidden_cause_is_suspected_where_no_class_explains_what_goes_together() -> None:
    def hidden(chance: random.Random) -> list[str]:
        likely = 0.7 if chance.random() < 0.3 else 0.1
        return [kind for kind in chance.sample("abc", 3) if chance.random() < likely] + ["d"]

    told = bonds(history(600, hidden))
    assert {told[pair] for pair in ("ab", "ba", "ac", "ca", "bc", "cb")} == {Bond.HIDDEN_CAUSE}
    assert {told[pair] for pair in ("ad", "da")} == {Bond.CO_OCCURS}


def test_a_common_cause_explains_its_effects() -> None:
    def fork(chance: random.Random) -> list[str]:
        if chance.random() > 0.4:
            return ["d"]
        return ["a", *(kind for kind in "bc" if chance.random() < 0.6)]

    assert linked(history(500, fork)) == {("a", "b"), ("a", "c")}


@pytest.mark.parametrize("seed", range(5))
def test_independent_classes_are_hardly_ever_linked(seed: int) -> None:
    classes = "abcdefghij"

    def alone(chance: random.Random) -> list[str]:
        return [kind for kind in chance.sample(classes, len(classes)) if chance.random() < 0.2]

    assert len(linked(history(300, alone, seed), classes)) <= 1


def test_presence_keeps_the_first_place_and_lifts_compare_with_chance() -> None:
    episodes = by_episode(
        [
            happened("1", 0, "a", "x"),
            happened("2", 1, "b", "x"),
            happened("3", 2, "a", "x"),
            happened("4", 0, "", "y"),
        ]
    )
    presence = Presence.of(episodes, ["a", "b"])
    assert presence.present.tolist() == [[True, True], [False, False]]
    assert presence.rank[0].tolist() == [0, 1]
    assert presence.lifts().tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_one_class_or_none_has_no_links() -> None:
    assert linked(history(200, chain), "a") == set()
    assert class_links(Presence.of({}, [])) == []
    assert bonds(history(200, chain), "a") == {}
