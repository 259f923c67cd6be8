"""The texts on which a space is measured: two sets of failures, conversations and an encyclopedia."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graphmem.analysis.tokens import language_of

FIELDS = ("situation", "visible_input", "what_went_wrong", "lesson")
SEED = 20260101
SAMPLE = 400


@dataclass(frozen=True, slots=True)
class Text:
    """One text: the set it is from, the field of it, and its topics; texts that share none are unrelated."""

    text: str
    source: str
    field: str
    topics: frozenset[str]
    language: str


def _text(text: str, source: str, field: str, *topics: str) -> Text:
    return Text(text, source, field, frozenset(topics), language_of(text))


def boundary50(folder: Path, _: random.Random) -> Iterator[Text]:
    """Situation, visible input, mistake and lesson of 50 boundary cases; situations of 20 control tasks."""
    for name in ("cases", "controls"):
        for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            for field in FIELDS:
                if case.get(field):
                    yield _text(case[field], "boundary50", field, case.get("family", case["id"]))


def agentrx(folder: Path, _: random.Random) -> Iterator[Text]:
    """Reasons of annotated failures of agents; two of one trace or one category are related."""
    for file in sorted(folder.glob("*.json")):
        for trace in json.loads(file.read_text(encoding="utf-8")):
            for failure in trace["failures"]:
                topics = f"trace {trace['trajectory_id']}", failure["failure_category"].lower()[:12]
                for field in ("step_reason", "category_reason"):
                    yield _text(failure[field], "agentrx", field, *topics)


def locomo(folder: Path, rng: random.Random) -> Iterator[Text]:
    """A sample of turns of long conversations; a conversation is a topic."""
    with gzip.open(folder / "locomo10.json.gz", "rt", encoding="utf-8") as file:
        talks = json.load(file)
    turns = [
        (f"{turn['speaker']}: {turn['text']}", talk["sample_id"])
        for talk in talks
        for name, session in talk["conversation"].items()
        if re.fullmatch(r"session_\d+", name)
        for turn in session
    ]
    for text, talk in rng.sample(turns, SAMPLE):
        yield _text(text, "locomo", "turn", talk)


def cmrc2018(folder: Path, rng: random.Random) -> Iterator[Text]:
    """A sample of sentences of Chinese encyclopedia articles; an article is a topic."""
    with gzip.open(folder / "cmrc2018_dev.json.gz", "rt", encoding="utf-8") as file:
        articles = json.load(file)["data"]
    sentences = [
        (sentence, article["id"])
        for article in articles
        for paragraph in article["paragraphs"]
        for sentence in re.split(r"(?<=[。！？])", paragraph["context"])
        if len(sentence) >= 8
    ]
    for text, article in rng.sample(sentences, SAMPLE):
        yield _text(text, "cmrc2018", "sentence", article)


SOURCES = {"boundary50": boundary50, "agentrx": agentrx, "locomo": locomo, "cmrc2018": cmrc2018}


def collect(data: Path, quick: bool) -> list[Text]:
    """The distinct texts of all sets, a quarter of them when quick."""
    rng = random.Random(SEED)
    texts = {item.text: item for name, read in SOURCES.items() for item in read(data / name, rng)}
    return list(texts.values())[:: 4 if quick else 1]
