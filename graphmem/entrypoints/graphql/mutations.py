"""The writing fields. Each is one transaction; a refusal changes nothing."""

from __future__ import annotations

import strawberry

from graphmem.entrypoints.graphql import inputs, reading
from graphmem.entrypoints.graphql.analyses import AnalysisMutation
from graphmem.entrypoints.graphql.context import Asked
from graphmem.entrypoints.graphql.declaring import answered
from graphmem.entrypoints.graphql.edges import cause_edge
from graphmem.entrypoints.graphql.kinds import member, mirrored, written_node
from graphmem.entrypoints.graphql.lessons import LessonMutation
from graphmem.entrypoints.graphql.problems import outcome
from graphmem.entrypoints.graphql.proof import calibration, ended, exposure
from graphmem.entrypoints.graphql.results import (
    CalibrationResult,
    CauseResult,
    ExperienceResult,
    ExposureResult,
    FactResult,
    ForgetResult,
    Forgotten,
    MemoryResult,
    RecordedMany,
    RecordManyResult,
    SessionResult,
    TurnResult,
    observed,
)
from graphmem.services.intake import naming_item


@strawberry.type
class Mutation(LessonMutation, AnalysisMutation):
    """What can be written."""

    @answered()
    def remember_fact(self, info: Asked, input: inputs.FactInput) -> FactResult:
        """Remember a fact. The facts it supersedes stay, marked."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(lambda: written_node(services.remember.fact(namespace, reading.draft(input))))

    @answered()
    def record_experience(self, info: Asked, input: inputs.ExperienceInput) -> ExperienceResult:
        """Record what was done and what came of it, with the causes that are known."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(lambda: written_node(services.remember.experience(namespace, reading.draft(input))))

    @answered()
    def capture_failure(self, info: Asked, input: inputs.FailureInput) -> ExperienceResult:
        """Record a failure the moment it happens; what its words tell of the cause is filled in."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(lambda: written_node(services.capture.failure(namespace, reading.draft(input))))

    @answered()
    def observe_turn(self, info: Asked, input: inputs.TurnInput) -> TurnResult:
        """Read what a user said of an answer: a correction writes the failure and the fact, praise a success."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(lambda: observed(services.capture.turn(namespace, reading.draft(input))))

    @answered()
    def record_many(self, info: Asked, input: list[inputs.ExperienceInput]) -> RecordManyResult:
        """Record up to 500 experiences, all or none; causes may name keys of the same call."""
        return outcome(lambda: _many(info, input))

    @answered()
    def update_memory(self, info: Asked, input: inputs.UpdateInput) -> MemoryResult:
        """Change a memory: what is not given stays, the old value is kept."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(lambda: member(services.revise.update(namespace, reading.draft(input))))

    @answered()
    def link_cause(self, info: Asked, input: inputs.CauseInput) -> CauseResult:
        """State a cause. A second statement adds evidence to the same edge."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(lambda: cause_edge(services.link.link(namespace, reading.linked(input))))

    @answered()
    def review_cause(self, info: Asked, input: inputs.ReviewInput) -> CauseResult:
        """Confirm or refute a cause. It is kept either way; the latest verdict counts."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(lambda: cause_edge(services.link.review(namespace, reading.reviewed(input))))

    @answered()
    def answer_reminder(self, info: Asked, input: inputs.AnswerInput) -> ExposureResult:
        """Say how a reminder was taken. A later answer takes the place of an earlier one."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(lambda: exposure(services.sessions.answer(namespace, reading.draft(input))))

    @answered()
    def end_session(self, info: Asked, id: str) -> SessionResult:
        """Say that a session is over; what it was shown is judged from then on. Silence of 24 hours ends it too."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(lambda: ended(services.sessions.end(namespace, id)))

    @answered()
    def calibrate(self, info: Asked, dry_run: bool | None = False) -> CalibrationResult:
        """Fit the reminder gate on this namespace's own outcomes; it is used where it beats the shipped one."""
        services, namespace = info.context.services, info.context.namespace
        return outcome(lambda: calibration(services.calibrate.calibrate(namespace, bool(dry_run))))

    @answered()
    def forget(self, info: Asked, input: inputs.ForgetInput) -> ForgetResult:
        """Remove a memory everywhere. It cannot be undone; see first with dryRun."""
        return outcome(lambda: _forgotten(info, input))


def _many(info: Asked, wanted: list[inputs.ExperienceInput]) -> RecordedMany:
    drafts = []
    for index, item in enumerate(wanted):
        with naming_item(index, many=True):
            drafts.append(reading.draft(item))
    written = info.context.services.remember.many(info.context.namespace, drafts)
    return RecordedMany(
        items=[written_node(item) for item in written],
        created=sum(item.created for item in written),
        revision=max(item.revision for item in written),
    )


def _forgotten(info: Asked, wanted: inputs.ForgetInput) -> Forgotten:
    dry_run = bool(wanted.dry_run)
    found = info.context.services.forget.forget(info.context.namespace, reading.named(wanted.id), dry_run)
    return mirrored(Forgotten, found, dry_run=dry_run)
