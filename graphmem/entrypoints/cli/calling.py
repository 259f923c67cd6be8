"""From a dataclass of options and a function to a command, and from an error to an exit code.

A command's options are the fields of a dataclass, so that its function has two parameters whatever it takes.
"""

from __future__ import annotations

import inspect
import logging
import os
import re
import sys
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import MISSING, Field, dataclass, fields
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperGroup
from typer.models import ArgumentInfo, OptionInfo

from graphmem.config import Settings, from_environment, process_environment
from graphmem.domain.errors import GraphmemError
from graphmem.domain.variables import unknown
from graphmem.entrypoints.cli.piping import from_standard_input, is_piped
from graphmem.entrypoints.cli.terminal import Terminal, plain, terminal
from graphmem.entrypoints.cli.words import say

PROGRAM = "graphmem"
EXIT_CODES = {
    "BAD_INPUT": 2,
    "TOO_LARGE": 2,
    "NOT_FOUND": 3,
    "CONFLICT": 4,
    "UNAVAILABLE": 5,
    "UNAUTHENTICATED": 5,
}
"""Exit code by the code of a GraphmemError."""

Parameter = OptionInfo | ArgumentInfo


Run = Callable[["Call", Any], None]


def option(*names: str, text: str = "", **settings: Any) -> Any:
    """A typer option whose help is the text 'option.TEXT', by default of the first name."""
    key = text or names[0].lstrip("-").replace("-", "_")
    return typer.Option(*names, help=f"option.{key}", show_default=False, **settings)


def options_of(*names: str, **settings: Any) -> Any:
    """An option that can be repeated."""
    return option(*names, metavar="<str>", **settings)


def argument(name: str, **settings: Any) -> Any:
    """A typer argument; its help is the text 'argument.NAME'."""
    return typer.Argument(help=f"argument.{name.lower()}", show_default=False, **settings)


@dataclass(frozen=True, kw_only=True)
class Shared:
    """Options of every command."""

    store: Annotated[str, option("--store")] = ""
    namespace: Annotated[str, option("--namespace", "-n")] = ""
    embedder: Annotated[str, option("--embedder")] = ""


@dataclass(frozen=True, kw_only=True)
class Printing(Shared):
    """Options of every command that prints data."""

    json: Annotated[bool, option("--json")] = False


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a command: its settings, where it prints, and whether it prints JSON."""

    settings: Settings
    terminal: Terminal
    json: bool

    @property
    def namespace(self) -> str:
        """The namespace that the call is about."""
        return self.settings.namespace

    @property
    def language(self) -> str:
        """The language of the words."""
        return self.settings.language


def command(name: str, run: Run, options: type[Shared]) -> Any:
    """A command that calls run with the options as given; errors end it with a line and an exit code."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, help=say(f"command.{name}"))(_called(run, options))
    return typer.main.get_command(app)


class Listing(TyperGroup):
    """Commands behind one name, listed with their short help under a title in the caller's language."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands."""
        with formatter.section(say("help.commands")):
            formatter.write_dl([(name, say(f"short.{self.name}_{name}")) for name in self.list_commands(ctx)])


def group(name: str, commands: Mapping[str, tuple[Run, type[Shared]]], options: type[Shared]) -> Any:
    """Commands behind one name, their texts under NAME_COMMAND; options that stand before a command hold for it."""
    app = typer.Typer(
        name=name,
        cls=Listing,
        add_completion=False,
        rich_markup_mode=None,
        no_args_is_help=True,
        context_settings={"help_option_names": ["--help", "-h"]},
    )

    def between(ctx: typer.Context, **given: Any) -> None:
        ctx.obj = {**(ctx.obj or {}), **{key: value for key, value in given.items() if value}}

    take(between, options)
    app.callback(help=say(f"command.{name}"))(between)
    for inner, (run, own) in commands.items():
        app.command(inner, help=say(f"command.{name}_{inner}"))(_called(run, own))
    return typer.main.get_command(app)


def _called(run: Run, options: type[Shared]) -> Callable[..., None]:
    """The function that typer calls, with the options as its parameters."""

    def called(ctx: typer.Context, **given: Any) -> None:
        outer = ctx.obj or {}
        for key in ("store", "namespace", "embedder", "json"):
            if key in given:
                given[key] = given[key] or outer.get(key, given[key])
        _guarded(run, options(**given), bool(outer.get("no_color")))

    take(called, options)
    return called


def take(called: Callable[..., None], options: type[Shared]) -> None:
    """Make typer see the fields of options as the parameters of a function that takes a context and anything."""
    parameters = [inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)]
    parameters += _parameters(options)
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}


def _parameters(options: type[Shared]) -> list[inspect.Parameter]:
    """The fields as typer reads parameters, a class's own before inherited ones, help in the caller's language."""
    hints = get_type_hints(options, include_extras=True)
    lineage = [vars(cls).get("__annotations__", {}) for cls in options.__mro__]
    ordered = sorted(fields(options), key=lambda item: [item.name in own for own in lineage].index(True))
    return [
        inspect.Parameter(
            item.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(item),
            annotation=_worded(hints[item.name]),
        )
        for item in ordered
    ]


def _default(item: Field[Any]) -> Any:
    if item.default_factory is not MISSING:
        return item.default_factory()
    return inspect.Parameter.empty if item.default is MISSING else item.default


def _worded(hint: Any) -> Any:
    assert get_origin(hint) is Annotated
    kind, info = get_args(hint)
    worded: Parameter = copy(info)
    worded.help = say(str(info.help)) + (say("help.piped") if is_piped(info) else "")
    return Annotated[kind, worded]


def _guarded(run: Run, options: Shared, no_colour: bool) -> None:
    try:
        _tell_unknown()
        settings = from_environment(
            store=options.store, namespace=options.namespace, embedder=options.embedder
        )
        call = Call(settings, terminal(no_colour), bool(getattr(options, "json", False)))
        run(call, from_standard_input(options))
        sys.stdout.flush()
    except GraphmemError as error:
        field = as_typed(error.field, type(options))
        shown = GraphmemError(error.message, field=field, remedy=error.remedy)
        print(f"{PROGRAM}: {plain(str(shown))}", file=sys.stderr)
        raise typer.Exit(EXIT_CODES.get(error.code, 1)) from error
    except BrokenPipeError as error:
        discard_output()
        raise typer.Exit(0) from error


def _tell_unknown() -> None:
    """Name the variables that nothing reads: most likely they were mistyped."""
    for name, nearest in unknown(process_environment()).items():
        key = "variable.meant" if nearest else "variable.unknown"
        print(f"{PROGRAM}: {plain(say(key, name=name, nearest=nearest))}", file=sys.stderr)


_CAPITAL = re.compile(r"(?<=[a-z])[A-Z]")
_TYPED = {"remove": "without", "a": "first", "b": "second"}
"""Fields that the command line has another word for, where a command has that word."""


def as_typed(field: str, options: type) -> str:
    """The field of an error as it is typed: maxHops is --max-hops. One word that is typed as well stays as it is."""
    name = _CAPITAL.sub(lambda found: f"_{found[0].lower()}", field)
    hints = get_type_hints(options, include_extras=True)
    name = _TYPED[name] if _TYPED.get(name) in hints else name
    if name == field and "_" not in field:
        return field
    infos = [part for part in get_args(hints.get(name)) if isinstance(part, OptionInfo)]
    declared = [text for info in infos for text in (info.default, *(info.param_decls or ()))]
    long = [text for text in declared if isinstance(text, str) and text.startswith("--")]
    return long[0] if long else name if name in hints else field


class Once(logging.Filter):
    """Lets each message through once: a slow model is one piece of news, not twenty."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the message is new."""
        message = record.getMessage()
        fresh = message not in self._seen
        self._seen.add(message)
        return fresh


def log_to_stderr() -> None:
    """Print what the services log, a line each, as the program's own words."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(f"{PROGRAM}: %(message)s"))
    handler.addFilter(Once())
    logging.getLogger(PROGRAM).addHandler(handler)
    logging.getLogger(f"{PROGRAM}.wiring").setLevel(logging.INFO)


def discard_output() -> None:
    """Let what is still to be printed vanish: whoever read it is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
