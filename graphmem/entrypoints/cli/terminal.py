"""Text for a terminal: made harmless, measured in columns, aligned, folded, coloured where that is seen."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from shutil import get_terminal_size

COLOURS = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "bold": "1", "dim": "2"}
WIDEST = 120
"""Columns that text is folded to on a wide terminal."""

_JSON_UNSAFE = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_WIDE = "\u2e80-\u9fff\uff00-\uffef"
_PIECE = re.compile(rf"[{_WIDE}][，。；：、！？）」』”…]?\s*|[^\s{_WIDE}]+\s*|\s+")
_SEQUENCE = re.compile("\x1b\\[[0-9;]*m")


def plain(text: str) -> str:
    """Text on one line, without control, invisible and direction-changing characters."""
    line = " ".join(text.split())
    return "".join(char for char in line if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co"))


def columns(text: str) -> int:
    """How many columns a terminal gives the text: two for a wide character, none for a mark or a colour."""
    return sum(_columns_of(char) for char in _SEQUENCE.sub("", text))


def _columns_of(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def pad(text: str, width: int, right: bool = False) -> str:
    """Text filled with spaces to a width in columns."""
    space = " " * (width - columns(text))
    return space + text if right else text + space


def cut(text: str, width: int) -> str:
    """Text of at most so many columns, the end replaced by an ellipsis."""
    if columns(text) <= width:
        return text
    kept = ""
    for char in text:
        if columns(kept) + _columns_of(char) > width - 1:
            break
        kept += char
    return kept.rstrip() + "…"


def fold(text: str, width: int) -> list[str]:
    """Text in lines of at most width columns, broken at spaces and after wide characters."""
    lines, line = [], ""
    for piece in _pieces(text):
        if line and columns((line + piece).rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    return [*lines, line.rstrip()]


def _pieces(text: str) -> list[str]:
    """What may not be broken: words with the space behind them, single wide characters with their stop."""
    return _PIECE.findall(text)


def rows(cells: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Rows of equal length as aligned lines; columns whose index is in right stand to the right."""
    widths = [max(columns(row[index]) for row in cells) for index in range(len(cells[0]))] if cells else []
    return [
        "  ".join(
            pad(cell, width, index in right)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def json_text(value: object) -> str:
    """JSON that a terminal can show: what would move the cursor or hide text is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    return _JSON_UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where a command prints. colour: whether colours are shown; width: columns, 0 = never fold."""

    colour: bool = False
    width: int = 0

    def paint(self, text: str, colour: str) -> str:
        """Text in one of COLOURS, unchanged where colours are not shown."""
        return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m" if self.colour else text

    def line(self, text: str = "") -> None:
        """Print one line."""
        print(text)

    def lines(self, texts: Sequence[str]) -> None:
        """Print lines."""
        for text in texts:
            self.line(text)

    def folded(self, text: str, indent: int = 0) -> None:
        """Print a text that may take several lines, each indented."""
        space = " " * indent
        self.lines([space + part for part in (fold(text, self.width - indent) if self.width else [text])])

    def headed(self, label: str, text: str, indent: int) -> None:
        """Print a label of at most indent columns and beside it a text, folded below itself."""
        parts = fold(text, max(20, self.width - indent)) if self.width else [text]
        self.line((pad(label, indent) + parts[0]).rstrip())
        self.lines([" " * indent + part for part in parts[1:]])

    def flush(self) -> None:
        """Let what was printed be seen now."""
        sys.stdout.flush()

    def json(self, value: object) -> None:
        """Print data as JSON."""
        self.line(json_text(value))


def terminal(no_colour: bool) -> Terminal:
    """The terminal behind standard output; a pipe or a file gets no colour and whole lines."""
    if not sys.stdout.isatty():
        return Terminal()
    return Terminal(colour=not no_colour, width=min(get_terminal_size().columns, WIDEST))
