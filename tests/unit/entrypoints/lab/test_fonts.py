"""Chinese in pictures: letters come from an installed font behind those in force."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from io import BytesIO

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from graphmem.entrypoints.lab import fonts


@pytest.fixture(autouse=True)
def own_settings() -> Iterator[None]:
    """What a test sets is undone."""
    with mpl.rc_context({"font.family": ["sans-serif"]}):
        yield


def glyphs_missing(text: str) -> int:
    """How many letters of a text no font has."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        figure = plt.figure()
        figure.text(0.5, 0.5, text)
        figure.savefig(BytesIO(), format="png")
        plt.close(figure)
    return len({str(one.message) for one in said if "missing from font" in str(one.message)})


def test_the_first_font_that_is_installed_stands_behind_those_in_force(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fonts, "CHINESE", ("No Such Font", "STIXGeneral", "DejaVu Serif"))
    assert [fonts.with_chinese(), fonts.with_chinese()] == ["STIXGeneral"] * 2
    assert mpl.rcParams["font.family"] == ["sans-serif", "STIXGeneral"]


def test_without_one_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "CHINESE", ("No Such Font",))
    assert fonts.with_chinese() == ""
    assert mpl.rcParams["font.family"] == ["sans-serif"]


def test_letters_that_the_first_font_lacks_come_from_the_one_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """With fonts that matplotlib brings: Latin letters behind a font of symbols, as Chinese ones behind Latin ones."""
    mpl.rcParams["font.family"] = ["STIXSizeOneSym"]
    assert glyphs_missing("abc") == 3
    monkeypatch.setattr(fonts, "CHINESE", ("DejaVu Sans",))
    fonts.with_chinese()
    assert glyphs_missing("abc") == 0


def test_chinese_is_drawn_where_a_font_has_it() -> None:
    assert glyphs_missing("空列表") == (0 if fonts.with_chinese() else 3)
