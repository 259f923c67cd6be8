"""A small incident, told through the door: a wrong setting led to an empty table, and that to a crash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.unit.entrypoints.graphql.door import Door

SITUATION = "Clean the price column of the nightly import"

CONTEXT = "prices_2026 has 0 rows"
REPEAT = f"{SITUATION}: {CONTEXT}"


@dataclass(frozen=True)
class Incident:
    """What was written, by the role it plays."""

    setting: dict[str, Any]
    empty: dict[str, Any]
    crash: dict[str, Any]
    fixed: dict[str, Any]

    @property
    def chain(self) -> list[str]:
        """Ids from the failure seen to its root."""
        return [self.crash["id"], self.empty["id"], self.setting["id"]]


def incident(door: Door, namespace: str | None = None) -> Incident:
    """Write the incident."""
    setting = door.fact(
        "The import reads the folder /srv/prices",
        namespace,
        key="setting",
        validFrom="2026-01-01T00:00:00Z",
        occurredAt="2026-02-28T00:00:00Z",
    )
    shared = {"taskId": "nightly-7", "taskType": "import", "agent": "importer"}
    empty = door.experience(
        "Read the price files",
        namespace,
        key="read",
        result="PARTIAL",
        output="0 rows in table prices_2026",
        manifestation="the table is empty",
        tool="reader",
        occurredAt="2026-03-01T02:00:00.250Z",
        causedBy=[{"key": "setting", "confidence": 0.9, "note": "the folder was moved in March"}],
        **shared,
    )
    crash = door.experience(
        SITUATION,
        namespace,
        key="clean",
        context=CONTEXT,
        errorType="IndexError",
        manifestation="list index out of range",
        correction="return an empty list when there are no rows",
        tool="cleaner",
        occurredAt="2026-03-01T02:00:03Z",
        causedBy=[{"text": "price files"}],
        **shared,
    )
    fixed = door.experience(
        SITUATION, namespace, key="again", result="SUCCESS", occurredAt="2026-03-02T02:00:00Z", tool="cleaner"
    )
    return Incident(setting, empty, crash, fixed)
