"""From the arguments of each tool to the verb behind it, and from what that answers to the tool's answer."""

from __future__ import annotations

from typing import Any

from graphmem.domain.causation import Grade
from graphmem.domain.drafts import CauseRef, ExperienceDraft, FactDraft, Question, SituationKeys
from graphmem.domain.memories import Channel, Result, Writer
from graphmem.domain.recurrence import Answer, ReminderAnswer
from graphmem.domain.rules import MAX_SHORT, check_text
from graphmem.entrypoints.mcp import answers, arguments, causes, reflecting
from graphmem.services.wording import prompt_text
from graphmem.wiring import Services

WRITER = "mcp"
"""Who writes when an agent does not say who it is."""


class Caller:
    """One connection: the verbs, the namespace, and the session that is meant when none is named."""

    def __init__(self, services: Services, namespace: str, session_id: str = "") -> None:
        self.services = services
        self.namespace = namespace
        self.session_id = session_id

    def write_fact(self, asked: arguments.WriteFact) -> answers.Written:
        """memory_write_fact."""
        draft = FactDraft(**self._written(asked), writer=Writer(WRITER, Channel.AGENT))
        return answers.written(self.services.remember.fact(self.namespace, draft))

    def write_experience(self, asked: arguments.WriteExperience) -> answers.Written:
        """memory_write_experience."""
        causes = tuple(CauseRef(**_given(cause)) for cause in asked.caused_by)
        fields = self._written(asked) | {"caused_by": causes, "result": Result(asked.result.upper())}
        draft = ExperienceDraft(**fields, writer=Writer(asked.agent or WRITER, Channel.AGENT))
        return answers.written(self.services.remember.experience(self.namespace, draft))

    def retrieve(self, asked: arguments.Retrieve) -> answers.Recollection:
        """memory_retrieve."""
        found = self.services.recall.ask(self.namespace, self._question(asked, asked.situation))
        return answers.recollection(found, prompt_text(found, asked.max_tokens, asked.language or None))

    def brief(self, asked: arguments.Brief) -> answers.Brief:
        """memory_brief."""
        found = self.services.brief.brief(self.namespace, self._question(asked, asked.task))
        told = prompt_text(found.recollection, asked.max_tokens, asked.language or None)
        return answers.brief(found, told)

    def reflect(self, asked: arguments.Reflect) -> reflecting.Reflection:
        """memory_reflect."""
        session_id = asked.session_id or self.session_id
        return reflecting.reflect(self.services, self.namespace, asked, session_id)

    def explain(self, asked: arguments.Explain) -> causes.Explanation:
        """memory_explain."""
        check_text("id", asked.id, MAX_SHORT)
        return causes.explanation(
            self.services.explain.explain(
                self.namespace, asked.id, asked.max_hops, asked.limit, Grade[asked.min_grade.upper()]
            )
        )

    def feedback(self, asked: arguments.Feedback) -> answers.Fed:
        """memory_feedback."""
        given = ReminderAnswer(
            exposure_id=asked.exposure_id, answer=Answer(asked.answer.upper()), note=asked.note
        )
        exposure = self.services.sessions.answer(self.namespace, given)
        return answers.shown(answers.Fed, exposure, exposure_id=exposure.id)

    def status(self, _: arguments.Status) -> answers.Status:
        """memory_status."""
        due = self.services.reflect.is_due(self.namespace)
        return answers.status(self.services.inspect.status(self.namespace), due)

    def _written(self, asked: arguments.WriteFact | arguments.WriteExperience) -> dict[str, Any]:
        """The fields of a draft."""
        return _given(asked) | {"session_id": asked.session_id or self.session_id}

    def _question(self, asked: arguments.Retrieve | arguments.Brief, situation: str) -> Question:
        """What is asked. Raises BadInputError or TooLargeError for keys that no memory has."""
        keys = {name: getattr(asked, name, "") for name in ("agent", "planned_action", "tool", "task_type")}
        for name, value in keys.items():
            check_text(name, value)
        return Question(
            situation=situation,
            concern=asked.concern,
            keys=SituationKeys(**keys),
            limit=asked.limit,
            session_id=asked.session_id or self.session_id,
            task_id=asked.task_id,
            include_archived=getattr(asked, "include_archived", False),
        )


def _given(asked: arguments.Arguments) -> dict[str, Any]:
    """Arguments by name, lists as tuples."""
    parts = {name: getattr(asked, name) for name in type(asked).model_fields}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in parts.items()}
