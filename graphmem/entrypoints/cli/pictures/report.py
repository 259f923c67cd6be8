"""One incident as one page: a file that holds everything, asks nobody for anything, and runs no script."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem._version import __version__
from graphmem.domain.answers import Impact
from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.explanations import Explanation, WhatIf
from graphmem.domain.memories import Experience, Memory
from graphmem.entrypoints.cli.memories import (
    diagnosis,
    doubt_of,
    grade_word,
    headline,
    moment,
    no_cause,
    score_parts,
    weakest,
)
from graphmem.entrypoints.cli.pictures.drawing import outcome_of, safe
from graphmem.entrypoints.cli.pictures.markup import SHOWN, block, by_id, more, named, table
from graphmem.entrypoints.cli.pictures.prevention import fix, what_ifs
from graphmem.entrypoints.cli.pictures.style import STYLE
from graphmem.entrypoints.cli.pictures.svg import svg
from graphmem.entrypoints.cli.words import known, language, say

_FIELDS = ("action", "context", "output", "expected", "error_type", "manifestation", "correction", "trace")


def report(found: Explanation, without: WhatIf, damage: Impact, alone: Sequence[WhatIf] = ()) -> str:
    """The page, in the caller's language. without: what if the smallest fix had been made; damage: what followed;
    alone: what if only one cause of a fix of several had been mended.
    """
    parts = [
        _head(found),
        _happened(found.of),
        _section("picture", f'<figure class="picture">{svg(found)}</figure>'),
        _section("roots", _verdict(found), _roots(found), _inferred(found)),
        _section("fix", fix(found), what_ifs(found, without, alone)),
        _section("evidence", _evidence(found), _doubted(found), _refuted(found)),
        _section("timeline", _timeline(found)),
        _section("lessons", _lessons(found)),
        _section("damage", _damage(damage)),
        f"<footer>{safe(say('report.how'))}<br>graphmem {__version__}</footer>",
    ]
    title = safe(f"{found.of.ref} {found.of.title}")
    return (
        f'<!doctype html>\n<html lang="{language()}">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body><main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main></body></html>\n"
    )


def _head(found: Explanation) -> str:
    times = [
        safe(say(f"report.{name}", at=moment(at)))
        for name, at in (("as_of", found.as_of), ("valid_at", found.valid_at))
        if at
    ]
    noted = [safe(say("explain.truncated"))] if found.truncated else []
    lines = "".join(f'<p class="note">{line}</p>' for line in (*times, *noted))
    where = " · ".join(
        safe(text) for text in (found.of.namespace, found.of.task_id, moment(found.of.occurred_at)) if text
    )
    return f'<header><p class="where">{where}</p><h1>{named(found.of)} {safe(found.of.title)}</h1>{lines}</header>'


def _happened(memory: Memory) -> str:
    rows = [
        (say(f"field.{name}"), block(str(getattr(memory, name))))
        for name in _FIELDS
        if getattr(memory, name, "")
    ]
    if not isinstance(memory, Experience):
        rows = [(say("field.text"), block(memory.text))]
    elif memory.root_cause:
        rows.append((say("field.root_cause"), block("\n".join(diagnosis(memory.root_cause)))))
    cells = "".join(f"<dt>{safe(label)}</dt><dd>{text}</dd>" for label, text in rows)
    return _section("happened", f"<dl>{cells}</dl>")


def _verdict(found: Explanation) -> str:
    if not found.root:
        return f"<p>{safe(say('report.no_root'))}</p>"
    root = found.root.memory
    if root.id == found.of.id:
        return f"<p>{safe(no_cause(found))}</p>"
    return f'<p class="lead">{safe(say("report.lead"))} {named(root)} {safe(headline(root))}</p>'


def _roots(found: Explanation) -> str:
    if all(item.memory.id == found.of.id for item in found.root_causes):
        return ""
    names = [part.name for part in score_parts(found.root_causes[0])]
    head = [
        "",
        say("explain.score"),
        *(say(f"part.{name}") if known(f"part.{name}") else name for name in names),
    ]
    head += [say("explain.grade"), say("explain.hops"), say("explain.every_path")]
    rows = [
        [
            f"{named(item.memory)} {safe(headline(item.memory))}",
            *_figures(item.score, *(part.value for part in score_parts(item))),
            safe(weakest(item)),
            str(item.hops),
            safe(say("word.yes" if item.on_every_path else "word.no")),
        ]
        for item in found.root_causes
        if item.memory.id != found.of.id
    ]
    names_of = by_id(found)
    trivial = (
        safe(say("report.trivial"))
        + " "
        + ", ".join(
            named(names_of[item])
            for item in dict.fromkeys((found.earliest, found.latest))
            if item in names_of
        )
    )
    return table(head, rows) + f'<p class="small">{trivial}</p>'


def _inferred(found: Explanation) -> str:
    if not any(edge.grade is Grade.INFERRED for edge in found.edges):
        return ""
    names = by_id(found)
    text = safe(say("report.inferred"))
    if found.only_inferred:
        gone = ", ".join(named(names[item]) for item in found.only_inferred)
        root = named(names[found.stated_root]) if found.stated_root in names else ""
        text += f" {safe(say('report.vanish'))} {gone}. {safe(say('report.stated_root'))} {root}"
    return f'<p class="note">{text}</p>'


def _evidence(found: Explanation) -> str:
    names = by_id(found)
    if not found.edges:
        return f"<p>{safe(no_cause(found))}</p>"
    rows = [
        [
            named(names[edge.effect_id]),
            named(names[edge.cause_id]),
            _grade(edge),
            f"{edge.confidence:.2f}",
            _reasons(edge),
        ]
        for edge in sorted(found.edges, key=lambda edge: -edge.confidence)[:SHOWN]
    ]
    head = [
        say("report.effect"),
        say("report.cause"),
        say("explain.grade"),
        say("report.confidence"),
        say("report.why"),
    ]
    return table(head, rows) + more(len(found.edges))


def _grade(edge: CauseEdge) -> str:
    kind = edge.grade.name.lower() if edge.grade else "none"
    return f'<span class="grade {kind}">{safe(grade_word(edge.grade))}</span>'


def _reasons(edge: CauseEdge) -> str:
    said = [
        f"{grade_word(item.grade)} {item.confidence:.2f} · {item.method} · {item.by} · {moment(item.at)} {item.note}"
        for item in edge.evidence
    ]
    said += [f"{item.kind.value} · {item.by} · {moment(item.at)} {item.reason}" for item in edge.verdicts]
    return "<br>".join(safe(line) for line in said)


def _doubted(found: Explanation) -> str:
    if not found.doubted:
        return ""
    names = {memory.id: memory.ref for memory in found.nodes}
    lines = "".join(f"<li>{safe(doubt_of(item, names))}</li>" for item in found.doubted)
    return f"<h3>{safe(say('report.doubted'))}</h3><ul>{lines}</ul>"


def _refuted(found: Explanation) -> str:
    if not found.refuted:
        return ""
    names = by_id(found)
    rows = [
        [
            named(names[item.edge.effect_id]),
            f"{named(item.memory)} {safe(headline(item.memory))}",
            _reasons(item.edge),
        ]
        for item in found.refuted
    ]
    head = [say("report.effect"), say("report.cause"), say("report.why")]
    return f"<h3>{safe(say('report.refuted'))}</h3>" + table(head, rows)


def _timeline(found: Explanation) -> str:
    ordered = sorted(found.nodes, key=lambda memory: (memory.occurred_at, memory.id))
    rows = [
        [
            f'<span class="figure">{safe(moment(memory.occurred_at))}</span>',
            named(memory),
            safe(headline(memory)),
            safe(memory.task_id),
        ]
        for memory in ordered[:SHOWN]
    ]
    head = [say("field.occurred_at"), "", "", say("field.task_id")]
    return table(head, rows) + more(len(ordered))


def _lessons(found: Explanation) -> str:
    lessons = [*found.patterns, *found.strategies]
    if not lessons:
        return f"<p>{safe(say('report.no_lessons'))}</p>"
    return "<ul>" + "".join(f"<li>{named(item)} {block(item.text)}</li>" for item in lessons) + "</ul>"


def _damage(damage: Impact) -> str:
    said = say(
        "impact.sum",
        ref=damage.of.ref,
        followed=len(damage.nodes) - 1,
        failures=damage.failures,
        tasks=damage.tasks,
    )
    listed = [memory for memory in damage.nodes if memory.id != damage.of.id]
    items = "".join(
        f"<li>{named(memory)} {safe(outcome_of(memory) or headline(memory))}</li>"
        for memory in listed[:SHOWN]
    )
    least = f'<p class="note">{safe(say("impact.truncated"))}</p>' if damage.truncated else ""
    return f"<p>{safe(said)}</p>{least}<ul>{items}</ul>" + more(len(listed))


def _section(name: str, *bodies: str) -> str:
    return f"<section><h2>{safe(say(f'report.{name}'))}</h2>{''.join(bodies)}</section>"


def _figures(*values: float) -> list[str]:
    return [f"{value:.2f}" for value in values]
