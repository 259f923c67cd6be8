"""Files that changed since a failure, as git tells them."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from graphmem.entrypoints.capture.changed_files import MAX_NAMED, changed_since

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def git(folder: Path, *words: str) -> None:
    """Call git as somebody."""
    somebody = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *somebody, *words], cwd=folder, check=True, capture_output=True)


def edited(file: Path, at: datetime) -> None:
    """Write a file and say when."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(str(at))
    os.utime(file, (at.timestamp(), at.timestamp()))


def test_edited_new_and_committed_files_are_named_newest_first(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    git(tmp_path, "init")
    for name in ("old.py", "edited.py", "committed.py"):
        edited(tmp_path / name, LONG_AGO)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    edited(tmp_path / "committed.py", now - timedelta(seconds=30))
    git(tmp_path, "commit", "-am", "second")
    edited(tmp_path / "edited.py", now - timedelta(seconds=20))
    edited(tmp_path / "new dir" / "new.py", now - timedelta(seconds=10))
    since = now - timedelta(minutes=1)
    assert changed_since(tmp_path, since) == ["new dir/new.py", "edited.py", "committed.py"]
    assert changed_since(tmp_path, now - timedelta(seconds=15)) == ["new dir/new.py"]


def test_many_are_cut(tmp_path: Path) -> None:
    git(tmp_path, "init")
    for number in range(MAX_NAMED + 5):
        (tmp_path / f"{number}.py").write_text("")
    assert len(changed_since(tmp_path, LONG_AGO)) == MAX_NAMED


def test_without_a_checkout_nothing_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    assert changed_since(tmp_path, LONG_AGO) == []
    assert changed_since(tmp_path / "missing", LONG_AGO) == []
