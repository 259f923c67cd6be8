"""Which files of a folder changed since a moment, as far as git can tell."""

from __future__ import annotations

import subprocess
from datetime import datetime
from pathlib import Path

MAX_NAMED = 10
_TIMEOUT_S = 5
_KEPT_CHANGES = ("ls-files", "--modified", "--others", "--exclude-standard", "--deduplicate", "-z")


def changed_since(folder: Path, since: datetime) -> list[str]:
    """Paths, from the folder, of files edited or committed since; at most MAX_NAMED, the newest first.

    [] where there is no git, no checkout, or no answer in time.
    """
    committed = _git(
        folder, "log", f"--since={since.isoformat()}", "--name-only", "--relative", "--format=", "-z"
    )
    edited = _git(folder, *_KEPT_CHANGES)
    moments = {name: _changed_at(folder / name) for name in (*edited, *committed)}
    names = [name for name, moment in moments.items() if moment >= since.timestamp()]
    return sorted(names, key=lambda name: -moments[name])[:MAX_NAMED]


def _changed_at(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _git(folder: Path, *words: str) -> list[str]:
    try:
        answer = subprocess.run(
            ["git", *words],
            cwd=folder,
            capture_output=True,
            timeout=_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    parts = answer.stdout.decode(errors="replace").replace("\n", "\0").split("\0")
    return [part for part in parts if part] if answer.returncode == 0 else []
