"""What an exception tells: its type and words, and the frames that are the program's own."""

from __future__ import annotations

import linecache
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

MAX_FRAMES = 12
MAX_CHAIN = 10
MAX_MESSAGE = 2_000
_LIBRARIES = tuple(
    str(Path(sysconfig.get_path(name)).resolve()) + "/"
    for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_PACKAGES = frozenset({"site-packages", "dist-packages"})
_OURS = str(Path(__file__).parents[2]) + "/"


def error_name(error: BaseException) -> str:
    """The type of an exception as a person would look it up: dotted, without the module for a built-in one."""
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def message(error: BaseException) -> str:
    """Type and words; the end of long words is cut off. An exception whose words cannot be made has none."""
    try:
        words = str(error)
    except Exception:
        words = ""
    name = type(error).__qualname__
    return f"{name}: {words[:MAX_MESSAGE]}" if words else name


def is_own(file: str) -> bool:
    """Whether a source file belongs to the program: not to Python, an installed package or graphmem itself."""
    if file.startswith("<"):
        return False
    path = Path(file).resolve()
    return not (str(path).startswith((*_LIBRARIES, _OURS)) or _PACKAGES & set(path.parts))


def own_frames(trace: TracebackType | None) -> list[traceback.FrameSummary]:
    """The program's own frames, the outermost first, at most the innermost MAX_FRAMES. No values of variables."""
    walked = traceback.walk_tb(trace)
    own = [(frame, line) for frame, line in walked if is_own(frame.f_code.co_filename)]
    return [
        traceback.FrameSummary(
            frame.f_code.co_filename,
            line,
            frame.f_code.co_name,
            line=linecache.getline(frame.f_code.co_filename, line, frame.f_globals).strip(),
        )
        for frame, line in own[-MAX_FRAMES:]
    ]


def told(error: BaseException) -> str:
    """The trace of an exception: a line for each own frame, then type and words."""
    lines = [
        f"{shown(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}"
        for frame in own_frames(error.__traceback__)
    ]
    return "\n".join([*lines, message(error)])


def shown(file: str) -> str:
    """A path as it is named in a trace: from the working folder where it lies below, else its last three parts."""
    path = Path(file)
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except (ValueError, OSError):
        return "/".join(path.parts[-3:])


def reasons(error: BaseException) -> Iterator[BaseException]:
    """What an exception says it came of: `raise … from`, what was being handled, or the members of a group."""
    reason = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if isinstance(reason, Exception):
        yield reason
    if isinstance(error, BaseExceptionGroup):
        yield from (inner for inner in error.exceptions if isinstance(inner, Exception))
