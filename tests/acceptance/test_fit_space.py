"""Measuring one space leaves the shipped priors of the others alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import fit_space
from benchmarks.fit_space_texts import Text
from graphmem.adapters.embedders.hashing import HashingEmbedder

TEXTS = [
    Text(f"{said} {number}", "boundary50", "situation", frozenset({str(number % 12)}), language)
    for number in range(24)
    for said, language in (("空数组", "zh"), ("empty list", "en"))
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the priors go; the models are hashed words."""
    (tmp_path / "boundary50").mkdir()
    monkeypatch.setattr(fit_space, "PRIORS", tmp_path / "priors")
    monkeypatch.setattr(fit_space, "SOURCES", {"boundary50": None})
    monkeypatch.setattr(fit_space, "collect", lambda *_: TEXTS)
    monkeypatch.setattr(fit_space, "EMBEDDERS", dict.fromkeys(fit_space.EMBEDDERS, HashingEmbedder))
    return tmp_path


def written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *options: str
) -> dict[str, dict[str, list[float]]]:
    """The mean vectors of every prior that is written."""
    monkeypatch.setattr(sys, "argv", ["fit_space", "--data", str(folder), "--write", *options])
    fit_space.main()
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))["mean"]
        for path in (folder / "priors").iterdir()
    }


def test_only_the_named_space_is_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(written(folder, monkeypatch, "--only", "both")) == {"both"}


def test_only_joined_halves_have_no_means(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are centred before they are joined."""
    found = written(folder, monkeypatch)
    assert set(found) == {"e5_small", "use_multilingual", "both"}
    assert {name for name, mean in found.items() if any(map(any, mean.values()))} == {
        "e5_small",
        "use_multilingual",
    }
    assert set(found["both"]) == {"zh", "en"}
