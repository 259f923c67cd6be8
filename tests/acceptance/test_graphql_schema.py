"""The committed schema is the one that is served, and it does not break those who use it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from graphql import build_schema, find_breaking_changes, find_dangerous_changes, print_schema

from graphmem.entrypoints.graphql import schema
from graphmem.queries import SCHEMA
from graphmem.queries import path as query_path

ROOT = Path(__file__).parents[2]
COMMITTED = query_path(SCHEMA).read_text(encoding="utf-8")
NAMES_THAT_STAY = {
    "Query": "recall brief explain impact suggestCauses memory memories clusters status",
    "Mutation": "rememberFact recordExperience captureFailure observeTurn recordMany linkCause"
    " reviewCause updateMemory forget reflect reviewPattern promotePattern reviewStrategy",
    "Memory": "id ref kind title text occurredAt recordedAt state writer tags version receipt",
    "Recollection": "facts errors worked patterns strategies reminders promptText revision mode",
    "Hit": "memory confidence relevance lexicalScore similarity decay why failedHere weak",
    "Reminder": "strength text confidence subject evidence",
    "Explanation": "of rootCauses paths nodes edges jointFix truncated minGrade earliest latest",
    "RootCause": "memory score parts grade hops onEveryPath",
    "Receipt": "created revision key embedded redactions",
    "Problem": "code message field remedy",
    "ExperienceInput": "key action context output expected result errorType correction generalization taskType taskId"
    " sessionId tool agent occurredAt tags informedBy causedBy",
    "CauseRefInput": "id key text confidence note",
    "SituationKeys": "agent plannedAction tool taskType",
}


def test_the_committed_schema_is_the_served_one() -> None:
    """After a change: print_schema() into schema.graphql, and read the difference."""
    assert schema.print_schema() == COMMITTED


def test_nothing_breaks_against_the_committed_schema() -> None:
    old, new = build_schema(COMMITTED), build_schema(schema.print_schema())
    assert find_breaking_changes(old, new) == []
    assert find_dangerous_changes(old, new) == []


def test_nothing_breaks_against_the_last_commit() -> None:
    """What was published once stays: a field may be added, not taken away."""
    shown = subprocess.run(
        ["git", "show", "HEAD:schema.graphql"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if shown.returncode:
        pytest.skip("no schema is committed yet, or this is no checkout")
    assert find_breaking_changes(build_schema(shown.stdout), build_schema(schema.print_schema())) == []


@pytest.mark.parametrize(("kind", "names"), NAMES_THAT_STAY.items(), ids=NAMES_THAT_STAY.keys())
def test_names_of_the_design_stay(kind: str, names: str) -> None:
    fields = build_schema(COMMITTED).type_map[kind].fields  # type: ignore[attr-defined]
    assert set(names.split()) <= set(fields)


def test_the_committed_schema_is_sorted() -> None:
    assert print_schema(build_schema(COMMITTED)).strip() == COMMITTED.strip()
    kinds = [
        line.split()[1] for line in COMMITTED.splitlines() if line.startswith(("type ", "enum ", "input "))
    ]
    assert kinds == sorted(kinds)


def test_root_fields_say_what_they_are_for() -> None:
    """Agents read the schema: each field of Query and Mutation has a description."""
    published = build_schema(COMMITTED)
    for root in (published.query_type, published.mutation_type):
        assert root is not None
        assert [name for name, field in root.fields.items() if not field.description] == []
