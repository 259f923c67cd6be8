"""A store that waits longer than a user would: what is prepared is not measured, and machines do other work too."""

from __future__ import annotations

from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.config import Settings
from graphmem.ports.store import MemoryStore
from graphmem.wiring import open_target

DEADLINE_S = 120.0
"""How long a transaction may take."""


def patient_target(settings: Settings) -> MemoryStore:
    """The store that the settings name, brought up to date, to be closed by the caller."""
    if settings.store.startswith("sqlite:"):
        return open_target(settings)
    store = Neo4jStore(
        settings.store,
        user=settings.neo4j_user or None,
        password=settings.neo4j_password or None,
        database=settings.neo4j_database,
        deadline_s=DEADLINE_S,
    )
    store.migrate()
    return store
