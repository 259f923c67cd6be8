"""A memory whose embedder is behind an OpenAI-compatible address: a scripted server on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from graphmem.adapters.embedders.openai_endpoint import OpenAIEndpoint
from graphmem.config import Settings, from_environment
from graphmem.domain.answers import RecallMode
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.wiring import Services, build, open_embedder
from tests.builders import NS
from tests.contract.reading import found
from tests.endpoint import DIMENSION, SECRET, serving
from tests.receiver import Receiver
from tests.services import asked, failed, opened, remembered


def settings(server: Receiver, folder: Path) -> Settings:
    """A memory in the folder whose embedder is the server."""
    environment = {
        "GRAPHMEM_EMBEDDER": "openai:m-1",
        "GRAPHMEM_EMBED_URL": f"{server.url}/v1",
        "GRAPHMEM_EMBED_KEY": SECRET,
        "GRAPHMEM_STORE": f"sqlite:///{folder}/memory.db",
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_DATA_HOME": str(folder),
    }
    return from_environment(environment)


@contextmanager
def memory(server: Receiver, folder: Path) -> Iterator[Services]:
    """The memory, opened."""
    services = build(settings(server, folder))
    try:
        yield services
    finally:
        services.close()


def test_the_settings_choose_model_address_and_key(tmp_path: Path) -> None:
    with serving() as server:
        given = settings(server, tmp_path)
        made = open_embedder(given)
        assert isinstance(made, OpenAIEndpoint)
        made.embed(["x"])
    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {SECRET}"}
    assert "s3cret" not in repr(given)
    for model_name in ("openai:", "openai: "):
        with pytest.raises(BadInputError, match="openai:MODEL"):
            open_embedder(from_environment({}, embedder=model_name))
    for url in ("ftp://x", "http://user:s3cret@host/v1", "nothing"):
        with pytest.raises(BadInputError) as caught:
            from_environment({"GRAPHMEM_EMBED_URL": url})
        assert caught.value.field == "GRAPHMEM_EMBED_URL"
        assert "s3cret" not in str(caught.value)


def test_secrets_do_not_leave_the_machine(tmp_path: Path) -> None:
    """Neither those of memories nor those of questions; beside the cut at 8,192 characters as well."""
    with serving() as server, memory(server, tmp_path) as services:
        remembered(services, f"the key is {SECRET}")
        failed(
            services, "log in", context=f"password=hunter2hunter2 {SECRET}", manifestation=f"refused {SECRET}"
        )
        asked(services, f"log in with {SECRET}", concern=f"password=hunter2hunter2 {SECRET}")
        asked(services, "x" * 8_180 + f" {SECRET}")
    sent = json.dumps(server.messages)
    assert "log in with" in sent
    for part in ("s3cret", "hunter2", SECRET[:10]):
        assert part not in sent


def test_what_is_written_while_it_is_away_gets_its_vectors_later(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Also by a process that starts while it is away, once it was met."""
    with serving() as server, memory(server, tmp_path) as services:
        assert remembered(services, "the disk is full").embedded
        server.statuses[:] = [503]
        assert not remembered(services, "the backup failed").embedded
        assert asked(services, "the backup").mode is RecallMode.LEXICAL
        assert [
            finding.what for finding in services.inspect.doctor(NS, None, services.recall) if not finding.ok
        ] == ["embedder openai:m-1 does not answer"]
        with memory(server, tmp_path) as another:
            assert not remembered(another, "the night was long").embedded
        server.statuses[:] = [200]
        assert services.maintain.embed_pending(NS) == 2
        assert asked(services, "the backup").mode is RecallMode.HYBRID
        assert {len(data) for memory in found(services.store) for data in memory.vectors.values()} == {
            4 * DIMENSION
        }
    assert "s3cret" not in caplog.text
    assert "embedder failed: embedder: the embedder's endpoint answered 503 (try again later" in caplog.text


def test_a_namespace_is_moved_into_its_space(tmp_path: Path) -> None:
    with opened(tmp_path / "memory.db") as services:
        remembered(services, "the disk is full")
    with serving() as server, memory(server, tmp_path) as services:
        assert services.inspect.status(NS).mode is RecallMode.LEXICAL
        assert services.reembed.reembed(NS).space == "openai:m-1"
        status = services.inspect.status(NS)
        assert (status.embedder, status.mode) == ("openai:m-1", RecallMode.HYBRID)


def test_without_the_sdk_the_remedy_is_its_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "graphmem.adapters.embedders.openai_endpoint")
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(UnavailableError) as caught:
        open_embedder(from_environment({}, embedder="openai:m-1"))
    assert (caught.value.field, caught.value.remedy) == ("embedder", "pip install 'graphmem[llm]'")


def test_the_sdk_is_not_imported_before_its_use() -> None:
    script = (
        "import sys; from graphmem.config import Settings; from graphmem.wiring import open_embedder\n"
        "open_embedder(Settings(store='sqlite:///x.db', embedder='both')); print('openai' in sys.modules)\n"
        "open_embedder(Settings(store='sqlite:///x.db', embedder='openai:m')); print('openai' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["False", "True"]


def test_the_first_start_needs_it(tmp_path: Path) -> None:
    """Nothing is promised that would not be kept."""
    with serving([503]) as server:
        server.sent["retry-after"] = "0.01"
        with pytest.raises(UnavailableError, match="first start") as caught:
            build(settings(server, tmp_path))
    assert "later" not in caught.value.remedy
