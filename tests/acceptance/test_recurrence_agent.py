"""boundary50 with a model in the script's place: the arms differ by what the memory lists, and answers are counted."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks import recurrence
from benchmarks.recurrence_agent import agent_figures, question
from benchmarks.recurrence_memory import Encoder
from benchmarks.recurrence_sets import Task, boundary_tasks
from benchmarks.reporting import Figure
from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.domain.consulting import Prompt, Reply
from tests.chat import completion
from tests.receiver import receiving


class Heeding:
    """Names the kinds of what the memory shows it, and nothing without; heeds: whether it does."""

    name = "heeding"

    def __init__(self, tasks: list[Task], heeds: bool = True, unreadable: bool = False) -> None:
        self._told = {task.outcome: task.family for task in tasks if task.family}
        self._heeds, self._unreadable = heeds, unreadable
        self.asked: list[dict[str, str]] = []

    def reply(self, prompt: Prompt) -> Reply:
        """The kinds whose failures stand in what is shown."""
        about = json.loads(prompt.turns[1].text)
        self.asked.append(about)
        shown = about.get("from your memory", "")
        kinds = [family for outcome, family in self._told.items() if self._heeds and outcome in shown]
        return Reply(text="sorry" if self._unreadable else json.dumps({"kinds": kinds[:2]}))


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return boundary_tasks("visible", False)[::2]


def figures(tasks: list[Task], model: Heeding) -> dict[str, Figure]:
    return agent_figures(tasks, Encoder(HashingEmbedder()), model, [1])


def test_who_heeds_the_list_recurs_less(tasks: list[Task]) -> None:
    model = Heeding(tasks)
    found = figures(tasks, model)
    without, shown = found["recurrences without memory"], found["recurrences with the list of three"]
    assert shown.value < without.value - 0.1
    assert found["the difference, case by case"].value == pytest.approx(shown.value - without.value)
    assert shown.baselines == {"without": without.value}
    assert found["answers that could not be read"].value == 0
    cases = sum(bool(task.family) for task in tasks)
    families = len({task.family for task in tasks} - {""})
    assert without.value == pytest.approx((cases - families) / cases), "only a first of its kind cannot recur"
    assert len(model.asked) == 2 * len(tasks)


def test_who_does_not_heed_it_recurs_as_often(tasks: list[Task]) -> None:
    found = figures(tasks, Heeding(tasks, heeds=False))
    assert found["the difference, case by case"].value == 0


def test_answers_that_cannot_be_read_are_counted_and_avoid_nothing(tasks: list[Task]) -> None:
    found = figures(tasks, Heeding(tasks, unreadable=True))
    assert found["answers that could not be read"].value == 1
    assert found["the difference, case by case"].value == 0


def test_the_arms_are_asked_the_same_but_for_the_memory(tasks: list[Task]) -> None:
    bare, shown = question(tasks[0], "", ["a", "b"]), question(tasks[0], "careful", ["a", "b"])
    assert (bare.turns[0], bare.schema) == (shown.turns[0], shown.schema)
    assert json.loads(shown.turns[1].text) == json.loads(bare.turns[1].text) | {"from your memory": "careful"}


def test_it_runs_over_an_endpoint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every question of one order goes to the endpoint of the settings, and a table comes of it."""
    monkeypatch.setattr(recurrence, "EMBEDDERS", {"e5-small": HashingEmbedder})
    monkeypatch.setattr(sys, "argv", ["recurrence", "--agent", "openai:m", "--quick", "--json"])
    with receiving(bodies=[completion(json.dumps({"kinds": ["empty"]}))]) as server:
        monkeypatch.setenv("GRAPHMEM_LLM_URL", server.url)
        recurrence.main()
        assert len(server.raw) == 2 * len(boundary_tasks("visible", False))
    found = json.loads(capsys.readouterr().out)
    assert found["boundary50, visible, m: the difference, case by case"]["value"] == 0


@pytest.mark.parametrize("agent", ["m", "openai:"])
def test_an_agent_of_another_kind_is_refused(agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["recurrence", "--agent", agent])
    with pytest.raises(SystemExit, match="openai:MODEL"):
        recurrence.main()
