"""From an exception to experiences: itself and what it came of, joined by traced causes, written at once."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from graphmem.domain.answers import Written
from graphmem.domain.causation import Grade
from graphmem.domain.drafts import CauseRef, ExperienceDraft
from graphmem.domain.memories import Result
from graphmem.entrypoints.capture.frames import MAX_CHAIN, error_name, message, own_frames, reasons, told
from graphmem.entrypoints.plain import drafted
from graphmem.wiring import Services

TRACED_CONFIDENCE = 0.9
"""Of an edge that the interpreter itself noted: `raise … from`, or raised while handling."""
_MARK = "__graphmem_captured__"


def record_chain(
    services: Services, namespace: str, error: Exception, action: str, fields: Mapping[str, Any]
) -> Written:
    """Write the failure of an action with the exceptions behind it. fields: as in ExperienceDraft.

    An exception that was written before in this store, by a block further in, is named as the cause and not
    written again. Raises GraphmemError.
    """
    drafts = _drafts(services, namespace, error, action, fields)
    written = services.remember.together(namespace, drafts)
    mark(error, services, namespace, written[-1].memory.id)
    return written[-1]


def mark(error: BaseException, services: Services, namespace: str, memory_id: str) -> None:
    """Note on an exception which memory it became."""
    try:
        setattr(error, _MARK, (id(services), namespace, memory_id))
    except (AttributeError, TypeError):
        return


def captured_as(error: BaseException, services: Services, namespace: str) -> str:
    """The memory that an exception became in this store, '' for none."""
    noted = getattr(error, _MARK, None)
    return str(noted[2]) if noted and noted[:2] == (id(services), namespace) else ""


def _drafts(
    services: Services, namespace: str, error: Exception, action: str, fields: Mapping[str, Any]
) -> list[ExperienceDraft]:
    """Drafts of the chain, causes before what they caused; the failed action is the last."""
    stem = f"capture:{secrets.token_hex(8)}"
    shared = {name: fields[name] for name in _SHARED & fields.keys()}
    own = _failed(error, {"action": action, **fields, "key": fields.get("key") or stem})
    known = captured_as(error, services, namespace)
    if known:
        return [replace(own, caused_by=(*own.caused_by, CauseRef(id=known, **_TRACED)))]
    drafts = {id(error): own}
    open_ends: list[BaseException] = [error]
    while open_ends:
        effect = open_ends.pop(0)
        for reason in reasons(effect):
            known = captured_as(reason, services, namespace)
            if not known and id(reason) not in drafts:
                if len(drafts) >= MAX_CHAIN:
                    continue
                key = f"{stem}:{len(drafts)}"
                drafts[id(reason)] = _failed(reason, {**shared, "action": _place(reason, action), "key": key})
                open_ends.append(reason)
            elif not known and _comes_of(drafts, drafts[id(reason)], drafts[id(effect)].key):
                continue
            ref = CauseRef(id=known, **_TRACED) if known else CauseRef(key=drafts[id(reason)].key, **_TRACED)
            named = drafts[id(effect)]
            drafts[id(effect)] = replace(named, caused_by=(*named.caused_by, ref))
    return _causes_first(list(drafts.values()))


_SHARED = frozenset({"session_id", "task_id", "task_type", "agent", "writer", "occurred_at", "tags"})
"""What the exceptions behind a failure have in common with it."""
_TRACED: Mapping[str, Any] = {
    "grade": Grade.TRACED,
    "confidence": TRACED_CONFIDENCE,
    "note": "exception chain",
}


def _failed(error: BaseException, fields: Mapping[str, Any]) -> ExperienceDraft:
    seen = {"error_type": error_name(error), "manifestation": message(error), "trace": told(error)}
    return drafted(ExperienceDraft, {**seen, **fields, "result": Result.FAILURE})


def _place(error: BaseException, otherwise: str) -> str:
    """Where an exception was raised, in the program's own words."""
    frames = own_frames(error.__traceback__)
    return f"{frames[-1].name}: {frames[-1].line}" if frames else otherwise


def _comes_of(drafts: Mapping[int, ExperienceDraft], draft: ExperienceDraft, key: str) -> bool:
    """Whether a draft is, or comes of, the one with a key: an edge back to it would close a circle."""
    by_key = {item.key: item for item in drafts.values()}
    names = [draft.key]
    seen: set[str] = set()
    while names:
        name = names.pop()
        if name == key:
            return True
        if name not in seen and name in by_key:
            seen.add(name)
            names += [ref.key for ref in by_key[name].caused_by if ref.key]
    return False


def _causes_first(drafts: list[ExperienceDraft]) -> list[ExperienceDraft]:
    """Drafts so ordered that each stands after all that it names; there is no circle among them."""
    ordered: list[ExperienceDraft] = []
    left = list(reversed(drafts))
    while left:
        waiting = {draft.key for draft in left}
        ready = [draft for draft in left if not any(ref.key in waiting for ref in draft.caused_by)]
        ordered += ready
        left = [draft for draft in left if draft not in ready]
    return ordered
