"""Changing a memory: checked like a new one, the old value kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graphmem.domain.drafts import MemoryUpdate
from graphmem.domain.errors import BadInputError, StaleError
from graphmem.domain.memories import (
    AnalysisState,
    Experience,
    Fact,
    Memory,
    Pattern,
    Strategy,
    searchable,
)
from graphmem.domain.rules import check_namespace, check_required, check_tags, title_of
from graphmem.ports.changes import Changes, Update
from graphmem.ports.store import MemoryStore
from graphmem.services.causes import require
from graphmem.services.drafting import experience_title
from graphmem.services.furnish import Furnish
from graphmem.services.intake import Clock, check_period, clean
from graphmem.services.open_work import settled, unanswered
from graphmem.services.teaching import retaught

BY_CALLER = "agent"
"""Source of a lesson or a generalization that a caller worded: no rule words it again."""
_ATTEMPTS = 100
"""How often a change that met another one is made again on the newer value: more often than clients change one
memory at the same moment, for at each meeting only one of them gets through.
"""
_MAIN_TEXT: dict[type[Memory], str] = {
    Fact: "statement",
    Experience: "action",
    Pattern: "lesson",
    Strategy: "guidance",
}
_EXPERIENCE_ONLY = ("context", "correction", "generalization", "error_type", "root_cause")


class Revise:
    """updateMemory: everything that is not named stays as it was."""

    def __init__(self, store: MemoryStore, furnish: Furnish, clock: Clock) -> None:
        self._store = store
        self._furnish = furnish
        self._clock = clock

    def update(self, namespace: str, wanted: MemoryUpdate) -> Memory:
        """The memory after the change, version + 1; the old value is kept as a version.

        Raises NotFoundError, BadInputError, TooLargeError, StaleError when expected_version is given and
        another one is stored.
        """
        check_namespace(namespace)
        cleaned, _ = clean(wanted)
        if cleaned.text is not None:
            check_required("text", cleaned.text)
        for _ in range(_ATTEMPTS):
            current = require(self._store, namespace, wanted.id)
            if wanted.expected_version not in (None, current.version):
                raise StaleError(
                    f"version {current.version} is stored", field="expected_version", remedy="read it again"
                )
            try:
                return self._commit(namespace, current, _changed(current, cleaned))
            except StaleError as error:
                self._furnish.again(namespace)
                lost = error
        raise lost

    def _commit(self, namespace: str, current: Memory, changed: Memory) -> Memory:
        if changed == current:
            return current
        at = self._clock()
        changes = Changes(namespace=namespace, at=at)
        if searchable(changed) != searchable(current):
            furnished = self._furnish(namespace, [changed], at)
            changed = furnished.memories[0]
            changes = furnished.changes(namespace, at)
        update = Update(memory=changed, expected_version=current.version)
        taught = retaught(self._store, current, changed)
        whole = settled(self._store, replace(changes, update=(update, *taught)), current, changed)
        return self._store.apply(whole).memories[0]


def _changed(current: Memory, wanted: MemoryUpdate) -> Memory:
    changes: dict[str, Any] = {}
    if wanted.text is not None:
        changes[_MAIN_TEXT[type(current)]] = wanted.text
    for name in _EXPERIENCE_ONLY:
        value = getattr(wanted, name)
        if value is None:
            continue
        if not isinstance(current, Experience):
            raise BadInputError("only experiences have this", field=name, remedy="leave it out")
        changes[name] = value
    changes |= _settled(current, wanted)
    if wanted.valid_to is not None:
        if not isinstance(current, Fact):
            raise BadInputError("only facts have this", field="valid_to", remedy="leave it out")
        changes["valid_to"] = wanted.valid_to
    if wanted.metadata is not None:
        changes["metadata"] = wanted.metadata
    kept = [tag for tag in current.tags if tag not in wanted.remove_tags]
    changes["tags"] = check_tags([*kept, *wanted.add_tags])
    changed = replace(current, **changes)
    if isinstance(changed, Fact) and changed.valid_from and changed.valid_to:
        check_period(changed.valid_from, changed.valid_to)
    if wanted.text is None and wanted.error_type is None:
        return changed
    title = experience_title(changed) if isinstance(changed, Experience) else title_of(changed.text)
    return replace(changed, title=title)


def _settled(current: Memory, wanted: MemoryUpdate) -> dict[str, Any]:
    """What a caller's own words settle: whose they are, and that a failure was analysed."""
    if isinstance(current, Pattern) and wanted.text is not None:
        return {"source": BY_CALLER}
    changes: dict[str, Any] = {}
    if isinstance(current, Experience) and wanted.generalization not in (None, current.generalization):
        changes["generalization_source"] = BY_CALLER
    if isinstance(current, Experience) and wanted.root_cause and unanswered(current):
        changes["analysis"] = AnalysisState.DONE
    return changes
