"""The story of the demo, word for word: with every embedder, in both languages, and on inputs it does not name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest

from graphmem.config import SQLITE_PREFIX, Settings
from graphmem.domain.answers import Hit, Impact, Recollection, Strength
from graphmem.domain.drafts import Question, SituationKeys
from graphmem.domain.explanations import Explanation
from graphmem.domain.memories import Fact
from graphmem.services.wording import prompt_text
from graphmem.tooling.demo import STARTS, Agent, Clock, Play, clean_rows, numbered_ids, warnings_in
from graphmem.tooling.demo_long import ENDS, LongPlay
from graphmem.tooling.demo_story import FAILED, NEW, ORDINARY, TOLD, TOOL, WORDS, Rows, shown
from graphmem.tooling.demo_weeks import EPISODES, KINDS, SUCCESSES, WRONG_FACTS
from graphmem.wiring import Services, build

NS = "demo"
EMBEDDERS = ["none", "hash", pytest.param("e5-small", marks=pytest.mark.models)]
ROUNDS = 20
"""How often a question waits for a model on a busy machine."""


@dataclass
class Notes:
    """A screen that keeps what it is shown."""

    texts: list[str] = field(default_factory=list)
    tables: list[list[list[str]]] = field(default_factory=list)
    listed: list[tuple[str, list[Hit]]] = field(default_factory=list)
    found: list[Recollection] = field(default_factory=list)
    explained: list[Explanation] = field(default_factory=list)
    damage: list[Impact] = field(default_factory=list)

    def line(self, text: str = "") -> None:
        """Keep a line."""
        self.texts.append(text)

    def heading(self, text: str) -> None:
        """Keep a title."""
        self.texts.append(text)

    def table(self, cells: Sequence[Sequence[str]]) -> None:
        """Keep a table."""
        self.tables.append([list(row) for row in cells])

    def hits(self, label: str, hits: Sequence[Hit]) -> None:
        """Keep a list."""
        self.listed.append((label, list(hits)))

    def reminders(self, found: Recollection) -> None:
        """Keep an answer."""
        self.found.append(found)

    def explanation(self, found: Explanation) -> None:
        """Keep a cause tree."""
        self.explained.append(found)

    def impact(self, found: Impact) -> None:
        """Keep what followed."""
        self.damage.append(found)


Open = Callable[..., Services]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Make the services of an embedder, with the clock and the ids of the demo."""
    made: list[Services] = []

    def open_with(embedder: str, start: datetime = STARTS) -> Services:
        settings = Settings(store=f"{SQLITE_PREFIX}{tmp_path / embedder}.db", embedder=embedder)
        made.append(build(settings, clock=Clock(start), new_id=numbered_ids()))
        return made[-1]

    yield open_with
    for services in made:
        services.close()


def settled(services: Services) -> None:
    """Wait until every memory has its vectors."""
    for _ in range(ROUNDS):
        services.maintain.embed_pending(NS)
        if not services.inspect.status(NS).without_vectors or services.embedding.parameters is None:
            return
    raise AssertionError("the embedder does not answer")


def asked(services: Services, situation: str, tool: str = TOOL) -> Recollection:
    """What memory answers before the act, once the model has answered."""
    if services.embedding.parameters is not None:
        for _ in range(ROUNDS):
            if services.embedding.vectors([situation]):
                break
    return services.recall.ask(NS, Question(situation=situation, keys=SituationKeys(tool=tool)))


def played(services: Services, language: str) -> tuple[Notes, Play]:
    """The three failures, recorded."""
    notes = Notes()
    play = Play(services, NS, language, notes)
    play.failures()
    settled(services)
    return notes, play


BOUNDARY = [
    'clean a batch of rows: rows = ["", None]',
    "clean a batch of rows: rows = {}",
    "clean a batch of rows: rows = [NaN]",
    "clean rows = [null, null]",
    "the rows to clean are ()",
    "every value in the batch is missing, clean it",
    'clean_rows(["", "", ""])',
    'clean_rows({"age": None})',
    '清洗一批记录: rows = ["", None]',
    "清洗一批记录: rows = {}",
    "清洗一批记录: rows = [NaN, NaN]",
    '清洗一批记录，rows = ""',
    "清洗 rows = [None, 3, None]",
    "清洗一批记录，所有值都缺失",
]
OUTSIDE = [
    "clean a batch of rows: rows = [23, 31, 45]",
    'clean a batch of rows: rows = ["Li", "Wang", "Zhao"]',
    "clean_rows([1.5, 2.5, 3.25])",
    'clean_rows({"age": 31, "name": "Li"})',
    "write the weekly report",
    "清洗一批记录: rows = [23, 31, 45]",
    "清洗一批记录: rows = [7, 8, 9, 12]",
    "把周报翻译成英文",
]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("embedder", EMBEDDERS)
class TestStory:
    """What the demo says is so, whatever finds the memories."""

    def test_new_boundary_inputs_are_asked_about(self, opened: Open, embedder: str, language: str) -> None:
        services = opened(embedder)
        played(services, language)
        silent = {text for text in BOUNDARY if not asked(services, text).reminders}
        assert silent == set()

    def test_a_question_names_the_three_failures(self, opened: Open, embedder: str, language: str) -> None:
        services = opened(embedder)
        played(services, language)
        for text in BOUNDARY:
            first = asked(services, text).reminders[0]
            assert first.strength in (Strength.ASK, Strength.REMIND)
            if first.strength is Strength.ASK:
                assert {memory.ref for memory in first.evidence} == {"E-1", "E-2", "E-3"}

    def test_ordinary_inputs_are_left_alone(self, opened: Open, embedder: str, language: str) -> None:
        services = opened(embedder)
        played(services, language)
        for text in OUTSIDE:
            found = asked(services, text)
            assert (text, found.reminders, warnings_in(found)) == (text, (), 0)
            assert not any(
                word in prompt_text(found) for word in ("Careful", "You failed", "注意", "已经失败")
            )

    def test_memory_turns_failures_into_results(self, opened: Open, embedder: str, language: str) -> None:
        services = opened(embedder)
        played(services, language)
        without, remembering = Agent(None, NS, language), Agent(services, NS, language)
        for rows in (*NEW, [None, "", None], ()):
            assert without.clean(rows).result is None
            assert remembering.clean(rows).result == []
        for rows in (*ORDINARY, [3.5, 1.0], [200, 100]):
            assert without.clean(rows).result == remembering.clean(rows).result == clean_rows(rows)

    def test_the_chain_has_its_root_and_its_damage(self, opened: Open, embedder: str, language: str) -> None:
        services = opened(embedder)
        notes, play = played(services, language)
        play.chain()
        (explained,), (damage,) = notes.explained, notes.damage
        assert [memory.ref for memory in explained.nodes] == ["E-6", "E-5", "E-4"]
        assert explained.root_causes[0].memory.ref == "E-4"
        assert "未处理空输入" in explained.root_causes[0].memory.text
        assert explained.joint_fix == (explained.root_causes[0].memory.id,)
        assert (damage.of.ref, damage.failures, damage.tasks) == ("E-4", 2, 1)
        assert [memory.ref for memory in damage.nodes] == ["E-4", "E-5", "E-6"]

    def test_facts_and_errors_are_told_apart(self, opened: Open, embedder: str, language: str) -> None:
        services = opened(embedder)
        notes, play = played(services, language)
        play.questions()
        assert len(notes.listed) == 4
        for (_, facts), (_, errors) in zip(notes.listed[::2], notes.listed[1::2], strict=True):
            assert [hit.memory.text for hit in facts] == [TOLD]
            assert errors
            assert not any(isinstance(hit.memory, Fact) for hit in errors)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("embedder", ["none", "hash"])
def test_the_play_is_the_same_every_time(opened: Open, embedder: str, language: str, tmp_path: Path) -> None:
    first, second = Notes(), Notes()
    Play(opened(embedder), NS, language, first).show()
    settings = Settings(store=f"{SQLITE_PREFIX}{tmp_path / 'again'}.db", embedder=embedder)
    with closing(build(settings, clock=Clock(), new_id=numbered_ids())) as services:
        Play(services, NS, language, second).show()
    assert first.texts == second.texts
    assert first.tables == second.tables
    assert first.explained == second.explained


def test_the_table_shows_who_fails_and_who_does_not(opened: Open) -> None:
    notes = Notes()
    Play(opened("none"), NS, "en", notes).show()
    _, table = notes.tables
    tried = {row[0].strip(): row[1:] for row in table[1:]}
    for rows in NEW:
        without, remembering = tried[f"rows = {shown(rows)}"]
        assert without == "✗ fails again (ValueError)"
        assert remembering in ("ASK → ✓ []", "REMIND → ✓ []")
    assert tried["rows = [23, 31, 45]"][1] == "nothing said → ✓ [23.0, 31.0, 45.0]"
    assert "For [23, 31, 45]: 0 reminders, 0 warnings in promptText. The agent stays bold." in notes.texts


def test_the_three_inputs_are_those_of_the_article() -> None:
    assert [shown(rows) for rows in FAILED] == ["[]", "[None, None, None]", "[None]"]
    assert "空数组要返回空结果，不要报错" in TOLD


@pytest.mark.parametrize("rows", [*FAILED, *NEW, (), [""], ["x"], {"a": 1}])
def test_the_tool_fails_on_every_input_it_was_not_written_for(rows: Rows) -> None:
    with pytest.raises(ValueError, match="cannot clean"):
        clean_rows(rows)


def test_the_tool_works_on_ordinary_rows() -> None:
    assert clean_rows([45, 23, 31]) == [23.0, 31.0, 45.0]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_four_weeks_are_summed_up(opened: Open, language: str) -> None:
    services, notes = opened("none", ENDS), Notes()
    LongPlay(services, NS, language, notes).show()
    counts = services.inspect.status(NS).counts
    assert (counts["FAILURE"], counts["EXPERIENCE"], counts["SUPERSEDES"]) == (50, 50 + len(SUCCESSES), 2)
    _, roots = notes.tables
    assert roots[1][1:] == ["6", "20", "40%"]
    assert roots[-1][3] == "100%"
    assert len(roots) - 1 < len(EPISODES) / 2
    (longest,) = notes.explained
    assert longest.root_causes[0].memory.ref == "F-2"
    assert len(longest.nodes) == 7


def test_the_weeks_are_well_made() -> None:
    chains = [kinds.split() for _, kinds in EPISODES]
    assert sum(len(chain) for chain in chains) == 50
    assert {len(chain) for chain in chains} >= {3, 4, 5, 6}
    assert {kind for chain in chains for kind in chain} == set(KINDS)
    assert set(WRONG_FACTS) <= set(KINDS)
    assert all(0 < day <= 28 for day, _ in EPISODES)
    assert all(english and chinese for english, chinese in WORDS.values())
