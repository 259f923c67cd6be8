import numpy as np
import pytest

from graphmem.analysis.failures import Failure
from graphmem.analysis.likeness import (
    BACKGROUND_WEIGHT,
    SAME_TYPE,
    UNLIKE,
    Background,
    dimension_of,
    is_comparable,
    scale_of,
    similarities,
)
from graphmem.analysis.vectors import Floats


def unit(*numbers: float) -> Floats:
    row = np.array(numbers, dtype=np.float32)
    return np.asarray(row / np.linalg.norm(row), dtype=np.float32)


def failure(name: str, account: str, vector: Floats | None = None, error_type: str = "") -> Failure:
    return Failure(name, account, name, vector, error_type)


CENTRE = Background({"en": unit(1, 0, 0), "zh": unit(1, 0, 0)})


def test_similarity_is_symmetric_bounded_and_one_with_oneself() -> None:
    chance = np.random.default_rng(3)
    some = [
        failure(
            f"f{n}", f"word{chr(97 + n)} shared thing", np.asarray(chance.normal(size=3), dtype=np.float32)
        )
        for n in range(7)
    ]
    matrix = similarities(some, scale_of(some, CENTRE))
    assert np.array_equal(matrix, matrix.T)
    assert np.array_equal(np.diag(matrix), np.ones(7))
    assert np.abs(matrix).max() <= 1


def test_half_is_meaning_and_half_is_words() -> None:
    pair = [failure("a", "pool exhausted", unit(1, 1, 0)), failure("b", "pool exhausted", unit(1, -1, 0))]
    scale = scale_of(pair, CENTRE)
    first, second = (scale.meaning(one) for one in pair)
    assert first is not None
    assert second is not None
    expected = 0.5 * float(first @ second) + 0.5
    assert similarities(pair, scale)[0, 1] == pytest.approx(expected, abs=1e-6)


def test_across_languages_the_vectors_alone_count() -> None:
    pair = [failure("a", "timeout", unit(1, 1, 0)), failure("b", "连接超时", unit(1, 1, 0))]
    assert similarities(pair, scale_of(pair, CENTRE))[0, 1] == pytest.approx(1, abs=1e-6)


def test_without_a_vector_the_words_alone_count() -> None:
    three = [
        failure("a", "pool exhausted", unit(1, 1, 0)),
        failure("b", "pool exhausted"),
        failure("c", "disk full"),
    ]
    matrix = similarities(three, scale_of(three, CENTRE))
    assert matrix[0, 1] == pytest.approx(1)
    assert matrix[0, 2] == 0


def test_rare_words_weigh_more_than_common_ones() -> None:
    some = [
        failure(f"f{n}", f"reply {name}")
        for n, name in enumerate(["timeout", "timeout", "disk", "rate", "zone"])
    ]
    scale = scale_of(some, Background())
    weights = scale.weights("reply timeout")
    assert weights["timeout"] > weights["reply"]
    assert sum(value * value for value in weights.values()) == pytest.approx(1)
    assert scale.weights("the 12") == {}


def test_different_known_kinds_are_unlike_and_unknown_ones_are_not() -> None:
    same = unit(1, 1, 0)
    some = [
        failure("a", "it failed", same, "KeyError"),
        failure("b", "it failed", same, "TypeError"),
        failure("c", "it failed", same),
        failure("d", "it failed", same, "errors.keyerror"),
    ]
    matrix = similarities(some, scale_of(some, CENTRE))
    assert matrix[0, 1] == UNLIKE
    assert matrix[[0, 1, 0], [2, 2, 3]] == pytest.approx(1, abs=1e-6)


def test_the_background_keeps_three_alike_failures_alike() -> None:
    rows = (unit(1, 0.9, 0.1), unit(1, 0.9, -0.1), unit(1, 0.9, 0))
    three = [
        failure(f"f{n}", f"told {name}", row) for n, (name, row) in enumerate(zip("xyz", rows, strict=True))
    ]
    blended = scale_of(three, CENTRE)
    own = scale_of(three, Background({"fr": unit(0, 1, 0)}))
    first, second = (scale.meaning(three[0]) for scale in (blended, own))
    assert first is not None
    assert second is not None
    other = blended.meaning(three[1])
    assert other is not None
    assert float(first @ other) > 0.9
    away = own.meaning(three[1])
    assert away is not None
    assert float(second @ away) < 0


def test_without_means_mu_is_taken_off_until_there_are_enough_failures() -> None:
    chance = np.random.default_rng(5)
    rows = [unit(5, *chance.normal(size=2)) for _ in range(BACKGROUND_WEIGHT)]
    some = [failure(f"f{n:03}", "same words", row) for n, row in enumerate(rows)]
    few = scale_of(some[:4], Background(mu=0.8))
    assert (few.mu, few.mean) == (0.8, {})
    assert few.rescaled(np.array([0.8, 1.0])) == pytest.approx([0, 1])
    many = scale_of(some, Background(mu=0.8))
    assert many.mu == 0
    assert many.mean["en"] == pytest.approx(np.mean(rows, axis=0), abs=1e-5)


@pytest.mark.parametrize("odd", [[np.nan, 1, 0], [0, 0, 0], [1, 0], [np.inf, 0, 0], []], ids=str)
def test_odd_vectors_count_as_none(odd: list[float]) -> None:
    strange = np.array(odd, dtype=np.float32)
    some = [failure("a", "pool exhausted", unit(1, 1, 0)), failure("b", "x", unit(1, 0, 1))]
    some.append(failure("c", "pool exhausted", strange))
    matrix = similarities(some, scale_of(some, CENTRE))
    assert matrix[0, 2] == pytest.approx(1)
    assert not is_comparable(strange, 3)


def test_the_dimension_is_that_of_most_vectors() -> None:
    assert dimension_of([]) == dimension_of([failure("a", "x")]) == 1
    some = [failure("a", "x", unit(1, 2)), failure("b", "x", unit(1, 2, 3)), failure("c", "x", unit(1, 2, 3))]
    assert dimension_of(some) == 3
    assert dimension_of(some[:2]) == 2


def test_more_rows_than_one_block_give_the_same_numbers() -> None:
    chance = np.random.default_rng(7)
    some = [
        failure(f"f{n:04}", f"pool w{'abcdefgh'[n % 8]}", np.asarray(chance.normal(size=3), dtype=np.float32))
        for n in range(600)
    ]
    scale = scale_of(some, CENTRE)
    matrix = similarities(some, scale)
    picked = [0, 300, 511, 512, 599]
    small = similarities([some[place] for place in picked], scale)
    assert matrix[np.ix_(picked, picked)] == pytest.approx(small, abs=1e-6)


def test_a_shared_error_type_brings_nearer_unless_everything_has_it() -> None:
    rare = [
        failure("a", "ant", None, "KeyError"),
        failure("b", "bee", None, "errors.keyerror"),
        failure("c", "cow"),
    ]
    scale = scale_of(rare, Background())
    assert similarities(rare, scale)[0, 1] == pytest.approx(scale.type_bonus("keyerror"))
    assert similarities(rare, scale)[0, 2] == scale.type_bonus("") == 0
    common = [failure(f"f{n}", f"word{n}", None, "wrong_answer") for n in range(500)]
    assert scale_of(common, Background()).type_bonus("wrong_answer") < 0.1 * SAME_TYPE
