"""The demo leaves the same memory in both stores, told at the same times, under the same ids."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest

from graphmem.config import SQLITE_PREFIX, Settings
from graphmem.tooling.demo import Clock, Play, numbered_ids
from graphmem.tooling.neo4j import RunningServer
from graphmem.wiring import build
from tests.acceptance.test_demo import Notes

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(600)]


def left_by(store: str, namespace: str, language: str) -> tuple[int, Notes]:
    """The digest of what the demo leaves in a store, and what it showed."""
    notes = Notes()
    settings = Settings(store=store, embedder="hash", embed_timeout_s=60)
    with closing(build(settings, clock=Clock(), new_id=numbered_ids())) as services:
        Play(services, namespace, language, notes).show()
        return services.store.state(namespace).digest, notes


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_demo_is_one_story_on_both_stores(
    neo4j_server: RunningServer, tmp_path: Path, language: str
) -> None:
    namespace = f"demo-{uuid4().hex[:8]}"
    here, shown_here = left_by(f"{SQLITE_PREFIX}{tmp_path / 'memory.db'}", namespace, language)
    there, shown_there = left_by(neo4j_server.bolt_uri, namespace, language)
    assert here == there
    assert shown_here.tables == shown_there.tables
    assert [item.root_causes for item in shown_here.explained] == [
        item.root_causes for item in shown_there.explained
    ]
