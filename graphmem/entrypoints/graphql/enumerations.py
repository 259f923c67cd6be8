"""Shows the enumerations of the domain in the schema, under the names that it publishes."""

from __future__ import annotations

from enum import Enum

import strawberry

from graphmem.domain import (
    analyses,
    answers,
    causation,
    diagnostics,
    memories,
    overview,
    proof,
    recurrence,
    replaying,
    turns,
)

SHOWN: dict[type[Enum], str] = {
    analyses.WorkKind: "WorkKind",
    answers.RecallMode: "RecallMode",
    answers.Strength: "Strength",
    causation.Grade: "Grade",
    causation.VerdictKind: "VerdictKind",
    diagnostics.Check: "Check",
    memories.AnalysisState: "AnalysisState",
    memories.Channel: "Channel",
    memories.ContextSufficiency: "ContextSufficiency",
    memories.Level: "Level",
    memories.MemoryKind: "MemoryKind",
    memories.PatternStatus: "PatternStatus",
    memories.Result: "ResultKind",
    memories.RootCauseType: "RootCauseType",
    memories.State: "MemoryState",
    memories.StrategyStatus: "StrategyStatus",
    memories.Tier: "Tier",
    overview.Bond: "Bond",
    overview.Relation: "Relation",
    proof.Fate: "Fate",
    replaying.Miss: "Miss",
    recurrence.Answer: "Answer",
    turns.TurnSignal: "TurnSignal",
}

for _enumeration, _name in SHOWN.items():
    strawberry.enum(_enumeration, name=_name)
