"""The words of the command line in English and Chinese; all of them stand in words.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from graphmem.config import from_environment
from graphmem.domain.errors import GraphmemError
from graphmem.domain.words import filled

LANGUAGES = ("en", "zh")
"""The order of the texts in words.toml."""


def language() -> str:
    """'zh' or 'en', as LANG says; 'en' while the environment holds settings that are refused."""
    try:
        return from_environment().language
    except GraphmemError:
        return "en"


def say(key: str, chosen: str = "", /, **values: object) -> str:
    """The text of a key in a language ('' = language()), with {places} filled. Raises KeyError for no key."""
    text = table()[key][LANGUAGES.index(chosen or language())]
    return filled(text, **values) if values else text


def known(key: str) -> bool:
    """Whether there is a text of this key."""
    return key in table()


@cache
def table() -> dict[str, list[str]]:
    """Every text by its key: [English, Chinese]."""
    file = Path(__file__).with_name("words.toml")
    sections = tomllib.loads(file.read_text(encoding="utf-8"))
    return {f"{section}.{name}": texts for section, rows in sections.items() for name, texts in rows.items()}
