"""How commands are called: options before and after the name, errors to exit codes, help without loading."""

from __future__ import annotations

import pytest

from graphmem.domain.errors import (
    AmbiguousError,
    BadInputError,
    ConflictError,
    ForgottenError,
    GraphmemError,
    NotFoundError,
    StaleError,
    TooLargeError,
    UnauthenticatedError,
    UnavailableError,
)
from graphmem.entrypoints import cli
from graphmem.entrypoints.cli import calling, watching
from graphmem.entrypoints.cli.calling import Call, Once, Shared, as_typed
from graphmem.entrypoints.cli.explaining import Explain
from graphmem.entrypoints.cli.oddities import CommonCause
from tests.unit.entrypoints.cli.conftest import Ended, Run


def raising(monkeypatch: pytest.MonkeyPatch, run: Run, error: BaseException) -> Ended:
    """How `status` ends when it raises."""

    def broken(call: Call, options: Shared) -> None:
        raise error

    monkeypatch.setattr(watching, "status", broken)
    return run("status")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadInputError("is wrong", field="limit", remedy="e.g. 3"), 2),
        (TooLargeError("is wrong", field="limit", remedy="e.g. 3"), 2),
        (NotFoundError("is wrong", field="limit", remedy="e.g. 3"), 3),
        (ConflictError("is wrong", field="limit", remedy="e.g. 3"), 4),
        (StaleError("is wrong", field="limit", remedy="e.g. 3"), 4),
        (ForgottenError("is wrong", field="limit", remedy="e.g. 3"), 4),
        (UnavailableError("is wrong", field="limit", remedy="e.g. 3"), 5),
        (UnauthenticatedError("is wrong", field="limit", remedy="e.g. 3"), 5),
        (GraphmemError("is wrong", field="limit", remedy="e.g. 3"), 1),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(
    error: GraphmemError, code: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = raising(monkeypatch, run, error)
    assert (ended.code, ended.out, ended.err) == (code, "", "graphmem: limit: is wrong (e.g. 3)\n")


def test_every_code_of_the_error_tree_has_an_exit_code() -> None:
    codes = {error.code for error in (*GraphmemError.__subclasses__(), AmbiguousError)}
    assert codes == set(calling.EXIT_CODES)


def test_an_error_cannot_steer_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = raising(monkeypatch, run, BadInputError("\x1b[2J is\nwrong"))
    assert ended.err == "graphmem: [2J is wrong\n"


def test_a_defect_is_not_hidden(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        raising(monkeypatch, run, ZeroDivisionError())


def test_a_reader_that_left_is_no_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[bool] = []
    monkeypatch.setattr(calling, "discard_output", lambda: gone.append(True))
    ended = raising(monkeypatch, run, BrokenPipeError())
    assert (ended.code, ended.err, gone) == (0, "", [True])


@pytest.mark.parametrize(
    ("words", "namespace"),
    [
        (("status", "--json"), "main"),
        (("--namespace", "before", "status", "--json"), "before"),
        (("status", "--json", "--namespace", "after"), "after"),
        (("-n", "before", "status", "--json", "-n", "after"), "after"),
        (("--json", "status", "-n", "after"), "after"),
    ],
)
def test_options_stand_before_or_after_the_command(run: Run, words: tuple[str, ...], namespace: str) -> None:
    assert run(*words).data["namespace"] == namespace


def test_the_environment_is_the_default(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEM_NAMESPACE", "from outside")
    assert run("status", "--json").data["namespace"] == "from outside"
    assert run("-n", "main", "status", "--json").data["namespace"] == "main"


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("status", "--store", "memory.db"), "store"),
        (("status", "--embedder", "magic"), "embedder"),
        (("status", "--namespace", "a\x07b"), "namespace"),
    ],
)
def test_settings_that_are_none_are_refused(run: Run, words: tuple[str, ...], field: str) -> None:
    ended = run(*words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"graphmem: {field}: ")


def test_a_store_that_cannot_be_opened_is_unavailable(run: Run) -> None:
    ended = run("status", "--store", "sqlite:////dev/null/memory.db")
    assert (ended.code, ended.err[:16]) == (5, "graphmem: store:")


def test_every_command_has_help(run: Run) -> None:
    for name in cli.COMMANDS:
        ended = run(name, "--help")
        assert ended.code == 0
        assert f"Usage: graphmem {name}" in ended.out
        assert "--store" in ended.out


def test_help_lists_every_command_in_order(run: Run) -> None:
    lines = run("--help").lines
    listed = [line.split()[0] for line in lines[lines.index("Commands:") + 1 :]]
    assert listed == list(cli.COMMANDS)


def test_without_a_command_there_is_help(run: Run) -> None:
    ended = run()
    assert "Commands:" in ended.out + ended.err


def test_a_mistyped_command_gets_a_proposal(run: Run) -> None:
    ended = run("recal")
    assert (ended.code, "Did you mean 'recall'" in ended.err) == (2, True)


def test_the_version_is_told(run: Run) -> None:
    assert run("--version").out.startswith("graphmem ")


def test_own_options_stand_before_shared_ones(run: Run) -> None:
    lines = [line.split()[0] for line in run("record", "--help").lines if line.startswith("  -")]
    assert lines.index("--result") < lines.index("--key") < lines.index("--json") < lines.index("--store")


def test_a_message_is_logged_once() -> None:
    once = Once()
    records = [
        calling.logging.makeLogRecord({"msg": "slow: %s", "args": (text,)}) for text in ("a", "a", "b")
    ]
    assert [once.filter(record) for record in records] == [True, False, True]


@pytest.mark.parametrize(
    ("field", "options", "typed"),
    [
        ("maxHops", Explain, "--max-hops"),
        ("asOf", Explain, "--as-of"),
        ("as_of", Explain, "--as-of"),
        ("remove", Explain, "--without"),
        ("limit", Explain, "limit"),
        ("remove", CommonCause, "remove"),
        ("b", CommonCause, "second"),
        ("causedBy[0].id", Explain, "causedBy[0].id"),
        ("", Explain, ""),
    ],
)
def test_an_error_names_what_was_typed(field: str, options: type, typed: str) -> None:
    assert as_typed(field, options) == typed


def test_a_refusal_names_the_option(run: Run) -> None:
    run("record", "look", "--result", "failure")
    assert "--max-hops: " in run("explain", "E-1", "--max-hops", "0").err
    assert "--as-of: " in run("explain", "E-1", "--as-of", "tomorrow").err
    assert "--without: " in run("explain", "E-1", "--without", "E-9").err
