"""export and import: lines out, lines in, and what is wrong with other lines."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from graphmem.entrypoints.cli import moving, progress
from tests.unit.entrypoints.cli.conftest import Run

Fail = Callable[..., str]


@pytest.fixture
def exported(run: Run, fail: Fail) -> str:
    """The lines of a namespace with a fact, two failures and a cause."""
    run("remember", "一个事实")
    fail("first")
    fail("second", "--caused-by", "E-1")
    return run("export").out


def test_export_prints_a_header_every_memory_and_every_edge(exported: str) -> None:
    lines = [json.loads(line) for line in exported.splitlines()]
    assert lines[0]["graphmem"] == "export"
    assert [line.get("kind") for line in lines[1:]] == ["FACT", "EXPERIENCE", "EXPERIENCE", "CAUSED_BY"]


def test_import_reads_standard_input_and_can_be_repeated(run: Run, exported: str) -> None:
    first = run("import", "-", "-n", "copy", text=exported)
    assert first.lines == ["3 memories written, 0 known already, 1 edge"]
    assert "E-1 ✗ first" in run("explain", "E-2", "-n", "copy").out
    again = run("import", "-", "-n", "copy", "--json", text=exported)
    assert (again.data["created"], again.data["known"]) == (0, 3)


def test_files_are_written_and_read(run: Run, exported: str, tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    ended = run("export", "--to", str(file))
    assert (ended.out, ended.err) == ("", f"5 lines written to {file}\n")
    assert file.read_text(encoding="utf-8") == exported
    assert run("import", str(file), "-n", "copy").code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the header line is missing"),
        ("no json\n", "line 1 is no exported line"),
        ('{"graphmem": "export", "format": 99, "source": "main"}\n', "line 1 is no exported line"),
    ],
)
def test_other_lines_are_refused(run: Run, text: str, said: str) -> None:
    ended = run("import", "-", text=text)
    assert (ended.code, said in ended.err) == (2, True)


def test_bytes_that_are_no_text_are_refused(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bytes"
    file.write_bytes(b"\xff\xfe\x00")
    ended = run("import", str(file))
    assert (ended.code, "is not UTF-8" in ended.err) == (2, True)


@pytest.mark.parametrize("words", ["import /no/such/file", "export --to /no/such/dir/x"])
def test_files_that_cannot_be_opened_are_named(run: Run, words: str) -> None:
    ended = run(*words.split())
    assert ended.code == 3
    assert "cannot open /no/such" in ended.err


def test_a_folder_is_no_file(run: Run, tmp_path: Path) -> None:
    assert run("import", str(tmp_path)).code == 2


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def test_long_work_tells_how_far_it_is(
    run: Run, exported: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text(exported, encoding="utf-8")
    screen = Screen()
    monkeypatch.setattr(moving, "EVERY", 2)
    monkeypatch.setattr(moving, "INTERVAL_S", 0.001)
    monkeypatch.setattr(progress, "show", lambda text: screen.write(text + "\n"))
    monkeypatch.setattr(progress, "watched", lambda: True)
    assert run("import", str(file), "-n", "copy").code == 0
    assert "2 lines read" in screen.getvalue()
    assert "memories in the namespace" in screen.getvalue()


def test_no_progress_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    progress.show("half of it")
    assert capsys.readouterr().err == ""


def test_progress_is_shown_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    progress.show("half of it")
    assert screen.getvalue() == "\r\x1b[Khalf of it"


def test_an_import_says_what_lacks_vectors(run: Run, exported: str) -> None:
    assert "no vectors yet" not in run("import", "-", "-n", "copy", "--embedder", "hash", text=exported).out
    run("remember", "made without a model", "-n", "copy")
    out = run("import", "-", "-n", "copy", "--embedder", "hash", text=exported).out
    assert "1 memory has no vectors yet (found by words): graphmem doctor --repair" in out


def test_copy_copies_every_namespace_and_says_so(run: Run, exported: str, tmp_path: Path) -> None:
    run("remember", "x", "-n", "other")
    source, target = f"sqlite:///{tmp_path / 'memory.db'}", f"sqlite:///{tmp_path / 'copy.db'}"
    lines = run("copy", source, target).lines
    assert [line.split(" (")[0] for line in lines] == [
        "main: 3 memories, 1 edge, equal",
        "other: 1 memory, 0 edges, equal",
    ]
    assert run("export", "--store", target).lines[1:] == exported.splitlines()[1:]


def test_copy_takes_one_namespace(run: Run, exported: str, tmp_path: Path) -> None:
    run("remember", "x", "-n", "other")
    source, target = f"sqlite:///{tmp_path / 'memory.db'}", f"sqlite:///{tmp_path / 'copy.db'}"
    (report,) = run("copy", source, target, "-n", "other", "--json").data
    assert (report["namespace"], report["memories"]) == ("other", 1)
    again = run("copy", source, target, "-n", "other")
    assert (again.code, "is not empty" in again.err) == (4, True)


def test_copy_refuses_a_file_that_is_not_there(run: Run, tmp_path: Path) -> None:
    ended = run("copy", f"sqlite:///{tmp_path / 'none.db'}", f"sqlite:///{tmp_path / 'copy.db'}")
    assert (ended.code, "there is no file" in ended.err) == (3, True)
    assert not list(tmp_path.glob("*.db"))


def test_copy_of_nothing_says_so(run: Run, tmp_path: Path) -> None:
    run("status")
    ended = run("copy", f"sqlite:///{tmp_path / 'memory.db'}", f"sqlite:///{tmp_path / 'copy.db'}")
    assert ended.lines == ["Nothing to copy: the store holds no namespace"]


def test_the_progress_of_a_copy_is_shown(
    run: Run, exported: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(progress, "show", shown.append)
    run("copy", f"sqlite:///{tmp_path / 'memory.db'}", f"sqlite:///{tmp_path / 'copy.db'}")
    assert shown[:2] == ["main: 3 of 3 memories", "main: 1 of 1 edge"]
    assert shown[-2:] == ["main: comparing", ""]
