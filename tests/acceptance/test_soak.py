"""The soak says how far it is, on the one store that it was given, and ends where a round does not hold."""

from __future__ import annotations

import sys

import pytest

from benchmarks import soak


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The store of each round, which takes a second and holds; the 42nd of a store that loses does not."""
    asked: list[str] = []

    def soaked(url: str, namespace: str, chance: object) -> tuple[float, list[str]]:
        asked.append(url)
        return 1.0, ["not a failure a key"] if url.startswith("bolt://loses") and len(asked) == 42 else []

    monkeypatch.setattr(soak, "soaked", soaked)
    return asked


def test_every_ten_rounds_are_told(
    rounds: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["soak"])
    soak.main()
    said = capsys.readouterr()
    assert said.err.splitlines() == [
        f"{number} of 100 rounds held, 1.0 s each" for number in range(10, 101, 10)
    ]
    assert "100 rounds held, SQLite" in said.out
    assert len(rounds) == 100
    assert {url.split("/")[0] for url in rounds} == {"sqlite:"}


def test_a_store_that_is_given_is_the_only_one(
    rounds: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["soak", "--quick", "--store", "bolt://127.0.0.1:1"])
    soak.main()
    assert rounds == ["bolt://127.0.0.1:1"] * 3
    assert "3 rounds held, Neo4j" in capsys.readouterr().out


def test_the_first_round_that_does_not_hold_ends_it(
    rounds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["soak", "--store", "bolt://loses"])
    with pytest.raises(SystemExit, match="round 41 of bolt://loses: not a failure a key"):
        soak.main()
    assert len(rounds) == 42
