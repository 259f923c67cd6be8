"""The table of texts is complete: in both languages, for every option, command and key that code names."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import get_args, get_type_hints

import pytest

from graphmem.entrypoints import cli
from graphmem.entrypoints.cli.words import LANGUAGES, known, language, say, table

SOURCES = sorted(Path(str(cli.__file__)).parent.rglob("*.py"))
NAMED = re.compile(r"""say\(\s*"([a-z_]+\.[^"{]+)\"""")


def places(text: str) -> set[str]:
    """The {places} of a text."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("key", sorted(table()))
def test_every_text_stands_in_both_languages(key: str) -> None:
    texts = table()[key]
    assert len(texts) == len(LANGUAGES)
    assert all(text.strip() for text in texts)
    assert places(texts[0]) == places(texts[1])


PLURAL = re.compile(r"\b1 (?:[a-z]+ )?[a-z]{3,}s\b|\b1 (?:are|were|have)\b")
VERBS = frozenset({"neo4j.started", "consult.budget"})
"""Texts in which what looks like a plural is a verb."""


@pytest.mark.parametrize("key", sorted(table().keys() - VERBS))
def test_no_text_says_one_things(key: str) -> None:
    text = table()[key][LANGUAGES.index("en")]
    said = say(key, "en", **dict.fromkeys(places(text), 1))
    assert not PLURAL.search(said)


@pytest.mark.parametrize(
    ("lang", "n", "expected"),
    [
        ("en", 1, "The first covers four fifths of 5 failures."),
        ("en", 3, "The first 3 cover four fifths of 5 failures."),
        ("zh", 1, "第一个就覆盖了 5 次失败的五分之四。"),
        ("zh", 3, "前 3 个覆盖了 5 次失败的五分之四。"),
    ],
)
def test_a_word_goes_with_its_number(lang: str, n: int, expected: str) -> None:
    assert say("priorities.cut", lang, n=n, failures=5) == expected


def test_chinese_texts_are_chinese() -> None:
    same = {key for key, (english, chinese) in table().items() if english == chinese}
    assert same <= {"field.agent", "field.id"}


def test_every_key_named_in_code_exists() -> None:
    named = {key for file in SOURCES for key in NAMED.findall(file.read_text(encoding="utf-8"))}
    assert len(named) > 30
    assert {key for key in named if not known(key)} == set()


@pytest.mark.parametrize("name", sorted(cli.COMMANDS))
def test_every_command_and_option_is_described(name: str) -> None:
    module, _, options = cli.COMMANDS[name].split(":")
    cls = getattr(import_module(f"{cli.__name__}.{module}"), options)
    hints = get_type_hints(cls, include_extras=True)
    helps = [get_args(hints[item.name])[1].help for item in fields(cls)]
    assert [key for key in (*helps, f"short.{name}", f"command.{name}") if not known(key)] == []


@pytest.mark.parametrize(
    ("lang", "expected"),
    [("zh_CN.UTF-8", "zh"), ("zh", "zh"), ("en_US.UTF-8", "en"), ("C", "en"), ("", "en")],
)
def test_language_follows_the_environment(lang: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", lang)
    assert language() == expected


def test_a_refused_environment_is_spoken_of_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    monkeypatch.setenv("GRAPHMEM_PORT", "many")
    assert language() == "en"


def test_places_are_filled() -> None:
    assert say("forget.done", "en", refs="E-1") == "E-1 is forgotten"
    assert say("forget.done", "zh", refs="E-1") == "E-1 已遗忘"
    with pytest.raises(KeyError):
        say("no.such")
