"""Every error a caller can meet, as one tree.

GraphmemError                    code, message, field, remedy
├── BadInputError                BAD_INPUT        the call is malformed
├── TooLargeError                TOO_LARGE        the call exceeds a documented limit
├── NotFoundError                NOT_FOUND        no such memory in this namespace
├── AmbiguousError               BAD_INPUT        several memories fit; candidates are listed
├── ConflictError                CONFLICT         the key was used for something else
│   ├── StaleError               CONFLICT         the memory changed since it was read
│   └── ForgottenError           CONFLICT         the key belonged to a memory that was forgotten
├── UnauthenticatedError         UNAUTHENTICATED  a token is missing or wrong
└── UnavailableError             UNAVAILABLE      store or embedder cannot answer now; retry with the same key
"""

from __future__ import annotations


class GraphmemError(Exception):
    """Base of all errors that a caller is meant to read.

    message says what is wrong, field names the input it is about ('' when none),
    remedy says what to do next.
    """

    code = "ERROR"

    def __init__(self, message: str, *, field: str = "", remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.remedy = remedy

    def __str__(self) -> str:
        where = f"{self.field}: " if self.field else ""
        then = f" ({self.remedy})" if self.remedy else ""
        return f"{where}{self.message}{then}"


class BadInputError(GraphmemError):
    """The call is malformed; sending it again unchanged cannot succeed."""

    code = "BAD_INPUT"


class TooLargeError(GraphmemError):
    """The call exceeds a documented limit."""

    code = "TOO_LARGE"


class NotFoundError(GraphmemError):
    """No such memory in this namespace. A foreign id looks exactly like an unknown one."""

    code = "NOT_FOUND"


class AmbiguousError(BadInputError):
    """A text reference fits several memories; candidates holds their refs."""

    def __init__(self, message: str, *, field: str, candidates: tuple[str, ...]) -> None:
        super().__init__(message, field=field, remedy=f"name one of {', '.join(candidates)}")
        self.candidates = candidates


class ConflictError(GraphmemError):
    """The idempotency key was already used with another payload; the first write stays."""

    code = "CONFLICT"


class StaleError(ConflictError):
    """The memory changed since it was read; read it again and repeat the change."""


class ForgottenError(ConflictError):
    """The key belonged to a memory that was forgotten; a retry does not bring it back."""


class UnauthenticatedError(GraphmemError):
    """A bearer token is required and was missing or wrong."""

    code = "UNAUTHENTICATED"


class UnavailableError(GraphmemError):
    """The store cannot answer now, or the outcome of a write is unknown: retry with the same key."""

    code = "UNAVAILABLE"
