"""Exported lines as the folders of seed 2, for people and for version control, and back without a loss.

graphmem.yaml        where the export is from
episodic/DATE.md     facts and experiences of a day, by task and session
patterns/P-1.yaml    one pattern a file
strategic/NAME.md    the strategies of a category

Every field is a line `name: VALUE` and every value is JSON, which is YAML as well. JSON keeps a text on one line, so
that no text can end its block, open a heading or name a file.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b

from graphmem.analysis.day_markdown import escaped, headed
from graphmem.domain.causation import EdgeKind
from graphmem.domain.encoding import canonical, edge_from_json, memory_from_json
from graphmem.domain.errors import BadInputError, GraphmemError
from graphmem.domain.memories import Json, Memory, MemoryKind

ORIGIN = "graphmem.yaml"
FOLDERS: Mapping[str, str] = {"episodic": ".md", "patterns": ".yaml", "strategic": ".md"}
"""The folders, and how the names of their files end."""
_EDGES = "edges"
_OPENING, _CLOSING = "```yaml", "```"
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
_FIELD = re.compile(r"([a-z_]+): (.*)")
_PLAIN_NAME = re.compile(r"[^\W_][\w-]{0,59}")
_NEVER_A_NAME = re.compile(r"con|prn|aux|nul|com\d|lpt\d")

_Data = Mapping[str, Json]


def folder_of(lines: Iterable[str]) -> dict[str, str]:
    """The text of every file by its path, from lines as export writes them."""
    origin, memories, edges = _sorted_out(json.loads(line) for line in lines)
    files = {ORIGIN: _block(origin)}
    days: dict[str, list[_Data]] = defaultdict(list)
    categories: dict[str, list[_Data]] = defaultdict(list)
    for data in memories:
        whole = {**data, _EDGES: owned} if (owned := edges.get(data["id"])) else data
        if data["kind"] == MemoryKind.PATTERN:
            files[f"patterns/{file_name(data.get('ref', '') or data['id'])}.yaml"] = _block(whole)
        elif data["kind"] == MemoryKind.STRATEGY:
            categories[data["category"]].append(whole)
        else:
            days[data["occurred_at"][:10]].append(whole)
    files |= {f"episodic/{day}.md": _day(day, held) for day, held in days.items()}
    for category, held in categories.items():
        files[f"strategic/{file_name(category)}.md"] = _page(escaped(category), held, "##")
    return files


def lines_of(files: Mapping[str, str]) -> list[str]:
    """The lines that folder_of() made the files from: the header, memories by time, edges by time.

    Raises BadInputError naming file and line for what is no field, no memory or no edge.
    """
    if ORIGIN not in files:
        raise BadInputError(f"there is no {ORIGIN} in it", field="file", remedy="name what export wrote")
    (_, origin), *_ = _fields_of(ORIGIN, files[ORIGIN].split("\n"))
    memories: list[_Data] = []
    edges: list[_Data] = []
    for path, text in sorted(files.items()):
        if path == ORIGIN:
            continue
        lines = text.split("\n")
        for number, data in _fields_of(path, lines) if path.endswith(".yaml") else _blocks_of(path, lines):
            owned = data.pop(_EDGES, [])
            _check(path, number, data, owned)
            memories.append(data)
            edges += owned
    memories.sort(key=lambda data: (data["occurred_at"], data["id"]))
    edges.sort(key=lambda data: (data["recorded_at"], data["from_id"], data["to_id"]))
    return [canonical(data) for data in (origin, *memories, *edges)]


def file_name(text: str) -> str:
    """A name that is safe on every file system, of text: text itself where it is a plain name, else with a hash."""
    if _PLAIN_NAME.fullmatch(text) and text == text.lower() and not _NEVER_A_NAME.fullmatch(text):
        return text
    if re.fullmatch(r"[A-Z]-\d+", text):
        return text
    kept = re.sub(r"[\W_]+", "-", text.lower())[:40].strip("-")
    return f"{kept or 'x'}-{blake2b(text.encode(), digest_size=4).hexdigest()}"


def _sorted_out(lines: Iterable[_Data]) -> tuple[_Data, list[_Data], Mapping[str, list[_Data]]]:
    """The header, the memories, and the edges by the memory that owns them."""
    origin: _Data = {}
    memories: list[_Data] = []
    edges: dict[str, list[_Data]] = defaultdict(list)
    for data in lines:
        if "graphmem" in data:
            origin = data
        elif "from_id" in data:
            edges[data["from_id" if data["kind"] == EdgeKind.CAUSED_BY else "to_id"]].append(data)
        else:
            memories.append(data)
    return origin, memories, edges


def _day(day: str, held: Iterable[_Data]) -> str:
    """A day: a heading per task or session, in the order in which they began."""
    episodes: dict[tuple[str, str], list[_Data]] = defaultdict(list)
    for data in held:
        task_id = data.get("task_id", "")
        episodes[task_id, "" if task_id else data.get("session_id", "")].append(data)
    lines = [f"# {day}", ""]
    for (task_id, session_id), together in episodes.items():
        named = f"Task {escaped(task_id)}" if task_id else f"Session {escaped(session_id)}"
        lines += [f"## {named if task_id or session_id else 'Without a task'}", ""]
        for data in together:
            lines += _told(data, "###")
    return "\n".join(lines)


def _page(title: str, held: Iterable[_Data], level: str) -> str:
    lines = [f"# {title}", ""]
    for data in held:
        lines += _told(data, level)
    return "\n".join(lines)


def _told(data: _Data, level: str) -> list[str]:
    own = {name: value for name, value in data.items() if name != _EDGES}
    return [f"{level} {headed(_memory(own))}", "", _OPENING, _block(data).rstrip("\n"), _CLOSING, ""]


def _block(data: _Data) -> str:
    return "".join(f"{name}: {_value(data[name])}\n" for name in sorted(data))


def _value(value: Json) -> str:
    """JSON that YAML reads alike: one line, and nothing in it that YAML does not print."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _blocks_of(path: str, lines: list[str]) -> Iterator[tuple[int, dict[str, Json]]]:
    """The fields of every block of a page, each with the line that its block begins at."""
    opened = 0
    for number, line in enumerate(lines, start=1):
        bare = line.rstrip("\r")
        if not opened and bare == _OPENING:
            opened = number
        elif opened and bare == _CLOSING:
            yield from _fields_of(path, lines[opened : number - 1], opened)
            opened = 0
    if opened:
        raise _refused(path, opened, "the block has no end")


def _fields_of(path: str, lines: list[str], before: int = 0) -> Iterator[tuple[int, dict[str, Json]]]:
    data: dict[str, Json] = {}
    for number, line in enumerate(lines, start=before + 1):
        bare = line.rstrip("\r")
        if not bare.strip() or bare.startswith("#"):
            continue
        found = _FIELD.fullmatch(bare)
        if not found or found[1] in data:
            raise _refused(path, number, "no field, or a field that was there before")
        try:
            data[found[1]] = json.loads(found[2])
        except (ValueError, RecursionError) as error:
            raise _refused(path, number, f"the value of {found[1]} is no JSON") from error
    yield before + 1, data


def _check(path: str, number: int, data: dict[str, Json], edges: object) -> None:
    try:
        _memory(data)
        if not isinstance(edges, list):
            raise TypeError
        for edge in edges:
            edge_from_json(canonical(edge))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, GraphmemError) as error:
        raise _refused(path, number, "no memory, or an edge that is none") from error


def _memory(data: _Data) -> Memory:
    return memory_from_json(canonical(data))


def _refused(path: str, number: int, what: str) -> BadInputError:
    return BadInputError(f"{path}, line {number}: {what}", field="file", remedy="write it as export does")
