"""Failing tests as experiences, and what had changed when they pass again.

Where pytest-xdist shares the tests out, each of its processes records what it ran; what it has to say travels with the
report of the test to the one that talks to the person.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

import pytest

from graphmem.config import from_environment
from graphmem.domain.answers import Written
from graphmem.domain.drafts import CHANGED, ExperienceDraft
from graphmem.domain.errors import GraphmemError
from graphmem.domain.memories import Channel, Experience, Result, Writer
from graphmem.domain.rules import title_of
from graphmem.entrypoints.capture.chains import record_chain
from graphmem.entrypoints.capture.changed_files import changed_since
from graphmem.entrypoints.capture.frames import error_name, message, told
from graphmem.entrypoints.capture.repeats import AFTER, Past, note_success, pasts_of, retried
from graphmem.wiring import Services, build

TOOL = "pytest"
TASK_TYPE = "test"
RECORDED, SOLVED, PROBLEM = range(3)


class Recorder:
    """Hooks of one test run. A memory that fails is told at the end and never changes the outcome of a test."""

    def __init__(self, config: pytest.Config) -> None:
        self._root = config.rootpath
        self._shares_out = bool(getattr(config.option, "numprocesses", None))
        run = getattr(config, "workerinput", {}).get("testrunuid")
        self._session = f"pytest:{run or secrets.token_hex(8)}"
        self._services: Services | None = None
        self._pasts: dict[str, Past] = {}
        self._unsaid: list[tuple[int, str]] = []
        self._heard: list[tuple[int, str]] = []

    def pytest_sessionstart(self) -> None:
        """Open the memory and look up how each test ended before."""
        if not self._shares_out:
            self._guarded(self._open)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note a failure of any phase, and a pass of the test itself. Skipped and expected failures are neither."""
        report = yield
        error = call.excinfo.value if call.excinfo else None
        if report.failed and error is not None:
            self._guarded(lambda: self._note_failure(_name(item), call.when, error))
        elif report.passed and call.when == "call" and not hasattr(report, "wasxfail"):
            self._guarded(lambda: self._note_pass(_name(item)))
        vars(report)["graphmem"], self._unsaid = self._unsaid, []
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what the process that ran the test has to say."""
        self._heard += getattr(report, "graphmem", ())

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was recorded, then what was solved, then the first problem."""
        told = sorted([*self._heard, *self._unsaid], key=itemgetter(0))
        lines = [line for rank, line in told if rank != PROBLEM]
        lines += [line for rank, line in told if rank == PROBLEM][:1]
        if lines:
            terminalreporter.section("graphmem")
            for line in lines:
                terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        """Close the memory."""
        if self._services is not None:
            self._services.close()

    def _guarded(self, note: Callable[[], None]) -> None:
        try:
            note()
        except GraphmemError as error:
            self._unsaid.append((PROBLEM, f"not recorded: {error}"))
        except Exception as error:
            self._unsaid.append((PROBLEM, f"not recorded: {type(error).__name__}"))

    def _open(self) -> None:
        settings = from_environment()
        self._services = build(settings)
        self._pasts = pasts_of(self._services, settings.namespace, TOOL, TASK_TYPE)

    def _note_failure(self, test: str, phase: str, error: BaseException) -> None:
        if self._services is None:
            return
        past = self._pasts.get(_action(test), Past())
        written = self._write(self._services, test, phase, error, past)
        self._take(written, past)
        self._unsaid.append((RECORDED, f"{written.memory.ref} {test}{_known(past)}"))

    def _take(self, written: Written, past: Past) -> None:
        memory = written.memory
        assert isinstance(memory, Experience)
        self._pasts[memory.action] = Past((memory, *past.runs))

    def _write(self, services: Services, test: str, phase: str, error: BaseException, past: Past) -> Written:
        fields = {**_shared(self._session), "context": "" if phase == "call" else f"in its {phase}"}
        fields["task_id"] = retried(past, error_name(error), datetime.now(UTC))
        namespace = services.settings.namespace
        if isinstance(error, Exception):
            return record_chain(services, namespace, error, _action(test), fields)
        fields |= {"error_type": error_name(error), "manifestation": message(error), "trace": told(error)}
        draft = ExperienceDraft(action=_action(test), result=Result.FAILURE, **fields)
        return services.remember.experience(namespace, draft)

    def _note_pass(self, test: str) -> None:
        past = self._pasts.get(_action(test), Past())
        failed = past.unsolved
        if self._services is None or failed is None:
            return
        draft = ExperienceDraft(action=_action(test), result=Result.SUCCESS, **_shared(self._session))
        changed = changed_since(self._root, failed.occurred_at)
        written = note_success(self._services, self._services.settings.namespace, draft, failed, changed)
        self._take(written, past)
        said = f"{written.memory.ref} {test} passes again after {failed.ref}{_with_changes(changed)}"
        self._unsaid.append((SOLVED, said))


def _name(item: pytest.Item) -> str:
    """The test as a person calls it: pytest-xdist adds the group of a test to its id."""
    return f"{item.parent.nodeid}::{item.name}" if item.parent else item.nodeid


def _known(past: Past) -> str:
    """What earlier runs of the test tell, in brackets; '' where they tell nothing."""
    told = [f"it failed the last time too: {past.unsolved.ref}"] if past.unsolved else []
    if past.correction:
        told.append(f"what was right: {title_of(past.correction)}")
    if past.worked:
        changed = [str(name) for name in past.worked.metadata.get(CHANGED, ())]
        after = f"{past.worked.metadata[AFTER]} ({past.worked.ref})"
        told.append(f"it passed again after {after}{_with_changes(changed)}")
    return f" ({'; '.join(told)})" if told else ""


def _with_changes(files: Sequence[str]) -> str:
    return f", with changes in {', '.join(files)}" if files else ""


def _action(test: str) -> str:
    return f"test {test}"


def _shared(session: str) -> dict[str, Any]:
    return {
        "tool": TOOL,
        "task_type": TASK_TYPE,
        "session_id": session,
        "writer": Writer(TOOL, Channel.TOOL),
    }
