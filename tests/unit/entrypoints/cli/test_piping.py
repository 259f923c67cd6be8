"""`-` is what comes on standard input, wherever a text is asked for."""

from __future__ import annotations

from importlib import import_module

import pytest
from typer.testing import CliRunner

from graphmem.entrypoints import cli
from graphmem.entrypoints.cli import make_app
from graphmem.entrypoints.cli.piping import piped_fields
from tests.unit.entrypoints.cli.conftest import Run

TEXTS = {
    "remember": {"statement"},
    "record": {"action", "context", "output", "expected", "manifestation", "correction", "generalization"},
    "capture": {"manifestation", "trace", "action", "context"},
    "recall": {"situation", "concern", "planned_action"},
    "brief": {"task", "concern"},
    "doctor": {"ask"},
    "link": {"note"},
    "review": {"reason"},
    "promote": {"guidance"},
    "decide": {"reason"},
    "submit": {"summary", "prevention", "generalization", "lesson", "triggers"},
}


def test_the_texts_that_take_it_are_these() -> None:
    found = {}
    for name, place in cli.COMMANDS.items():
        module, _, options = place.split(":")
        if fields := piped_fields(getattr(import_module(f"{cli.__name__}.{module}"), options)):
            found[name] = set(fields)
    assert found == TEXTS


@pytest.mark.parametrize("name", TEXTS)
def test_the_help_says_so(run: Run, name: str) -> None:
    assert " ".join(run(name, "--help").out.split()).count("- for standard input") == len(TEXTS[name])


def test_a_fact_is_read_to_its_end_without_the_last_line_ends(run: Run) -> None:
    assert (
        run("remember", "-", "--json", text="the disk\nis full\n\n").data["memory"]["statement"]
        == "the disk\nis full"
    )
    assert [hit["memory"]["ref"] for hit in run("recall", "-", "--json", text="disk\n").data["facts"]] == [
        "F-1"
    ]
    kept = run("record", "copy", "--result", "failure", "--output", "-", "--json", text="no space\n").data[
        "memory"
    ]
    assert kept["output"] == "no space"
    shown = run("capture", "-", "--json", text="ValueError: no rows\n").data["memory"]
    assert shown["manifestation"] == "ValueError: no rows"
    assert run("brief", "-", text="copy\n").code == 0


def test_it_is_taken_once_and_must_hold_something(run: Run) -> None:
    ended = run("record", "-", "--result", "failure", "--output", "-", text="copy")
    assert (ended.code, ended.out) == (2, "")
    assert (
        ended.err
        == "graphmem: output: standard input is taken by action already (say one of the two in words)\n"
    )
    assert run("remember", "-", text="").err == "graphmem: statement: must not be empty (say it in words)\n"
    assert run("failures", "--json").data == []


def test_what_is_no_text_is_refused(run: Run) -> None:
    assert run("status").code == 0
    ended = CliRunner().invoke(make_app(), ["remember", "-"], input=b"\xff\xfe", prog_name="graphmem")
    assert (ended.exit_code, ended.stderr) == (
        2,
        "graphmem: statement: standard input is no text (send UTF-8)\n",
    )


def test_other_words_are_what_they_are(run: Run) -> None:
    written = run("remember", "--json", "--", "-- a -", text="typed").data["memory"]
    assert written["statement"] == "-- a -"
