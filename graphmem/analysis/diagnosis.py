"""What kind of failure was it, and why, as far as its own words tell: the rule analyst.

Pure and without a model. What the words do not tell stays empty, and nothing that a writer said is changed.
"""

from __future__ import annotations

import re
from dataclasses import replace

from graphmem.analysis.diagnosis_cues import CUES
from graphmem.analysis.trace_steps import turning
from graphmem.analysis.traditional import mainland, simplified
from graphmem.domain.drafts import ExperienceDraft
from graphmem.domain.memories import ContextSufficiency, Result, RootCause, RootCauseType

SOURCE = "rule"
"""Source of a root cause that the rules found."""
READ = 4_000
"""Characters of a text that are read: of a long one the end, where failures show."""
SAID = 240
"""Characters of a summary or a prevention that is taken from a text."""

_SUFFICIENCY = {
    RootCauseType.INFORMATION_GAP: ContextSufficiency.INSUFFICIENT,
    RootCauseType.CAPABILITY_GAP: ContextSufficiency.SUFFICIENT,
    RootCauseType.MISLEADING_FEEDBACK: ContextSufficiency.MISLEADING,
    RootCauseType.SYSTEM_LIMIT: ContextSufficiency.SUFFICIENT,
}
_EXCEPTION = re.compile(
    r"(?<![\w.])((?:[A-Za-z_]\w*\.){0,6}[A-Z][A-Za-z0-9]*(?:Error|Exception|Expired|Interrupt))(?![\w.]*\w)"
)
_STATUS = re.compile(
    r"\b(?:HTTP|status(?: code)?|返回|状态码)\s*[:：]?\s*([45]\d\d)\b|\b(429|50[0234])\b(?= (?-i:[A-Z]))",
    re.IGNORECASE,
)
_ENDS = r"([^。；;\n!！?？]{2,240}?)(?=[.。；;\n!！?？]|$)"
_SUMMARY = (
    re.compile(rf"(?:\broot cause\b(?: was| is)?|根因|根本原因)\s*[:：是为]?\s*{_ENDS}", re.IGNORECASE),
    re.compile(
        rf"(?:\bthe (?:reason|cause) (?:was|is)\b(?: that)?|原因(?:是|为|在于|：|:))\s*{_ENDS}", re.IGNORECASE
    ),
    re.compile(rf"(?:\b(?:because(?: of)?|due to|caused by)\b|因为|由于)\s*{_ENDS}", re.IGNORECASE),
)
_PREVENTION = (
    re.compile(rf"(?:\bprevention\b|预防策略|预防措施)\s*[:：]\s*{_ENDS}", re.IGNORECASE),
    re.compile(
        r"(?:\b(?:next time|in (?:the )?future|from now on|to (?:avoid|prevent) (?:this|it))\b|下次|以后|今后|为避免)"
        rf"\s*[,，:：]?\s*{_ENDS}",
        re.IGNORECASE,
    ),
    re.compile(rf"\bshould have\b\s*{_ENDS}|本?应该?先{_ENDS}", re.IGNORECASE),
)


def diagnosed(draft: ExperienceDraft) -> ExperienceDraft:
    """The draft of a failure with error type and root cause filled where its writer gave none.

    A root cause that the writer gave stays as it is, in part or whole: nobody can tell afterwards whose a mixed one
    is. A draft that is no failure comes back as it is.
    """
    if draft.result is not Result.FAILURE:
        return draft
    return replace(
        draft,
        error_type=draft.error_type or error_type_of(draft),
        root_cause=draft.root_cause or root_cause_of(draft),
    )


def error_type_of(draft: ExperienceDraft) -> str:
    """The exception or HTTP status that the texts name literally; of a trace the last. '' for none."""
    for text, last in ((draft.manifestation, False), (draft.trace, True), (draft.output, True)):
        for pattern, prefix in ((_EXCEPTION, ""), (_STATUS, "HTTP ")):
            names = [
                prefix + match[match.lastindex or 0] for match in pattern.finditer(mainland(text[-READ:]))
            ]
            if names:
                return names[-1] if last else names[0]
    return ""


def root_cause_of(draft: ExperienceDraft) -> RootCause | None:
    """What the texts of a failure tell of its cause; None where they tell nothing.

    The type is read from the manifestation (with the error type); only if that is silent from the last lines
    of the output and of the trace.
    """
    kind = _type_of(draft)
    turned = turning(draft.trace[-READ:])
    said = (draft.manifestation, draft.correction)
    found = RootCause(
        summary=_first(_SUMMARY, said),
        type=kind,
        prevention=_first(_PREVENTION, said),
        deviated_at=turned.deviated_at,
        context_sufficiency=_SUFFICIENCY[kind] if kind else None,
        change_at=turned.change_at,
    )
    return replace(found, source=SOURCE) if found != RootCause(summary="") else None


def _type_of(draft: ExperienceDraft) -> RootCauseType | None:
    told = f"{draft.error_type}\n{draft.manifestation}"
    for text in (mainland(part[-READ:]) for part in (told, _tail(draft.output), _tail(draft.trace))):
        for kind, cues in CUES.items():
            if cues.search(text):
                return kind
    return None


def _tail(text: str) -> str:
    """The last three lines: what came before may tell of things that were solved."""
    return "\n".join(text[-READ:].strip().splitlines()[-3:])


def _first(patterns: tuple[re.Pattern[str], ...], texts: tuple[str, ...]) -> str:
    for pattern in patterns:
        for text in texts:
            read = text[-READ:]
            match = pattern.search(simplified(read))
            if match:
                start, end = match.span(match.lastindex or 0)
                return read[start:end].strip(" ,，:：\"'")[:SAID]
    return ""
