"""The article's story, word for word: three boundary inputs failed; the next is met with a question or a warning."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.config import Settings
from graphmem.domain.answers import Recollection, Strength
from graphmem.domain.drafts import ExperienceDraft, PatternReview, Question, SituationKeys
from graphmem.domain.memories import Pattern, PatternStatus, Result
from graphmem.services.wording import prompt_text
from graphmem.wiring import Services, build
from tests.builders import NS
from tests.contract.neo4j_places import neo4j_places, neo4j_runs
from tests.contract.stores import REAL, parameters

__all__ = ["neo4j_places", "neo4j_runs"]

WORDS = {
    "zh": (
        "清洗一列数据",
        ("输入 []", "遇到空数组输入时直接抛了异常", "空数组要返回空结果，不要报错"),
        ("输入 [None, None, None]", "数组里全是 None 时又抛异常", "全是 None 时返回空结果"),
        ("输入 [None]", "数组长度为 1 但元素为 None，还是抛异常", "单个 None 也返回空结果"),
    ),
    "en": (
        "clean a column of rows",
        (
            "input []",
            "the agent threw an exception on an empty array",
            "an empty array returns an empty result",
        ),
        (
            "input [None, None, None]",
            "exception again: the array holds only None",
            "only None returns an empty result",
        ),
        ("input [None]", "exception on an array of length 1 whose element is None", "a single None too"),
    ),
}
NEW = {
    "zh": ('清洗一列数据：输入 ["", None]', "清洗一列数据：输入 {}"),
    "en": ('clean a column of rows: input ["", None]', "clean a column of rows: input {}"),
}
ORDINARY = {"zh": "清洗一列数据：输入 [23, 31, 45]", "en": "clean a column of rows: input [23, 31, 45]"}


@pytest.fixture(params=WORDS)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=parameters(REAL))
def told(request: pytest.FixtureRequest, language: str, tmp_path: Path) -> Iterator[Services]:
    """The default embedder over a real store, after the three failures."""
    store = REAL[request.param](tmp_path / "store")
    services = build(Settings(store="sqlite:///here.db", embed_timeout_s=60.0), store=store)
    action, *failures = WORDS[language]
    for number, (context, wrong, right) in enumerate(failures):
        services.remember.experience(
            NS,
            ExperienceDraft(
                action=action,
                context=context,
                manifestation=wrong,
                correction=right,
                result=Result.FAILURE,
                task_id=f"task {number}",
                tool="clean_rows",
            ),
        )
    yield services
    services.close()


def recalled(services: Services, situation: str) -> Recollection:
    """What is said before the tool is used on an input."""
    return services.recall.ask(NS, Question(situation=situation, keys=SituationKeys(tool="clean_rows")))


def test_three_failures_become_one_meta_rule(told: Services, language: str) -> None:
    """One pattern; new boundary inputs are met, ordinary ones are not; what was settled or muted is not said."""
    (cluster,) = told.reflect.clusters(NS)
    pattern = cluster.pattern
    assert isinstance(pattern, Pattern)
    assert (cluster.size, pattern.ref, pattern.episodes) == (3, "P-1", 3)
    for situation in NEW[language]:
        found = recalled(told, situation)
        (reminder,) = found.reminders
        assert reminder.strength in (Strength.ASK, Strength.REMIND)
        assert reminder.subject == pattern
        assert {memory.ref for memory in reminder.evidence} <= {"E-1", "E-2", "E-3"}
        assert pattern.lesson[:20] in prompt_text(found)
    assert recalled(told, ORDINARY[language]).reminders == ()
    told.curate.review_pattern(NS, PatternReview(id="P-1", status=PatternStatus.MUTED, by="anna"))
    assert recalled(told, NEW[language][0]).reminders == ()
