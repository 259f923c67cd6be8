"""A temporary store that holds what a benchmark needs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from graphmem.config import Settings
from graphmem.domain.drafts import ExperienceDraft
from graphmem.wiring import Services, build


@contextmanager
def filled_with(drafts: Sequence[ExperienceDraft], embedder: str) -> Iterator[Services]:
    """Services over a temporary SQLite file with the drafts written to 'main', closed and removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        services = build(
            Settings(store=f"sqlite:///{folder}/memory.db", embedder=embedder, embed_timeout_s=60)
        )
        try:
            if drafts:
                services.remember.many("main", drafts)
            yield services
        finally:
            services.close()
