"""Text for a terminal: harmless, aligned, folded."""

from __future__ import annotations

import json

import pytest

from graphmem.entrypoints.cli.terminal import Terminal, columns, cut, fold, json_text, pad, plain, rows


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words", "plain words"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("\x1b]0;title\x07", "]0;title"),
        ("two\nlines\tand\r\nmore", "two lines and more"),
        ("bell\x07 and \x9bcsi", "bell and csi"),
        ("\u202eright to left", "right to left"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("空数组 🧠", "空数组 🧠"),
        ("half \ud800 pair", "half  pair"),
    ],
)
def test_stored_text_cannot_steer_the_terminal(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("abc", 3), ("空数组", 6), ("a空b", 4), ("e\u0301", 1), ("\x1b[31mred\x1b[0m", 3)],
)
def test_columns_are_those_of_a_terminal(text: str, width: int) -> None:
    assert columns(text) == width


def test_padding_counts_wide_characters() -> None:
    assert pad("空", 4) == "空  "
    assert pad("7", 3, right=True) == "  7"
    assert pad("too long", 3) == "too long"


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("short", 10, "short"),
        ("a long line", 6, "a lon…"),
        ("空数组报错", 7, "空数组…"),
        ("空数组", 6, "空数组"),
    ],
)
def test_cut_ends_with_an_ellipsis(text: str, width: int, expected: str) -> None:
    assert cut(text, width) == expected
    assert columns(cut(text, width)) <= width


def test_folding_breaks_at_spaces_and_after_wide_characters() -> None:
    assert fold("one two three", 7) == ["one two", "three"]
    assert fold("空数组要返回空结果", 8) == ["空数组要", "返回空结", "果"]
    assert fold("", 10) == [""]


def test_folding_loses_nothing() -> None:
    text = "空数组要返回空结果，不要报错 because an empty list is a valid input"
    assert "".join("".join(fold(text, 11)).split()) == "".join(text.split())


def test_a_stop_stays_with_the_character_before_it() -> None:
    assert all(
        not line.startswith("，") for width in range(4, 20) for line in fold("空数组，全空，单个空", width)
    )


def test_a_word_wider_than_the_line_is_kept_whole() -> None:
    assert fold("see /a/very/long/path now", 10) == ["see", "/a/very/long/path", "now"]


def test_rows_are_aligned_by_columns() -> None:
    lines = rows([["空", "1"], ["abc", "100"]], right=frozenset({1}))
    assert lines == ["空     1", "abc  100"]
    assert rows([]) == []


def test_json_cannot_steer_the_terminal_and_reads_back() -> None:
    value = {"text": "\x1b[31m \x9b \u202e 空", "n": [1, None, True]}
    printed = json_text(value)
    assert json.loads(printed) == value
    assert not {"\x1b", "\x9b", "\u202e"} & set(printed)
    assert "空" in printed


def test_colour_is_shown_only_where_it_is_wanted() -> None:
    assert Terminal().paint("x", "red") == "x"
    assert Terminal(colour=True).paint("x", "red") == "\x1b[31mx\x1b[0m"


def test_labels_stand_before_folded_text(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal(width=26).headed("E-1", "one two three four five", 6)
    assert capsys.readouterr().out.splitlines() == ["E-1   one two three four", "      five"]


def test_a_pipe_gets_whole_lines(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal().headed("E-1", "word " * 60, 6)
    Terminal().folded("word " * 60, 2)
    assert len(capsys.readouterr().out.splitlines()) == 2
