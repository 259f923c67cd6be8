"""A block or a function whose exceptions become failures. The exception goes on as if nobody had looked."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping
from functools import wraps
from reprlib import Repr
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, cast

from graphmem.analysis.redaction import redact_value
from graphmem.domain.answers import Written
from graphmem.domain.drafts import ExperienceDraft
from graphmem.domain.errors import GraphmemError
from graphmem.domain.memories import Result
from graphmem.entrypoints.capture.chains import record_chain
from graphmem.entrypoints.plain import drafted, fitting
from graphmem.wiring import Services

_P = ParamSpec("_P")
_R = TypeVar("_R")
_log = logging.getLogger(__name__)
MAX_ARGUMENT = 120
"""Characters of one argument."""


def _short() -> Repr:
    short = Repr()
    short.maxstring = short.maxother = short.maxlong = MAX_ARGUMENT
    short.maxlist = short.maxtuple = short.maxdict = short.maxset = 10
    return short


_SHORT = _short()


class Guard:
    """`with Guard(...)`: an Exception that leaves the block is recorded as the failure of an action.

    What is no Exception (an interrupt, an exit) is not recorded. A memory that fails is logged, never raised.
    written: what was recorded, None before and if nothing was. Raises BadInputError for a field that there is not,
    before the block begins: found out only at its first failure, it would cost that failure.
    """

    def __init__(
        self,
        services: Services,
        namespace: str,
        action: str,
        fields: Mapping[str, Any],
        success: bool = False,
    ) -> None:
        self.written: Written | None = None
        self._services = services
        self._namespace = namespace
        self._action = action
        self._fields = known(fields)
        self._success = success

    def note(self, **fields: Any) -> None:
        """Say more of the action while it runs: context, output, expected, tool, …; as in ExperienceDraft.

        Raises BadInputError for a field that there is not.
        """
        self._fields |= known(fields)

    def __enter__(self) -> Guard:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if isinstance(error, Exception):
                self.written = record_chain(
                    self._services, self._namespace, error, self._action, self._fields
                )
            elif error is None and self._success:
                draft = drafted(
                    ExperienceDraft, {**self._fields, "action": self._action, "result": Result.SUCCESS}
                )
                self.written = self._services.remember.experience(self._namespace, draft)
        except Exception as problem:
            field = problem.field if isinstance(problem, GraphmemError) else ""
            of = f" ({field})" if field else ""
            _log.warning("an action could not be recorded: %s%s", type(problem).__name__, of)


def known(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields, all of them an experience's. Raises BadInputError naming one that is not."""
    fitting(ExperienceDraft, dict.fromkeys(fields))
    return dict(fields)


def guarded(
    make: Callable[[str, dict[str, Any]], Guard], action: str, fields: Mapping[str, Any]
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """A decorator: each call of the function, a coroutine's too, runs in a guard with its arguments as context."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        name = action or f"call {function.__qualname__}"

        def guard(given: tuple[Any, ...], named: dict[str, Any]) -> Guard:
            said = {"tool": function.__name__, "context": arguments_of(function, given, named)}
            return make(name, {**said, **fields})

        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def waited(*given: _P.args, **named: _P.kwargs) -> Any:
                with guard(given, dict(named)):
                    return await function(*given, **named)

            return cast(Callable[_P, _R], waited)

        @wraps(function)
        def called(*given: _P.args, **named: _P.kwargs) -> _R:
            with guard(given, dict(named)):
                return function(*given, **named)

        return called

    return decorate


def arguments_of(function: Callable[..., Any], given: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """The arguments of a call by name, short, without secrets; '' where they do not fit the function."""
    try:
        bound = inspect.signature(function).bind(*given, **named).arguments
        shown = {name: _SHORT.repr(value) for name, value in bound.items() if name not in ("self", "cls")}
    except Exception:
        return ""
    return ", ".join(f"{name}={value}" for name, value in redact_value(shown).value.items())
