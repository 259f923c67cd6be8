"""The pytest plugin's entry: it offers an option, and loads the rest only where a run opts in."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

RECORDER = "graphmem.entrypoints.capture.pytest_recorder"
"""Loaded on demand: a run that did not ask for it pays for no store and no numeric library."""
_HELP = "remember failing tests, and what made them pass again (graphmem; the store as GRAPHMEM_STORE says)"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--graphmem` for one run, `graphmem = true` in the settings of pytest for all."""
    parser.getgroup("graphmem").addoption("--graphmem", action="store_true", default=False, help=_HELP)
    parser.addini("graphmem", _HELP, type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Register the recorder, if this run asks for it."""
    if config.getoption("--graphmem") or config.getini("graphmem"):
        config.pluginmanager.register(import_module(RECORDER).Recorder(config), "graphmem-recorder")
