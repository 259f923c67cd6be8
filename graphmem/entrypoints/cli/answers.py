"""What the services answer, printed for a person."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.domain.answers import (
    Finding,
    Hit,
    Impact,
    RecallMode,
    Recollection,
    Status,
)
from graphmem.domain.explanations import Explanation, RankedCause, WhatIf
from graphmem.domain.memories import Experience
from graphmem.entrypoints.cli.memories import (
    doubt_of,
    headline,
    marked,
    no_cause,
    score_parts,
    weakest,
)
from graphmem.entrypoints.cli.terminal import Terminal, columns, cut, pad, plain, rows
from graphmem.entrypoints.cli.trees import explanation_tree, impact_tree
from graphmem.entrypoints.cli.words import known, say

ROOT_COLUMNS = 46
"""Columns that a table gives to the name of a root cause."""

FIGURE_COLUMNS = 69
"""Columns that the figures beside it take."""

_LISTS = ("facts", "errors", "worked", "patterns", "strategies")


def show_recollection(found: Recollection, terminal: Terminal) -> None:
    """Reminders first, then what is known, what went wrong and what worked, each apart."""
    show_reminders(found, terminal)
    lists = [(name, getattr(found, name)) for name in _LISTS]
    for name, hits in lists:
        if hits:
            terminal.line(terminal.paint(say(f"recall.{name}"), "bold"))
            show_hits(hits, terminal)
    if not any(hits for _, hits in lists):
        terminal.line(say("recall.nothing"))
    if found.mode is RecallMode.LEXICAL:
        terminal.line(terminal.paint(say("recall.lexical"), "dim"))


def show_reminders(found: Recollection, terminal: Terminal) -> None:
    """What is said: strength, text, and how sure it is."""
    for reminder in found.reminders:
        sure = f" {reminder.confidence:.2f}" if reminder.confidence is not None else ""
        head, *evidence = [plain(line) for line in reminder.text.splitlines()]
        label = f"{reminder.strength}{sure}"
        terminal.headed(terminal.paint(label, "yellow"), head, len(label) + 2)
        for line in evidence:
            terminal.headed("  - ", line.removeprefix("- "), 4)
        if reminder.exposure_id:
            terminal.line(terminal.paint(say("recall.exposure", id=reminder.exposure_id), "dim"))


def show_hits(hits: Sequence[Hit], terminal: Terminal) -> None:
    """Each with ref, relevance, what was right and why it is listed."""
    refs = [marked(hit.memory, terminal) for hit in hits]
    width = max(columns(ref) for ref in refs)
    for ref, hit in zip(refs, hits, strict=True):
        label = f"  {pad(ref, width)}  {hit.relevance:.2f}  "
        indent = columns(label)
        terminal.headed(label, headline(hit.memory), indent)
        if isinstance(hit.memory, Experience) and hit.memory.correction:
            terminal.folded(f"{say('recall.fix')} {plain(hit.memory.correction)}", indent)
        if hit.failed_here:
            refs_here = ", ".join(memory.ref for memory in hit.failed_here)
            terminal.folded(f"{say('recall.failed_here')} {refs_here}", indent)
        if hit.why:
            terminal.line(" " * indent + terminal.paint(hit.why, "dim"))


def show_explanation(found: Explanation, terminal: Terminal) -> None:
    """The tree, the ranked roots with the parts of their scores, and the smallest fix."""
    terminal.lines(explanation_tree(found, terminal))
    roots = [item for item in found.root_causes if item.memory.id != found.of.id]
    refs = {memory.id: memory.ref for memory in found.nodes}
    if not found.edges and not found.truncated:
        terminal.line(no_cause(found))
    if roots:
        terminal.line()
        terminal.lines(_root_rows(roots, terminal))
    if found.joint_fix:
        terminal.line(say("explain.fix", refs=" + ".join(refs.get(item, item) for item in found.joint_fix)))
    if found.paths:
        best = found.paths[0]
        chain = " ← ".join(refs.get(item, item) for item in best.ids)
        terminal.line(say("explain.path", path=chain, probability=f"{best.probability:.2f}"))
    if found.refuted:
        edges = ", ".join(f"{refs[item.edge.effect_id]} ← {item.memory.ref}" for item in found.refuted)
        terminal.folded(say("explain.refuted", edges=edges))
    if found.doubted:
        terminal.folded(
            say("explain.doubted", edges="; ".join(doubt_of(item, refs) for item in found.doubted))
        )
    if lessons := [item.ref for item in (*found.patterns, *found.strategies)]:
        terminal.line(say("explain.lessons", refs=", ".join(lessons)))
    if found.only_inferred:
        only = ", ".join(refs[item] for item in found.only_inferred)
        root = refs.get(found.stated_root, found.stated_root)
        terminal.folded(say("explain.inferred", n=len(found.only_inferred), refs=only, root=root))
    if found.not_inferred:
        terminal.folded(say("explain.not_inferred"))
    if found.truncated:
        terminal.line(terminal.paint(say("explain.truncated"), "yellow"))


def show_what_if(found: Explanation, without: WhatIf, terminal: Terminal) -> None:
    """What would have happened all the same, each failure with its interval."""
    refs = {memory.id: memory.ref for memory in found.nodes}
    gone = " + ".join(refs[item] for item in without.removed)
    terminal.line(say("explain.without", refs=gone, avoided=f"{without.avoided:.1f}"))
    for item in without.still:
        chance = {"p": item.probability, "low": item.low, "high": item.high}
        kind = "explain.prevented" if item.memory.id in without.prevented else "explain.still"
        told = say(kind, **{name: f"{value:.2f}" for name, value in chance.items()})
        terminal.line(f"  {marked(item.memory, terminal)} {told}")
    if without.still:
        terminal.folded(say("explain.still_means"), 2)


def _root_rows(roots: Sequence[RankedCause], terminal: Terminal) -> list[str]:
    parts = [part.name for part in score_parts(roots[0])]
    width = min(ROOT_COLUMNS, max(20, terminal.width - FIGURE_COLUMNS)) if terminal.width else ROOT_COLUMNS
    head = [say("explain.roots"), say("explain.score")]
    head += [say(f"part.{name}") if known(f"part.{name}") else name for name in parts]
    head += [say("explain.grade"), say("explain.hops"), say("explain.every_path")]
    cells = [head]
    cells += [
        [
            cut(f"{item.memory.ref} {headline(item.memory)}", width),
            f"{item.score:.2f}",
            *(f"{part.value:.2f}" for part in score_parts(item)),
            weakest(item),
            str(item.hops),
            say("word.yes" if item.on_every_path else "word.no"),
        ]
        for item in roots
    ]
    lines = rows(cells, right=frozenset({1, *range(2, 2 + len(parts)), 3 + len(parts)}))
    return [terminal.paint(lines[0], "bold"), *lines[1:]]


def show_impact(found: Impact, terminal: Terminal) -> None:
    """The tree against the arrows, and how much failed."""
    terminal.lines(impact_tree(found, terminal))
    followed = len(found.nodes) - 1
    terminal.line(
        say("impact.sum", ref=found.of.ref, followed=followed, failures=found.failures, tasks=found.tasks)
    )
    if found.truncated:
        terminal.line(terminal.paint(say("impact.truncated"), "yellow"))


def show_status(status: Status, terminal: Terminal) -> None:
    """Where a namespace stands, aligned."""
    counts = ", ".join(f"{count} {name}" for name, count in sorted(status.counts.items()) if count)
    failed = ", ".join(f"{count} {kind}" for kind, count in status.failed_jobs.items())
    cells = [
        [say("status.store"), status.store],
        [say("status.namespace"), plain(status.namespace)],
        [say("status.counts"), counts or "0"],
        [say("status.revision"), say("status.of", index=status.index_revision, store=status.revision)],
        [say("status.digest"), say("word.yes" if status.digest_matches else "word.no")],
        [say("status.embedder"), f"{status.embedder} ({say(f'mode.{status.mode}')})"],
        [
            say("status.vectors"),
            say("status.lacking", without=status.without_vectors, bad=status.bad_vectors),
        ],
        [say("status.jobs"), str(status.pending_jobs)],
        [say("status.analyses"), str(status.pending_analyses)],
        [say("status.failed"), failed or "0"],
    ]
    terminal.lines(rows(cells))
    terminal.lines([plain(note) for note in status.notes])


def show_findings(findings: Sequence[Finding], terminal: Terminal) -> None:
    """One line a finding, the remedy below."""
    for finding in findings:
        sign = terminal.paint("✓", "green") if finding.ok else terminal.paint("!", "yellow")
        terminal.line(f"{sign} {plain(finding.what)}")
        if finding.remedy:
            terminal.line(f"  → {plain(finding.remedy)}")
