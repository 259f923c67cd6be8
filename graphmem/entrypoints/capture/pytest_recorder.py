"""Failing tests as experiences, and what had changed when they pass again.

Where pytest-xdist shares the tests out, each of its processes records what it ran; what it has to say travels with the
report of the test to the one that talks to the person.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator
from operator import itemgetter
from typing import Any

import pytest

from graphmem.config import from_environment
from graphmem.domain.answers import Written
from graphmem.domain.drafts import ExperienceDraft
from graphmem.domain.errors import GraphmemError
from graphmem.domain.memories import Channel, Experience, Result, Writer
from graphmem.entrypoints.capture.chains import record_chain
from graphmem.entrypoints.capture.changed_files import changed_since
from graphmem.entrypoints.capture.frames import error_name, message, told
from graphmem.entrypoints.capture.repeats import latest_runs, note_success
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
        self._latest: dict[str, Experience] = {}
        self._unsaid: list[tuple[int, str]] = []
        self._heard: list[tuple[int, str]] = []

    def pytest_sessionstart(self) -> None:
        """Open the memory and look up how each test ended last."""
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
        self._latest = latest_runs(self._services, settings.namespace, TOOL, TASK_TYPE)

    def _note_failure(self, test: str, phase: str, error: BaseException) -> None:
        if self._services is None:
            return
        before = self._latest.get(_action(test))
        written = self._write(self._services, test, phase, error)
        memory = written.memory
        assert isinstance(memory, Experience)
        self._latest[memory.action] = memory
        failed_too = before is not None and before.result is Result.FAILURE
        since = f" (it failed the last time too: {before.ref})" if before is not None and failed_too else ""
        self._unsaid.append((RECORDED, f"{memory.ref} {test}{since}"))

    def _write(self, services: Services, test: str, phase: str, error: BaseException) -> Written:
        fields = {**_shared(self._session), "context": "" if phase == "call" else f"in its {phase}"}
        namespace = services.settings.namespace
        if isinstance(error, Exception):
            return record_chain(services, namespace, error, _action(test), fields)
        fields |= {"error_type": error_name(error), "manifestation": message(error), "trace": told(error)}
        draft = ExperienceDraft(action=_action(test), result=Result.FAILURE, **fields)
        return services.remember.experience(namespace, draft)

    def _note_pass(self, test: str) -> None:
        failed = self._latest.get(_action(test))
        if self._services is None or failed is None or failed.result is not Result.FAILURE:
            return
        draft = ExperienceDraft(action=_action(test), result=Result.SUCCESS, **_shared(self._session))
        changed = changed_since(self._root, failed.occurred_at)
        written = note_success(self._services, self._services.settings.namespace, draft, failed, changed)
        assert isinstance(written.memory, Experience)
        self._latest[written.memory.action] = written.memory
        after = f", with changes in {', '.join(changed)}" if changed else ""
        said = f"{written.memory.ref} {test} passes again after {failed.ref}{after}"
        self._unsaid.append((SOLVED, said))


def _name(item: pytest.Item) -> str:
    """The test as a person calls it: pytest-xdist adds the group of a test to its id."""
    return f"{item.parent.nodeid}::{item.name}" if item.parent else item.nodeid


def _action(test: str) -> str:
    return f"test {test}"


def _shared(session: str) -> dict[str, Any]:
    return {
        "tool": TOOL,
        "task_type": TASK_TYPE,
        "session_id": session,
        "writer": Writer(TOOL, Channel.TOOL),
    }
