"""One incident as one page: a file that holds everything, asks nobody for anything, and runs no script."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from graphmem._version import __version__
from graphmem.domain.answers import Impact
from graphmem.domain.causation import CauseEdge, Grade
from graphmem.domain.explanations import Explanation, WhatIf
from graphmem.domain.memories import Experience, Memory
from graphmem.entrypoints.cli.memories import (
    doubt_of,
    grade_word,
    headline,
    moment,
    no_cause,
    score_parts,
    weakest,
)
from graphmem.entrypoints.cli.pictures.drawing import MARKS, kind_of, outcome_of, safe
from graphmem.entrypoints.cli.pictures.style import STYLE
from graphmem.entrypoints.cli.pictures.svg import svg
from graphmem.entrypoints.cli.words import known, language, say

_FIELDS = ("action", "context", "output", "expected", "error_type", "manifestation", "correction", "trace")
_SHOWN = 50
"""Rows of a table that may be long."""


def report(found: Explanation, without: WhatIf, damage: Impact) -> str:
    """The page, in the caller's language. without: what if the smallest fix had been made; damage: what followed."""
    parts = [
        _head(found),
        _happened(found.of),
        _section("picture", f'<figure class="picture">{svg(found)}</figure>'),
        _section("roots", _verdict(found), _roots(found), _inferred(found)),
        _section("fix", _fix(found), _what_if(without)),
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


def block(text: str) -> str:
    """A stranger's text that may have lines: escaped, without characters that hide or turn text."""
    kept = (
        char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co")
    )
    return escape("".join(kept))


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
    return f'<header><p class="where">{where}</p><h1>{_name(found.of)} {safe(found.of.title)}</h1>{lines}</header>'


def _happened(memory: Memory) -> str:
    rows = [
        (say(f"field.{name}"), block(str(getattr(memory, name))))
        for name in _FIELDS
        if getattr(memory, name, "")
    ]
    if not isinstance(memory, Experience):
        rows = [(say("field.text"), block(memory.text))]
    elif memory.root_cause:
        cause = memory.root_cause
        said = "\n".join(text for text in (cause.summary, cause.type or "", cause.prevention) if text)
        rows.append((say("field.root_cause"), block(said)))
    cells = "".join(f"<dt>{safe(label)}</dt><dd>{text}</dd>" for label, text in rows)
    return _section("happened", f"<dl>{cells}</dl>")


def _verdict(found: Explanation) -> str:
    if not found.root:
        return f"<p>{safe(say('report.no_root'))}</p>"
    root = found.root.memory
    if root.id == found.of.id:
        return f"<p>{safe(no_cause(found))}</p>"
    return f'<p class="lead">{safe(say("report.lead"))} {_name(root)} {safe(headline(root))}</p>'


def _roots(found: Explanation) -> str:
    if not found.root_causes:
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
            f"{_name(item.memory)} {safe(headline(item.memory))}",
            *_figures(item.score, *(part.value for part in score_parts(item))),
            safe(weakest(item)),
            str(item.hops),
            safe(say("word.yes" if item.on_every_path else "word.no")),
        ]
        for item in found.root_causes
    ]
    names_of = _by_id(found)
    trivial = (
        safe(say("report.trivial"))
        + " "
        + ", ".join(
            _name(names_of[item])
            for item in dict.fromkeys((found.earliest, found.latest))
            if item in names_of
        )
    )
    return _table(head, rows) + f'<p class="small">{trivial}</p>'


def _inferred(found: Explanation) -> str:
    if not any(edge.grade is Grade.INFERRED for edge in found.edges):
        return ""
    names = _by_id(found)
    text = safe(say("report.inferred"))
    if found.only_inferred:
        gone = ", ".join(_name(names[item]) for item in found.only_inferred)
        root = _name(names[found.stated_root]) if found.stated_root in names else ""
        text += f" {safe(say('report.vanish'))} {gone}. {safe(say('report.stated_root'))} {root}"
    return f'<p class="note">{text}</p>'


def _fix(found: Explanation) -> str:
    names = _by_id(found)
    lines = []
    for key, ids in (("report.joint_fix", found.joint_fix), ("report.every", found.on_every_path)):
        if ids:
            listed = "".join(f"<li>{_name(names[item])} {safe(headline(names[item]))}</li>" for item in ids)
            lines.append(f"<p>{safe(say(key))}</p><ul>{listed}</ul>")
    return "".join(lines) or f"<p>{safe(say('report.no_fix'))}</p>"


def _what_if(without: WhatIf) -> str:
    if not without.removed:
        return ""
    rows = [
        [
            f"{_name(item.memory)} {safe(headline(item.memory))}",
            f'<span class="figure">{item.probability:.2f} [{item.low:.2f}, {item.high:.2f}]</span>',
        ]
        for item in without.still[:_SHOWN]
    ]
    lead = safe(say("report.what_if", avoided=f"{without.avoided:.1f}"))
    return f"<p>{lead}</p>" + _table(["", say("report.still")], rows)


def _evidence(found: Explanation) -> str:
    names = _by_id(found)
    if not found.edges:
        return f"<p>{safe(no_cause(found))}</p>"
    rows = [
        [
            _name(names[edge.effect_id]),
            _name(names[edge.cause_id]),
            _grade(edge),
            f"{edge.confidence:.2f}",
            _reasons(edge),
        ]
        for edge in sorted(found.edges, key=lambda edge: -edge.confidence)[:_SHOWN]
    ]
    head = [
        say("report.effect"),
        say("report.cause"),
        say("explain.grade"),
        say("report.confidence"),
        say("report.why"),
    ]
    return _table(head, rows) + _more(len(found.edges))


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
    names = _by_id(found)
    rows = [
        [
            _name(names[item.edge.effect_id]),
            f"{_name(item.memory)} {safe(headline(item.memory))}",
            _reasons(item.edge),
        ]
        for item in found.refuted
    ]
    head = [say("report.effect"), say("report.cause"), say("report.why")]
    return f"<h3>{safe(say('report.refuted'))}</h3>" + _table(head, rows)


def _timeline(found: Explanation) -> str:
    ordered = sorted(found.nodes, key=lambda memory: (memory.occurred_at, memory.id))
    rows = [
        [
            f'<span class="figure">{safe(moment(memory.occurred_at))}</span>',
            _name(memory),
            safe(headline(memory)),
            safe(memory.task_id),
        ]
        for memory in ordered[:_SHOWN]
    ]
    head = [say("field.occurred_at"), "", "", say("field.task_id")]
    return _table(head, rows) + _more(len(ordered))


def _lessons(found: Explanation) -> str:
    lessons = [*found.patterns, *found.strategies]
    if not lessons:
        return f"<p>{safe(say('report.no_lessons'))}</p>"
    return "<ul>" + "".join(f"<li>{_name(item)} {block(item.text)}</li>" for item in lessons) + "</ul>"


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
        f"<li>{_name(memory)} {safe(outcome_of(memory) or headline(memory))}</li>"
        for memory in listed[:_SHOWN]
    )
    least = f'<p class="note">{safe(say("impact.truncated"))}</p>' if damage.truncated else ""
    return f"<p>{safe(said)}</p>{least}<ul>{items}</ul>" + _more(len(listed))


def _section(name: str, *bodies: str) -> str:
    return f"<section><h2>{safe(say(f'report.{name}'))}</h2>{''.join(bodies)}</section>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{safe(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _more(count: int) -> str:
    return f'<p class="small">{safe(say("report.more", n=count - _SHOWN))}</p>' if count > _SHOWN else ""


def _name(memory: Memory) -> str:
    kind = kind_of(memory)
    return f'<b class="ref {kind}">{safe(f"{memory.ref} {MARKS[kind]}".strip())}</b>'


def _figures(*values: float) -> list[str]:
    return [f"{value:.2f}" for value in values]


def _by_id(found: Explanation) -> Mapping[str, Memory]:
    return {memory.id: memory for memory in found.nodes}
