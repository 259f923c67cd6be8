"""The command line. Only this file loads code late: a command's module when the command is called."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from graphmem._version import __version__
from graphmem.entrypoints.cli.calling import PROGRAM, Printing, command, group, log_to_stderr, option, take
from graphmem.entrypoints.cli.words import say

COMMANDS: Mapping[str, str] = {
    "demo": "playing:demo:Demo",
    "serve": "serving:serve:Serve",
    "mcp": "agents:mcp:Mcp",
    "status": "watching:status:Status",
    "doctor": "watching:doctor:Doctor",
    "diagnostics": "diagnosing:diagnostics:Diagnose",
    "remember": "writing:remember:Remember",
    "record": "writing:record:Record",
    "capture": "writing:capture:Capture",
    "run": "running:run:Run",
    "recall": "asking:recall:Recall",
    "brief": "asking:brief:Briefing",
    "failures": "asking:failures:Failures",
    "show": "asking:show:Show",
    "episodes": "keeping:episodes:Episodes",
    "link": "causes:link:Link",
    "review": "causes:review:Review",
    "explain": "explaining:explain:Explain",
    "impact": "causes:impact:Impact",
    "priorities": "overview:priorities:Ranking",
    "choke-points": "overview:choke_points:Ranking",
    "propagation": "overview:propagation:Spreading",
    "common-cause": "oddities:common_cause:CommonCause",
    "violations": "oddities:violations:Violations",
    "work": "analysing:work:Work",
    "pending": "analysing:pending:Pending",
    "claim": "analysing:claim:Claim",
    "submit": "analysing:submit:Submit",
    "reflect": "lessons:reflect:Reflect",
    "clusters": "lessons:clusters:Clusters",
    "promote": "lessons:promote:Promote",
    "decide": "lessons:decide:Decide",
    "answer": "measuring:answer:AnswerReminder",
    "end": "measuring:end:End",
    "recurrence": "measuring:recurrence:Measuring",
    "experiment": "measuring:experiment:Measuring",
    "calibrate": "measuring:calibrate:Calibrate",
    "replay": "keeping:replay:Replay",
    "export": "moving:export:Export",
    "import": "moving:import_lines:Import",
    "reembed": "embedding:reembed:Reembed",
    "copy": "moving:copy:Copy",
    "sweep": "sweeping:sweep:Sweep",
    "forget": "writing:forget:Forget",
    "neo4j": "neo4j:COMMANDS:Neo4j",
    "schema": "serving:schema:Schema",
}
"""Name of a command -> module of this package, function, class of its options.

In place of a function there may be a table: commands behind that name.
"""


class Commands(TyperGroup):
    """The commands by name; a command's module is imported when it is called, not when all are listed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of the table: a first look, writing, asking, causes, proof, upkeep."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, loaded now; None when there is none of that name."""
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module_name, run, options = place.split(":")
        module = import_module(f"{__name__}.{module_name}")
        found, own = getattr(module, run), getattr(module, options)
        return group(cmd_name, found, own) if isinstance(found, Mapping) else command(cmd_name, found, own)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands with their short help, without loading any."""
        with formatter.section(say("help.commands")):
            formatter.write_dl([(name, say(f"short.{name}")) for name in COMMANDS])


def _version(wanted: bool) -> None:
    if wanted:
        print(f"{PROGRAM} {__version__}")
        raise typer.Exit


@dataclass(frozen=True, kw_only=True)
class Program(Printing):
    """Options before the command; those of the command win."""

    no_color: Annotated[str, option("--no-color", envvar="NO_COLOR", hidden=True)] = ""
    version: Annotated[bool, option("--version", callback=_version, is_eager=True)] = False


def make_app() -> typer.Typer:
    """The whole command line, its help in the language of the environment."""
    app = typer.Typer(
        cls=Commands,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        help=say("help.program"),
        context_settings={"help_option_names": ["--help", "-h"]},
    )

    def program(ctx: typer.Context, **given: object) -> None:
        ctx.obj = given

    take(program, Program)
    app.callback()(program)
    return app


def main() -> None:
    """The entry point `graphmem`."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    log_to_stderr()
    make_app()(prog_name=PROGRAM)
