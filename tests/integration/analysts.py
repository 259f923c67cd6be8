"""An analyst as a process of its own, for the tests that kill it.

    python -m tests.integration.analysts STORE NAME HOURS

claims work one by one and answers it until nothing waits. It says each id before it answers and after. HOURS: how far
its clock is ahead, so that the leases of those that were killed have run out.
"""

from __future__ import annotations

import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta

from graphmem.config import Settings
from graphmem.domain.analyses import AnalysisDraft
from graphmem.domain.memories import RootCause
from graphmem.wiring import build
from tests.integration.writers import open_store, tell

NAMESPACE = "analysts"


def main(place: str, name: str, hours: str) -> None:
    """Answer what waits."""
    ahead = timedelta(hours=float(hours))
    settings = Settings(store="sqlite:///told.db", embedder="none", namespace=NAMESPACE)
    services = build(settings, store=open_store(place), clock=lambda: datetime.now(UTC) + ahead)
    with closing(services):
        while items := services.analyse.claim(NAMESPACE, name, 1):
            (item,) = items
            cause = RootCause(summary=f"found by {name} at try {item.attempt}")
            draft = AnalysisDraft(work_id=item.id, owner=name, attempt=item.attempt, root_cause=cause)
            tell("answering", item.id)
            services.analyse.submit(NAMESPACE, draft)
            tell("answered", item.id)


if __name__ == "__main__":
    main(*sys.argv[1:])
