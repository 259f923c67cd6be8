"""Before anything is downloaded, what is missing is named with its remedy; what only tests need ends nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration import test_browser

SCRIPT = Path(__file__).parents[2] / "scripts" / "preflight.sh"
SHELL = shutil.which("sh")


def checked(place: Path, *programs: str, python: str = sys.executable, **environment: str) -> tuple[int, str]:
    """Status and words of the script where only these programs are on the PATH, and .venv is there already."""
    (place / ".venv/bin").mkdir(parents=True)
    (place / ".venv/bin/python").touch()
    for name in programs:
        program = place / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.touch(mode=0o755)
    done = subprocess.run(
        [str(SHELL), str(SCRIPT), python],
        cwd=place,
        env={"PATH": str(place / "bin"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_missing_chromium_is_named_with_its_remedy(tmp_path: Path) -> None:
    status, said = checked(tmp_path)
    assert status == 0
    assert "Chromium" in said
    assert test_browser.REMEDY in said


@pytest.mark.parametrize("name", test_browser.NAMES)
def test_one_by_any_name_is_enough(tmp_path: Path, name: str) -> None:
    assert checked(tmp_path, name) == (0, "")


def test_who_leaves_these_tests_out_is_not_told(tmp_path: Path) -> None:
    assert checked(tmp_path, **{test_browser.SWITCH: "0"}) == (0, "")


def test_a_missing_python_ends_it(tmp_path: Path) -> None:
    status, said = checked(tmp_path, python="python-that-is-not-there")
    assert status == 1
    assert "there is no 'python-that-is-not-there'" in said
    assert "Nothing was downloaded" in said
