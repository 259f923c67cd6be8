"""The pytest plugin in runs of its own: opt-in, what it records, and that it never changes an outcome."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from graphmem.domain.memories import Experience, Result
from graphmem.entrypoints.capture import pytest_options, pytest_recorder
from tests.services import opened
from tests.unit.entrypoints.capture.conftest import Memory

ROOT = Path(__file__).parents[4]
PLUGIN = ("-p", "no:graphmem", "-p", "graphmem.entrypoints.capture.pytest_options", "-p", "no:cacheprovider")
TESTS = """
import pytest
from price import price

def test_price():
    assert price({"a": 1}) == 1

def test_fine():
    pass

@pytest.mark.xfail
def test_expected():
    raise ValueError

def test_skipped():
    pytest.skip("no")
"""
BROKEN = "def price(row):\n    return row['price']\n"
FIXED = "def price(row):\n    return row['a']\n"
Play = Callable[..., str]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Run pytest in a folder with the tests; the exit code is checked, the output comes back."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "test_it.py").write_text(TESTS)
    (project / "pytest.ini").write_text("[pytest]\n")

    def call(source: str, *words: str, code: int = 1, store: str = "") -> str:
        (project / "price.py").write_text(source)
        environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("GRAPHMEM_", "PYTEST_"))
            },
            "GRAPHMEM_STORE": store or f"sqlite:///{tmp_path / 'memory.db'}",
            "GRAPHMEM_EMBEDDER": "none",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *PLUGIN, *words],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == code, ended.stdout + ended.stderr
        return ended.stdout

    return call


def kept(tmp_path: Path) -> list[Experience]:
    """What the runs left in the memory."""
    with opened(tmp_path / "memory.db", words_only=True) as services:
        return Memory(services).experiences()


def test_it_is_never_on_by_itself(play: Play, tmp_path: Path) -> None:
    assert "graphmem" not in play(BROKEN)
    assert not (tmp_path / "memory.db").exists()


def test_a_failure_is_recorded_and_what_makes_it_pass_again(play: Play, tmp_path: Path) -> None:
    assert "E-1 test_it.py::test_price" in play(BROKEN, "--graphmem")
    assert "E-2 test_it.py::test_price (it failed the last time too: E-1)" in play(BROKEN, "--graphmem")
    assert "E-3 test_it.py::test_price passes again after E-2" in play(FIXED, "--graphmem", code=0)
    assert "E-4" not in play(FIXED, "--graphmem", code=0)
    assert "E-4 test_it.py::test_price (it passed again after E-2 (E-3))" in play(BROKEN, "--graphmem")
    first, second, third, fourth = kept(tmp_path)
    assert (first.action, first.result, first.error_type) == (
        "test test_it.py::test_price",
        Result.FAILURE,
        "KeyError",
    )
    assert "price.py:2 in price: return row['price']" in first.trace
    assert "site-packages" not in first.trace
    assert (first.tool, first.task_type) == ("pytest", "test")
    assert first.session_id != second.session_id
    assert first.episode == second.episode, "trying again is no new occasion"
    assert fourth.episode != first.episode, "but breaking again is one"
    assert (third.result, third.metadata["after"]) == (Result.SUCCESS, "E-2")


def test_processes_that_share_the_tests_out_say_it_together(play: Play, tmp_path: Path) -> None:
    tests = tmp_path / "project" / "test_it.py"
    grouped = TESTS.replace("def test_price", '@pytest.mark.xdist_group("all")\ndef test_price')
    tests.write_text(grouped + "\ndef test_other():\n    assert price({}) == 0\n")
    shared_out = ("--graphmem", "-n", "2", "--dist", "loadgroup")
    shown = play(BROKEN, *shared_out)
    assert "test_it.py::test_price\n" in shown
    assert "test_it.py::test_other\n" in shown
    assert "test_it.py::test_price passes again after " in play(FIXED, *shared_out)
    first, second, *_later = kept(tmp_path)
    assert {first.action, second.action} == {"test test_it.py::test_price", "test test_it.py::test_other"}
    assert first.session_id == second.session_id


def test_a_memory_that_fails_is_told_once_by_several_processes(play: Play, tmp_path: Path) -> None:
    (tmp_path / "bad.db").write_text("this is no database" * 100)
    shown = play(BROKEN, "--graphmem", "-n", "2", store=f"sqlite:///{tmp_path / 'bad.db'}")
    assert shown.count("not recorded: ") == 1


def test_the_settings_of_a_project_can_opt_in(play: Play, tmp_path: Path) -> None:
    (tmp_path / "project" / "pytest.ini").write_text("[pytest]\ngraphmem = true\n")
    assert "E-1 test_it.py::test_price" in play(BROKEN)


def test_setup_failures_and_explicit_ones_are_recorded(play: Play, tmp_path: Path) -> None:
    more = """
import pytest

@pytest.fixture
def broken():
    raise OSError("no disk")

def test_with(broken):
    pass

def test_by_hand():
    pytest.fail("told so")
"""
    (tmp_path / "project" / "test_it.py").write_text(more)
    play(FIXED, "--graphmem")
    setup, by_hand = kept(tmp_path)
    assert (setup.context, setup.error_type) == ("in its setup", "OSError")
    assert by_hand.manifestation == "Failed: told so"


def test_a_memory_that_fails_does_not_change_the_outcome(play: Play, tmp_path: Path) -> None:
    (tmp_path / "bad.db").write_text("this is no database" * 100)
    shown = play(BROKEN, "--graphmem", store=f"sqlite:///{tmp_path / 'bad.db'}")
    assert "not recorded: " in shown
    assert "1 failed, 1 passed, 1 skipped, 1 xfailed" in shown
    play(FIXED, "--graphmem", store=f"sqlite:///{tmp_path / 'bad.db'}", code=0)


def test_the_entry_loads_nothing_heavy() -> None:
    asked = f"import sys, {pytest_options.__name__}; print('numpy' in sys.modules, 'sqlite3' in sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout == "False False\n"
    assert pytest_recorder.__name__ == pytest_options.RECORDER
