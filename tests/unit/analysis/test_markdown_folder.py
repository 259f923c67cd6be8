"""The Markdown folder: lines come back as they were, whatever their texts hold, and YAML reads the same."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.analysis.markdown_folder import FOLDERS, ORIGIN, file_name, folder_of, lines_of
from graphmem.domain.causation import Edge
from graphmem.domain.encoding import canonical, edge_json, memory_json
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Memory, State
from tests.builders import (
    at,
    caused,
    confirmed,
    experience,
    fact,
    failure,
    full_memories,
    generalizes,
    pattern,
    strategy,
    supersedes,
)

HEADER = {"graphmem": "export", "format": 1, "source": "main", "revision": 7}
HOSTILE = (
    "```\nid: 7\n```yaml\n",
    "---\n- a: !!python/object/apply:os.system ['x']",
    "../../etc/passwd",
    "# 标题\r\n\r<script>\t",
    "\u2028\u2029\x85\x7f\x1b[31m\ufeff",
    '"\\" \\u0041 \\',
    "",
)


def exported(memories: Sequence[Memory], edges: Sequence[Edge] = ()) -> list[str]:
    """Lines as export writes them."""
    ordered = sorted(memories, key=lambda memory: (memory.occurred_at, memory.id))
    return [canonical(HEADER), *map(memory_json, ordered), *map(edge_json, edges)]


def returned(memories: Sequence[Memory], edges: Sequence[Edge] = ()) -> None:
    """Lines through the folder are the same lines."""
    lines = exported(memories, edges)
    assert sorted(lines_of(folder_of(lines))) == sorted(lines)


def test_every_kind_with_every_field_comes_back() -> None:
    memories = [replace(memory, ref=f"{memory.kind[0]}-1") for memory in full_memories()]
    returned(memories)
    files = folder_of(exported(memories))
    assert sorted(files) == ["episodic/2026-03-01.md", ORIGIN, "patterns/P-1.yaml", "strategic/files.md"]


def test_every_kind_of_edge_stands_with_its_owner() -> None:
    older, newer, cause = fact(ref="F-1"), fact(ref="F-2"), failure(ref="E-1")
    broke, lesson, plan = failure(ref="E-2"), pattern(ref="P-1"), strategy(ref="S-1")
    edges = [
        caused(broke, cause, verdicts=(confirmed(),)),
        generalizes(lesson, broke, at(1)),
        generalizes(plan, lesson, at(2)),
        supersedes(newer, older, at(3)),
    ]
    memories = [older, newer, cause, broke, lesson, plan]
    returned(memories, edges)
    files = folder_of(exported(memories, edges))
    assert plan.id in files["patterns/P-1.yaml"]
    assert "edges" not in files["strategic/files.md"]


def test_edges_without_their_owner_are_left_out_as_import_does() -> None:
    lines = exported([failure(ref="E-1")], [caused(failure(), failure())])
    assert lines_of(folder_of(lines)) == lines[:2]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_come_back_byte_for_byte(text: str) -> None:
    returned(
        [
            failure("act", title=text, context=text, manifestation=text, task_id=text, session_id=text),
            fact(text, metadata={"k": text}, tags=(text,)),
            pattern(text, ref="P-1", trigger_conditions=text),
            strategy(text, category=text, title=text, state=State.RETRACTED),
        ]
    )


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), st.floats(allow_nan=False, width=32))
def test_any_text_and_number_comes_back(text: str, number: float) -> None:
    finite = number if abs(number) < 1e30 else 0.0
    returned(
        [
            failure(text, title=text, task_id=text, metadata={"n": [finite, 2**63 - 1, None]}),
            strategy(text, category=text),
        ]
    )


def test_yaml_reads_the_same() -> None:
    yaml = pytest.importorskip("yaml")
    lesson = pattern("".join(HOSTILE), ref="P-1", title="\n".join(HOSTILE))
    files = folder_of(exported([lesson, failure("".join(HOSTILE), ref="E-1")]))
    assert yaml.safe_load(files["patterns/P-1.yaml"]) == json.loads(memory_json(lesson))
    (block,) = re.findall(r"^```yaml\n(.*?)^```", files["episodic/2026-03-01.md"], re.DOTALL | re.MULTILINE)
    assert yaml.safe_load(block)["action"] == "".join(HOSTILE)


def test_a_page_is_readable_and_text_opens_no_heading() -> None:
    first = failure("clean march", title="# x", ref="E-1", task_id="march\n# y")
    page = folder_of(exported([first, experience("look", title="look", ref="E-2")]))["episodic/2026-03-01.md"]
    headings = [line for line in page.split("\n") if line.startswith("#")]
    assert headings == [
        "# 2026-03-01",
        "## Task march \\# y",
        "### E-1 ✗ \\# x",
        "## Without a task",
        "### E-2 ✓ look",
    ]


@pytest.mark.parametrize(
    "category",
    [
        "../up",
        "a/b",
        "..",
        ".",
        "",
        "CON",
        "con",
        "nul",
        "com1",
        "A",
        "a b",
        "x" * 200,
        "租户",
        "c:\\x",
        "a\0",
        "-a",
    ],
)
def test_a_category_never_names_a_place(category: str) -> None:
    (path,) = (name for name in folder_of(exported([strategy(category=category)])) if name != ORIGIN)
    place = PurePosixPath(path)
    assert (place.parent.as_posix(), place.suffix) == ("strategic", ".md")
    assert re.fullmatch(r"[\w-]+", place.stem)
    assert place.stem not in ("con", "nul", "com1")
    assert len(place.stem) <= 60


def test_names_that_differ_stay_apart_where_case_does_not_count() -> None:
    names = ["a", "A", "a b", "a-b", "a/b", "", " "]
    assert len({file_name(name).lower() for name in names}) == len(names)
    assert file_name("cleaning") == "cleaning"
    assert file_name("P-12") == "P-12"


def files_of_one() -> dict[str, str]:
    return folder_of(exported([failure("act", ref="E-1")]))


DAY = "episodic/2026-03-01.md"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('action: "act"', "action: act", "line 8: the value of action is no JSON"),
        ('action: "act"', 'action "act"', "line 8: no field"),
        ('action: "act"', 'action: "act"\naction: "b"', "line 9: no field, or a field that was there"),
        ('result: "FAILURE"', 'result: "BROKEN"', "line 8: no memory"),
        ('kind: "EXPERIENCE"', 'kind: "SPELL"', "line 8: no memory"),
        ('kind: "EXPERIENCE"', 'kind: "EXPERIENCE"\nedges: 7', "line 8: no memory"),
        ('kind: "EXPERIENCE"', 'kind: "EXPERIENCE"\nedges: [{"kind": "CAUSED_BY"}]', "line 8: no memory"),
        ("\n```\n", "\n", "line 7: the block has no end"),
    ],
)
def test_what_cannot_be_read_is_named(old: str, new: str, said: str) -> None:
    files = files_of_one()
    assert old in files[DAY]
    with pytest.raises(BadInputError) as caught:
        lines_of(files | {DAY: files[DAY].replace(old, new, 1)})
    assert f"{DAY}, {said}" in str(caught.value)


def test_a_folder_without_its_origin_is_refused() -> None:
    files: dict[str, Any] = files_of_one()
    del files[ORIGIN]
    with pytest.raises(BadInputError, match=ORIGIN):
        lines_of(files)


def test_windows_line_ends_and_notes_of_people_do_no_harm() -> None:
    files = files_of_one()
    noted = {path: "# a note\n" + text.replace("\n", "\r\n") + "more notes\n" for path, text in files.items()}
    noted[ORIGIN] = noted[ORIGIN].replace("more notes\n", "")
    assert lines_of(noted) == lines_of(files)


def test_the_folders_are_those_of_seed_2() -> None:
    assert dict(FOLDERS) == {"episodic": ".md", "patterns": ".yaml", "strategic": ".md"}
