"""A failure as far as clustering and lessons look at it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from graphmem.analysis.tokens import has_han, language_of, tokenize
from graphmem.analysis.traditional import mainland
from graphmem.analysis.vectors import Floats, from_bytes
from graphmem.domain.memories import Experience, SearchField
from graphmem.domain.rules import error_class

_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure. account: what is compared, the outcome in words, or the situation where no outcome is told;
    vector: float32[d] of the same text, as the embedder made it, None where there is none.

    error_type and root_cause_type: '' = unknown; a root cause that a rule made does not count as known.
    """

    id: str
    account: str
    episode: str
    vector: Floats | None = None
    error_type: str = ""
    root_cause_type: str = ""
    situation: str = ""
    root_cause: str = ""
    correction: str = ""
    prevention: str = ""
    task_type: str = ""
    tool: str = ""

    @property
    def language(self) -> str:
        """'zh' or 'en', by the account."""
        return language_of(self.account)

    @property
    def kind(self) -> tuple[str, str]:
        """Normalised error type and root-cause type: where both failures have one, it must be the same."""
        return (error_class(self.error_type), self.root_cause_type)


def failure_of(memory: Experience) -> Failure:
    """The failure that an experience tells of.

    An outcome that holds an error type and nothing else says nothing of its own: a store may give the same one
    to everything. Then the situation is compared.
    """
    cause = memory.root_cause
    by_rule = cause is None or cause.source == "rule"
    told = memory.outcome if memory.outcome != memory.error_type else ""
    field = SearchField.OUTCOME if told else SearchField.SITUATION
    data = memory.vectors.get(field, b"")
    return Failure(
        id=memory.id,
        account=told or memory.situation,
        episode=memory.episode,
        vector=from_bytes(data, len(data) // 4) if data else None,
        error_type=memory.error_type,
        root_cause_type="" if cause is None or by_rule or cause.type is None else cause.type.value,
        situation=memory.situation,
        root_cause=cause.summary if cause else "",
        correction=memory.correction,
        prevention=cause.prevention if cause else "",
        task_type=memory.task_type,
        tool=memory.tool,
    )


@lru_cache(maxsize=16_384)
def words(text: str) -> tuple[str, ...]:
    """The words by which failures are compared: tokens without a digit, and every Han character by itself.

    Numbers, dates, codes and versions tell one occurrence from another, not what went wrong. Of two Chinese
    words for one thing a character is often the same: 连接池, 连接数, 空闲连接.
    """
    tokens = [token for token in tokenize(text) if not _DIGIT.search(token)]
    characters = [character for character in mainland(text) if has_han(character)] if has_han(text) else []
    return (*tokens, *characters)


def episodes(failures: Iterable[Failure]) -> int:
    """How many distinct episodes the failures are from."""
    return len({failure.episode for failure in failures})
