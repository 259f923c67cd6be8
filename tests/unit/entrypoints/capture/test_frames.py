"""Own frames and not those of libraries; names and words of exceptions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphmem.entrypoints.capture import frames


def caught(call: object) -> Exception:
    """The exception that a call ends in."""
    try:
        call()  # type: ignore[operator]
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def read_json() -> None:
    """Fails inside the standard library."""
    json.loads("{")


def test_frames_of_libraries_are_left_out() -> None:
    error = caught(read_json)
    assert [frame.name for frame in frames.own_frames(error.__traceback__)] == ["caught", "read_json"]
    told = frames.told(error)
    assert 'json.loads("{")' in told
    assert "decoder.py" not in told
    assert told.splitlines()[-1].startswith("JSONDecodeError: Expecting")


def test_the_innermost_frames_are_kept() -> None:
    def deep(left: int) -> None:
        if not left:
            raise RecursionError
        deep(left - 1)

    error = caught(lambda: deep(50))
    found = frames.own_frames(error.__traceback__)
    assert len(found) == frames.MAX_FRAMES
    assert {frame.name for frame in found} == {"deep"}


def test_names_are_dotted_but_for_builtins() -> None:
    assert frames.error_name(ValueError()) == "ValueError"
    assert frames.error_name(caught(read_json)) == "json.decoder.JSONDecodeError"


def test_an_exception_without_words_has_its_name() -> None:
    class SilentError(Exception):
        """Cannot say itself."""

        def __str__(self) -> str:
            raise RuntimeError

    assert frames.message(SilentError()).endswith("SilentError")
    assert len(frames.message(ValueError("x" * 9_999))) < 2_100


@pytest.mark.parametrize(
    ("file", "own"),
    [
        ("<string>", False),
        (json.__file__, False),
        (pytest.__file__, False),
        (frames.__file__, False),
        (__file__, True),
    ],
)
def test_whose_a_file_is(file: str, own: bool) -> None:
    assert frames.is_own(file) is own


def test_paths_are_shown_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert frames.shown(str(tmp_path / "a" / "b.py")) == "a/b.py"
    assert frames.shown("/one/two/three/four.py") == "two/three/four.py"
