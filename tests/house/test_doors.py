"""Every verb of the services has a GraphQL field and a saved operation, or stands here with the reason why not."""

from __future__ import annotations

from dataclasses import fields
from inspect import getmembers, isfunction
from typing import get_type_hints

import pytest
from graphql import FieldNode, OperationDefinitionNode, build_schema, parse

from graphmem.queries import SCHEMA, graphql_operation, path
from graphmem.wiring import Services

FIELDS = {
    "analyse.claim": ("claimWork",),
    "analyse.pending": ("pendingWork",),
    "analyse.submit": ("submitAnalysis",),
    "brief.brief": ("brief",),
    "browse.memories": ("memories",),
    "browse.memory": ("memory",),
    "daybook.day": ("episodes",),
    "diagnose.diagnose": ("diagnostics",),
    "calibrate.calibrate": ("calibrate",),
    "capture.failure": ("captureFailure",),
    "capture.turn": ("observeTurn",),
    "explain.explain": ("explain",),
    "explain.impact": ("impact",),
    "forget.forget": ("forget",),
    "oddities.common_cause": ("commonCause",),
    "oddities.cycles": ("cycles",),
    "oddities.orphans": ("orphans",),
    "oddities.time_violations": ("timeViolations",),
    "overview.choke_points": ("chokePoints",),
    "overview.priorities": ("priorities",),
    "overview.propagation": ("propagation",),
    "curate.promote": ("promotePattern",),
    "curate.review_pattern": ("reviewPattern",),
    "curate.review_strategy": ("reviewStrategy",),
    "reflect.clusters": ("clusters",),
    "reflect.reflect": ("reflect",),
    "inspect.status": ("status",),
    "link.link": ("linkCause",),
    "link.review": ("reviewCause",),
    "link.suggest": ("suggestCauses",),
    "measure.experiment": ("experiment",),
    "measure.recurrence": ("recurrence",),
    "recall.ask": ("recall",),
    "replay.replay": ("replay",),
    "remember.experience": ("recordExperience",),
    "remember.fact": ("rememberFact",),
    "remember.many": ("recordMany",),
    "revise.update": ("updateMemory",),
    "sessions.answer": ("answerReminder",),
    "sessions.end": ("endSession",),
}
OUTSIDE = {
    "analyse.answer": "claim and submit in one, for memory_reflect: claimWork, submitAnalysis",
    "assign.after_write": "a part of writing, after its commit",
    "assign.pending": "work of the server itself, done after writes",
    "collect.causes": "everything at once, for data frames of the same process: memory.frame",
    "collect.experiences": "likewise",
    "collect.network": "likewise: memory.graph",
    "copy.copy": "takes a second store with a login of its own: graphmem copy",
    "inspect.doctor": "speaks to a person at the machine, about its settings: graphmem doctor",
    "reflect.if_due": "upkeep of the server itself, by the clock and what was written",
    "reflect.is_due": "a question of the worker to itself",
    "reflect.picture": "a picture for a person at the machine: graphmem clusters --plot",
    "reflect.tune": "a file of a person at the machine: graphmem clusters --tune",
    "maintain.embed_pending": "work of the server itself, done after writes",
    "measure.exposures": "everything at once, for data frames of the same process: memory.frame",
    "recall.compared": "a part of replay",
    "recall.in_hindsight": "a part of replay",
    "reembed.reembed": "long work that an operator starts with the embedder to come: graphmem reembed",
    "remember.together": "the transaction of observeTurn; a caller names the parts with recordMany",
    "repair.balance": "mends the database of the person at the machine: graphmem doctor --repair",
    "repair.embed": "likewise",
    "repair.revive": "likewise",
    "repair.unusable": "likewise",
    "sweep.is_due": "a question of the worker to itself",
    "sweep.sweep": "work of the server itself, once a day: graphmem sweep",
    "transfer.export": "a stream of lines without a bound: graphmem export",
    "transfer.import_lines": "a stream of lines without a bound: graphmem import",
}
INTERNAL = {
    "embedding": "a part of writing and asking; a vector alone is of no use to a caller",
    "notebook": "what answers leave to be written: filled by asking, read by what is measured",
    "worker": "the thread of a running service; it begins and ends with it",
}
"""Services without verbs of their own."""


def verbs() -> set[str]:
    """service.method of every public method of every service."""
    hints = get_type_hints(Services)
    return {
        f"{item.name}.{name}"
        for item in fields(Services)
        if item.name not in INTERNAL and hints[item.name].__module__.startswith("graphmem.services.")
        for name, _ in getmembers(hints[item.name], isfunction)
        if not name.startswith("_")
    }


def test_every_verb_has_a_field_or_a_reason() -> None:
    assert FIELDS.keys() | OUTSIDE.keys() == verbs()
    assert not FIELDS.keys() & OUTSIDE.keys()


def test_the_schema_has_these_fields_and_no_others() -> None:
    published = build_schema(path(SCHEMA).read_text(encoding="utf-8"))
    assert published.query_type is not None
    assert published.mutation_type is not None
    shown = [*published.query_type.fields, *published.mutation_type.fields]
    assert sorted(shown) == sorted(name for names in FIELDS.values() for name in names)


@pytest.mark.parametrize("field", sorted(name for names in FIELDS.values() for name in names))
def test_every_field_has_a_saved_operation(field: str) -> None:
    name = "".join(f"_{char.lower()}" if char.isupper() else char for char in field)
    operation = parse(graphql_operation(name)).definitions[0]
    assert isinstance(operation, OperationDefinitionNode)
    asked = operation.selection_set.selections[0]
    assert isinstance(asked, FieldNode)
    assert asked.name.value == field
