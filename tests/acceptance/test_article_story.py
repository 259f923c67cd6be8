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
from tests.article import NEW, ORDINARY, WORDS
from tests.builders import NS, bare
from tests.contract.neo4j_places import neo4j_places, neo4j_runs
from tests.contract.stores import REAL, parameters

__all__ = ["neo4j_places", "neo4j_runs"]


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
        assert reminder.subject == bare(pattern)
        assert {memory.ref for memory in reminder.evidence} <= {"E-1", "E-2", "E-3"}
        assert pattern.lesson[:20] in prompt_text(found)
    assert recalled(told, ORDINARY[language]).reminders == ()
    told.curate.review_pattern(NS, PatternReview(id="P-1", status=PatternStatus.MUTED, by="anna"))
    assert recalled(told, NEW[language][0]).reminders == ()
