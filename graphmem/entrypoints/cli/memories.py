"""One memory in a line or as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from graphmem.domain.causation import CauseEdge, Edge, Grade
from graphmem.domain.explanations import DoubtedCause, Explanation, RankedCause, ScorePart
from graphmem.domain.memories import Experience, Fact, Memory, Pattern, Result, RootCause, State, Strategy
from graphmem.entrypoints.cli.terminal import Terminal, columns, plain
from graphmem.entrypoints.cli.words import say

_MARKS = {Result.FAILURE: ("✗", "red"), Result.SUCCESS: ("✓", "green"), Result.PARTIAL: ("~", "yellow")}
_TEXTS = (
    *(
        "text",
        "action",
        "context",
        "output",
        "expected",
        "result",
        "error_type",
        "manifestation",
        "correction",
    ),
    *("generalization", "tool", "agent", "subject", "lesson", "trigger_conditions", "prevention", "category"),
    *("guidance", "trace"),
)


def marked(memory: Memory, terminal: Terminal) -> str:
    """The ref, for an experience with a sign of its result."""
    ref = terminal.paint(plain(memory.ref or memory.id), "bold")
    if not isinstance(memory, Experience):
        return ref
    sign, colour = _MARKS[memory.result]
    return f"{ref} {terminal.paint(sign, colour)}"


def headline(memory: Memory) -> str:
    """The memory on one line: what it says (a pattern: its lesson), or what was done, with what, what came of it."""
    if isinstance(memory, Experience):
        line = " · ".join(plain(part) for part in (memory.action, memory.context) if part)
        came = memory.manifestation or memory.error_type
        line += f" → {plain(came)}" if came else ""
    else:
        line = plain(memory.lesson if isinstance(memory, Pattern) else memory.text)
    return line if memory.state is State.ACTIVE else f"{line} ({say(f'state.{memory.state}')})"


def lined(memory: Memory, terminal: Terminal) -> str:
    """The memory on one line that begins with its name."""
    return f"{marked(memory, terminal)} {headline(memory)}"


def grade_word(grade: Grade | None) -> str:
    """A grade in words; the asked memory itself has none."""
    return say(f"grade.{grade.name}") if grade else "-"


def moment(at: datetime | None) -> str:
    """A time in UTC to the second."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC") if at else ""


def whole(memory: Memory, terminal: Terminal) -> None:
    """Print every field that is filled, aligned."""
    terminal.line(f"{marked(memory, terminal)} {terminal.paint(plain(memory.title), 'bold')}")
    filled = [(say(f"field.{name}"), text) for name, text in _fields(memory) if text]
    indent = max(columns(label) for label, _ in filled) + 2
    for label, text in filled:
        terminal.headed(label, text, indent)


def _fields(memory: Memory) -> Iterator[tuple[str, str]]:
    for name in _TEXTS:
        if name != "text" or isinstance(memory, Fact):
            yield name, plain(str(getattr(memory, name, "") or ""))
    if isinstance(memory, Experience) and memory.root_cause:
        yield "root_cause", plain(" · ".join(diagnosis(memory.root_cause)))
    if isinstance(memory, Experience):
        yield "informed_by", plain(", ".join(memory.informed_by))
    if isinstance(memory, Pattern):
        yield "support", f"{memory.level.value}, {memory.frequency} / {memory.episodes}"
    if isinstance(memory, Pattern | Strategy):
        yield "status", memory.status.value
    if isinstance(memory, Fact):
        yield "valid_from", moment(memory.valid_from)
        yield "valid_to", moment(memory.valid_to)
    yield from _shared(memory)


def diagnosis(cause: RootCause) -> list[str]:
    """What is said of why a failure happened, and whether only a rule said it."""
    by_rule = say("field.by_rule") if cause.source == "rule" else ""
    return [part for part in (cause.summary, cause.type or "", cause.prevention, by_rule) if part]


def _shared(memory: Memory) -> Iterator[tuple[str, str]]:
    for name in ("task_type", "task_id", "session_id"):
        yield name, plain(getattr(memory, name))
    yield "tags", plain(", ".join(memory.tags))
    yield "metadata", plain(", ".join(f"{key}={value}" for key, value in memory.metadata.items()))
    yield "occurred_at", moment(memory.occurred_at)
    yield "recorded_at", moment(memory.recorded_at)
    yield "state", say(f"state.{memory.state}")
    yield "writer", plain(f"{memory.writer.id} ({memory.writer.channel.value.lower()})")
    yield "version", f"{memory.version} ({say('field.revision')} {memory.revision})"
    yield "id", memory.id


def joined(edges: Sequence[Edge], of: Memory, others: dict[str, Memory], terminal: Terminal) -> Iterator[str]:
    """A line for every edge at a memory, refuted ones too."""
    for edge in edges:
        outgoing = edge.from_id == of.id
        other = others.get(edge.to_id if outgoing else edge.from_id)
        if other is None:
            continue
        label = say(f"edge.{edge.kind}.{'out' if outgoing else 'in'}")
        yield f"{label}  {_support(edge)}{lined(other, terminal)}"
        if isinstance(edge, CauseEdge):
            yield from (f"    {plain(verdict)}" for verdict in _verdicts(edge))


def _support(edge: Edge) -> str:
    if not isinstance(edge, CauseEdge):
        return ""
    return f"{grade_word(edge.grade)} {edge.confidence:.2f}  " if edge.active else f"{say('edge.refuted')}  "


def _verdicts(edge: CauseEdge) -> Iterator[str]:
    for item in edge.evidence:
        yield f"{item.grade.name.lower()} {item.confidence:.2f} {item.by} {moment(item.at)} {item.note}"
    for verdict in edge.verdicts:
        yield f"{verdict.kind.value.lower()} {verdict.by} {moment(verdict.at)} {verdict.reason}"


def score_parts(item: RankedCause) -> list[ScorePart]:
    """The parts of a root's score that have a column of their own: how sure it is stands beside its grade."""
    return [part for part in item.parts if part.name != "confidence"]


def weakest(item: RankedCause) -> str:
    """Grade and confidence of the weakest edge on the way to a root; the asked memory itself has none."""
    sure = next((f" {part.value:.2f}" for part in item.parts if part.name == "confidence"), "")
    return f"{grade_word(item.grade)}{sure}" if item.grade else "-"


def no_cause(found: Explanation) -> str:
    """Nothing lies below the asked memory: because nobody stated a cause, or none of the grade that was asked for."""
    if found.min_grade is Grade.INFERRED:
        return say("explain.no_cause", ref=found.of.ref)
    return say("explain.none_as_sure", ref=found.of.ref, grade=grade_word(found.min_grade))


def doubt_of(item: DoubtedCause, refs: Mapping[str, str]) -> str:
    """A doubted edge by refs, how little it is believed, and what is believed instead."""
    instead = item.instead.ref if item.instead else say("explain.nothing_known")
    edge = f"{refs[item.edge.effect_id]} ← {item.memory.ref}"
    return say("explain.doubt", edge=edge, probability=f"{item.probability:.2f}", instead=instead)
