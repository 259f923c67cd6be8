"""Commands that look memories up."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Annotated

from graphmem.domain.answers import Recollection
from graphmem.domain.causation import Edge
from graphmem.domain.drafts import Period, Question, SituationKeys
from graphmem.domain.errors import BadInputError
from graphmem.domain.memories import Experience, Memory, MemoryKind, Result, State
from graphmem.entrypoints.cli import progress
from graphmem.entrypoints.cli.answers import show_recollection
from graphmem.entrypoints.cli.calling import Call, Printing, argument, option, options_of
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.memories import headline, joined, lined, marked, moment, whole
from graphmem.entrypoints.cli.overview import tell
from graphmem.entrypoints.cli.piping import piped
from graphmem.entrypoints.cli.terminal import columns, pad, plain
from graphmem.entrypoints.cli.values import moment_of, now
from graphmem.entrypoints.cli.words import say
from graphmem.ports.queries import EdgeSelection, Page, PageRequest, Selection
from graphmem.services.wording import prompt_text
from graphmem.wiring import Services, build

EDGES_SHOWN = 100
"""Edges of one memory that are shown at each end."""
PAGE = 100
MOST = 10_000
"""Failures that one call lists at most."""

Read = Callable[[Services, str, PageRequest], Page[Memory]]


@dataclass(frozen=True, kw_only=True)
class Asking(Printing):
    """What a situation is described by, beside its text."""

    concern: Annotated[str, piped(option("--concern"))] = ""
    tool: Annotated[str, option("--tool")] = ""
    task_type: Annotated[str, option("--task-type")] = ""
    agent: Annotated[str, option("--agent")] = ""
    session_id: Annotated[str, option("--session-id", text="told_session")] = ""
    limit: Annotated[int, option("--limit")] = 3


@dataclass(frozen=True, kw_only=True)
class Recall(Asking):
    """Options of recall."""

    situation: Annotated[str, piped(argument("SITUATION"))]
    planned_action: Annotated[str, piped(option("--planned-action"))] = ""
    kind: Annotated[list[MemoryKind], options_of("--kind", case_sensitive=False)] = field(
        default_factory=list
    )
    since: Annotated[str, option("--since")] = ""
    until: Annotated[str, option("--until")] = ""
    archived: Annotated[bool, option("--archived")] = False
    prompt: Annotated[bool, option("--prompt")] = False
    max_tokens: Annotated[int, option("--max-tokens")] = 400


@dataclass(frozen=True, kw_only=True)
class Briefing(Asking):
    """Options of brief."""

    task: Annotated[str, piped(argument("TASK"))]
    prompt: Annotated[bool, option("--prompt")] = False
    max_tokens: Annotated[int, option("--max-tokens")] = 400


@dataclass(frozen=True, kw_only=True)
class Failures(Printing):
    """Options of failures."""

    tool: Annotated[str, option("--tool")] = ""
    task_type: Annotated[str, option("--task-type")] = ""
    agent: Annotated[str, option("--agent")] = ""
    error_type: Annotated[str, option("--error-type")] = ""
    since: Annotated[str, option("--since")] = ""
    until: Annotated[str, option("--until")] = ""
    limit: Annotated[int, option("--limit")] = 20
    orphans: Annotated[bool, option("--orphans")] = False


@dataclass(frozen=True, kw_only=True)
class Show(Printing):
    """Options of show."""

    ref: Annotated[str, argument("REF")]


def recall(call: Call, options: Recall) -> None:
    """Ask before acting."""
    question = Question(
        situation=options.situation,
        concern=options.concern,
        keys=SituationKeys(
            agent=options.agent,
            planned_action=options.planned_action,
            tool=options.tool,
            task_type=options.task_type,
        ),
        kinds=tuple(options.kind),
        limit=options.limit,
        session_id=options.session_id,
        include_archived=options.archived,
        during=Period(
            start=moment_of("since", options.since, now()), end=moment_of("until", options.until, now())
        ),
    )
    with closing(build(call.settings)) as services:
        found = services.recall.ask(call.namespace, question)
    _answer(call, found, options)


def brief(call: Call, options: Briefing) -> None:
    """What to know at the start of a task."""
    keys = SituationKeys(agent=options.agent, tool=options.tool, task_type=options.task_type)
    question = Question(
        situation=options.task,
        concern=options.concern,
        keys=keys,
        limit=options.limit,
        session_id=options.session_id,
    )
    with closing(build(call.settings)) as services:
        found = services.brief.brief(call.namespace, question)
    said = prompt_text(found.recollection, options.max_tokens, None)
    if call.json:
        call.terminal.json({**as_data(found), "prompt_text": said})
        return
    if options.prompt:
        call.terminal.lines([plain(line) for line in said.splitlines()])
        return
    show_recollection(found.recollection, call.terminal)
    if found.likely_failures:
        call.terminal.line(say("brief.likely"))
    for likely in found.likely_failures:
        call.terminal.line(
            "  " + say("brief.count", kind=plain(likely.error_type), count=likely.count, n=likely.n)
        )
        call.terminal.line(f"    {lined(likely.example, call.terminal)}")


def _answer(call: Call, found: Recollection, options: Recall) -> None:
    said = prompt_text(found, options.max_tokens, None)
    if call.json:
        call.terminal.json({**as_data(found), "prompt_text": said})
    elif options.prompt:
        call.terminal.lines([plain(line) for line in said.splitlines()])
    else:
        show_recollection(found, call.terminal)


def failures(call: Call, options: Failures) -> None:
    """List failures, newest first."""
    if not 1 <= options.limit <= MOST:
        raise BadInputError(f"must be from 1 to {MOST}", field="limit", remedy="e.g. 20")
    read = _orphans(options) if options.orphans else _selected(options)
    with closing(build(call.settings)) as services:
        found = _pages(lambda page: read(services, call.namespace, page), options.limit)
    if call.json:
        call.terminal.json([as_data(memory) for memory in found])
    elif not found:
        call.terminal.line(say("failures.none"))
    width = max((columns(memory.ref) for memory in found), default=0)
    for memory in found if not call.json else ():
        _listed(call, memory, width)


def _selected(options: Failures) -> Read:
    """How failures are read by plain filters."""
    selection = Selection(
        kinds=(MemoryKind.EXPERIENCE,),
        results=(Result.FAILURE,),
        states=(State.ACTIVE,),
        tool=options.tool,
        task_type=options.task_type,
        agent=options.agent,
        error_type=options.error_type,
        occurred_from=moment_of("since", options.since, now()),
        occurred_to=moment_of("until", options.until, now()),
    )
    return lambda services, namespace, page: services.browse.memories(namespace, selection, page)


def _orphans(options: Failures) -> Read:
    """How failures without a known cause are read. Raises BadInputError for filters that these do not have."""
    for name in ("tool", "task_type", "agent", "error_type", "until"):
        if getattr(options, name):
            raise BadInputError(
                "does not go with --orphans", field=name, remedy="give only --since and --limit"
            )
    since = moment_of("since", options.since, now())

    def read(services: Services, namespace: str, page: PageRequest) -> Page[Memory]:
        with progress.cleared():
            return services.oddities.orphans(namespace, page, since, tell)

    return read


def _pages(read: Callable[[PageRequest], Page[Memory]], limit: int) -> list[Memory]:
    found: list[Memory] = []
    after = ""
    while len(found) < limit:
        page = read(PageRequest(first=min(PAGE, limit - len(found)), after=after))
        found += page.items
        after = page.next
        if not after:
            break
    return found


def _listed(call: Call, memory: Memory, width: int) -> None:
    label = f"{pad(marked(memory, call.terminal), width + 2)}  {moment(memory.occurred_at)[:16]}  "
    indent = columns(label)
    call.terminal.headed(label, headline(memory), indent)
    if isinstance(memory, Experience) and memory.correction:
        call.terminal.folded(f"{say('recall.fix')} {plain(memory.correction)}", indent)


def show(call: Call, options: Show) -> None:
    """Show everything of one memory."""
    with closing(build(call.settings)) as services:
        memory = services.browse.memory(call.namespace, options.ref)
        edges = _edges(services, memory)
        ends = [end for edge in edges for end in (edge.from_id, edge.to_id) if end != memory.id]
        others = services.store.get(call.namespace, ends)
    if call.json:
        call.terminal.json({**as_data(memory), "edges": [as_data(edge) for edge in edges]})
        return
    whole(memory, call.terminal)
    call.terminal.lines(list(joined(edges, memory, others, call.terminal)))


def _edges(services: Services, memory: Memory) -> list[Edge]:
    page = PageRequest(first=EDGES_SHOWN)
    ends = (EdgeSelection(from_ids=(memory.id,)), EdgeSelection(to_ids=(memory.id,)))
    return [edge for end in ends for edge in services.store.edges(memory.namespace, end, page).items]
