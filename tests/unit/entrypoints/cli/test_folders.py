"""export --markdown and import of a folder: whole or not at all, and nothing outside of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from graphmem.domain.errors import BadInputError
from graphmem.entrypoints.cli import folders
from graphmem.entrypoints.cli.folders import read_folder, write_folder
from tests.unit.entrypoints.cli.conftest import Run

FAULT = (
    "--manifestation",
    "the parser broke on an empty price cell",
    "--correction",
    "treat it\r\nas missing ```",
)


def taught(run: Run, fail: Callable[..., str]) -> None:
    """Facts, failures, a pattern and a strategy whose category would like to be elsewhere."""
    run("remember", "一个事实\n# no heading")
    for number in range(3):
        fail(f"clean file {number}", *FAULT, "--task-id", f"t{number}", "--task-type", "../../up")
    assert run("promote", "P-1").code == 0


def test_a_namespace_goes_through_a_folder(run: Run, fail: Callable[..., str], tmp_path: Path) -> None:
    taught(run, fail)
    place = tmp_path / "deep" / "memory"
    ended = run("export", "--markdown", str(place))
    assert (ended.code, ended.out) == (0, "")
    written = sorted(file.relative_to(place).as_posix() for file in place.rglob("*") if file.is_file())
    assert [name.split("/")[0] for name in written] == ["episodic", "graphmem.yaml", "patterns", "strategic"]
    assert sorted(path.name for path in place.parent.iterdir()) == ["memory"]
    before = run("export").out.splitlines()
    again = run("import", str(place), "-n", "main", "--json").data
    assert (again["created"], again["known"]) == (0, 6)
    moved = run("import", str(place), "-n", "copy")
    assert moved.lines[0].startswith("6 memories written, 0 known already, ")
    assert len(run("export", "-n", "copy").out.splitlines()) == len(before)
    shown = run("show", "E-1", "-n", "copy", "--json").data
    assert shown["correction"] == "treat it\r\nas missing ```"


def test_a_folder_in_use_is_refused_and_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "note.txt").write_text("mine", encoding="utf-8")
    ended = run("export", "--markdown", str(tmp_path / "mine"))
    assert (ended.code, "is not empty (name a new folder)" in ended.err) == (2, True)
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["note.txt"]
    assert run("export", "--markdown", str(tmp_path / "mine" / "note.txt" / "x")).code == 2


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folders.Path, "write_text", full)
    with pytest.raises(BadInputError, match="No space left"):
        write_folder(tmp_path / "out", {"graphmem.yaml": "x"})
    assert list(tmp_path.iterdir()) == []


def test_only_the_files_of_an_export_are_read(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", {"graphmem.yaml": "x\n", "episodic/2026-03-01.md": "y\r\n"})
    (tmp_path / "out" / "README.md").write_text("no", encoding="utf-8")
    (tmp_path / "out" / "episodic" / "notes.txt").write_text("no", encoding="utf-8")
    assert read_folder(tmp_path / "out") == {"graphmem.yaml": "x\n", "episodic/2026-03-01.md": "y\r\n"}


def test_what_is_no_export_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ended = run("import", str(tmp_path / "empty"))
    assert (ended.code, "there is no graphmem.yaml in it" in ended.err) == (2, True)
    (tmp_path / "empty" / "graphmem.yaml").write_bytes(b"\xff")
    ended = run("import", str(tmp_path / "empty"))
    assert (ended.code, "is not UTF-8" in ended.err) == (2, True)
