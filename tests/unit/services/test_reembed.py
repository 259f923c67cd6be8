"""Another embedder: no question is ever compared with vectors of another space."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from graphmem.adapters.embedders.both import Both
from graphmem.adapters.embedders.e5_small import E5Small
from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.adapters.embedders.use_multilingual import UseMultilingual
from graphmem.adapters.sqlite.store import SqliteStore
from graphmem.analysis.tokens import language_of
from graphmem.domain.answers import RecallMode, ReembedProgress, ReembedReport
from graphmem.domain.drafts import CauseLink, MemoryUpdate
from graphmem.domain.errors import BadInputError, GraphmemError, NotFoundError
from graphmem.domain.memories import SearchField
from graphmem.domain.records import RecordKind
from graphmem.ports.embedder import Embedder
from graphmem.wiring import Services
from tests.builders import NS, changed
from tests.contract.model_store import ModelStore
from tests.contract.reading import found, put, records_of
from tests.services import (
    DIMENSION,
    asked,
    because,
    failed,
    listed,
    opened,
    remembered,
    services_over,
)
from tests.unit.services.spaces import OTHER, after, batch, before, lengths, said, store, story

__all__ = ["after", "batch", "before", "store"]


def test_every_memory_gets_vectors_of_the_new_space(after: Services) -> None:
    before = found(after.store)
    told: list[ReembedProgress] = []
    report = after.reembed.reembed(NS, told.append)
    assert report == ReembedReport(namespace=NS, space="hash:signed-features", memories=10)
    assert lengths(after.store) == {OTHER}
    assert said(found(after.store)) == said(before)
    assert [(how.done, how.total) for how in told] == [(3, 10), (6, 10), (9, 10), (10, 10)]
    assert records_of(after.store, RecordKind.VERSION) == []


def test_the_memory_is_as_if_it_had_been_written_so(after: Services) -> None:
    """Vectors and answers are those of a memory that never knew another space."""
    after.reembed.reembed(NS)
    fresh = services_over(ModelStore(), embedder=HashingEmbedder(OTHER))
    story(fresh)
    vectors = {memory.ref: memory.vectors for memory in found(fresh.store) if memory.vectors}
    assert {memory.ref: memory.vectors for memory in found(after.store) if memory.ref in vectors} == vectors
    assert [(hit.memory.ref, hit.similarity) for hit in listed(asked(after, "copy the disk"))] == [
        (hit.memory.ref, hit.similarity) for hit in listed(asked(fresh, "copy the disk"))
    ]


def test_it_is_said_in_every_process(before: Services, after: Services) -> None:
    """Before: words only for the new one. Meanwhile: for both. After: for the old one."""
    assert asked(before, "disk").mode is RecallMode.HYBRID
    assert asked(after, "disk").mode is RecallMode.LEXICAL
    assert "words only" in after.inspect.status(NS).notes[0]

    def look(_: ReembedProgress) -> None:
        for services in (before, after):
            answer = asked(services, "disk 2")
            assert answer.mode is RecallMode.LEXICAL
            assert all(hit.similarity is None for hit in listed(answer))
            assert listed(answer)
            assert "being made anew" in services.inspect.status(NS).notes[0]

    after.reembed.reembed(NS, look)
    assert asked(before, "disk").mode is RecallMode.LEXICAL
    assert asked(after, "disk").mode is RecallMode.HYBRID
    assert after.inspect.status(NS).notes == ()
    wrong = [item for item in before.inspect.doctor(NS, None, before.recall) if not item.ok]
    assert "graphmem reembed" in wrong[0].remedy


def test_writers_of_the_old_space_are_not_mixed_in(before: Services, after: Services) -> None:
    """What they write meanwhile has no vectors until a worker of the new space makes them."""
    seen: list[bool] = []

    def write(how: ReembedProgress) -> None:
        seen.append(remembered(before, f"written at {how.done}").embedded)
        before.revise.update(NS, MemoryUpdate(id="F-1", text=f"changed at {how.done}"))

    after.reembed.reembed(NS, write)
    assert set(seen) == {False}
    assert lengths(after.store) == {OTHER, 0}
    assert before.maintain.embed_pending(NS) == 0
    assert after.maintain.embed_pending(NS) > 0
    assert lengths(after.store) == {OTHER}


def test_writers_of_the_new_space_write_its_vectors(after: Services) -> None:
    seen: list[bool] = []
    after.reembed.reembed(NS, lambda how: seen.append(remembered(after, f"at {how.done}").embedded))
    assert len(seen) > 3
    assert all(seen)
    assert lengths(after.store) == {OTHER}


def test_what_changes_meanwhile_is_met_all_the_same(before: Services, after: Services) -> None:
    """Tags, edges and forgetting move memories in the feed, or take them away, while the job passes."""

    def write(how: ReembedProgress) -> None:
        if how.done == 3:
            for ref in ("F-2", "E-2", "E-5"):
                before.revise.update(NS, MemoryUpdate(id=ref, add_tags=("seen",)))
            cause = because(before.browse.memory(NS, "F-3").id)[0]
            before.link.link(NS, CauseLink(effect="E-1", cause=cause, by="a"))
            before.forget.forget(NS, "E-4")

    after.reembed.reembed(NS, write)
    assert lengths(after.store) == {OTHER}


def test_a_batch_that_meets_a_change_is_made_again(store: SqliteStore, before: Services) -> None:
    """A memory that changes between reading and writing keeps its change."""
    seen: list[bool] = []

    class Meanwhile(HashingEmbedder):
        """Lets another process change a memory while a batch is embedded."""

        def embed(self, texts: list[str]) -> list[bytes]:  # type: ignore[override]
            if not seen and len(texts) > 1:
                seen.append(True)
                memory = store.get(NS, ["F-1"])["F-1"]
                put(store, update=(changed(memory, tags=("new",)),))
            return super().embed(texts)

    services_over(store, embedder=Meanwhile(OTHER)).reembed.reembed(NS)
    assert seen
    assert store.get(NS, ["F-1"])["F-1"].tags == ("new",)
    assert lengths(store) == {OTHER}


def test_bad_vectors_are_made_good(store: SqliteStore, before: Services, after: Services) -> None:
    """Vectors of any length, by a hand in the database, are replaced as well."""
    memory = store.get(NS, ["F-1"])["F-1"]
    put(store, update=(changed(memory, vectors={SearchField.TEXT: b"\0\0\xc0\x7f" * 7}),))
    after.reembed.reembed(NS)
    assert lengths(store) == {OTHER}
    assert after.inspect.status(NS).bad_vectors == 0


def test_a_memory_that_had_only_words_gets_vectors(tmp_path: Path) -> None:
    with opened(tmp_path / "words.db", words_only=True) as words:
        story(words)
    with opened(tmp_path / "words.db", seed=5) as services:
        assert services.reembed.reembed(NS).memories == 10
        assert lengths(services.store) == {DIMENSION}
        assert asked(services, "disk").mode is RecallMode.HYBRID


@pytest.mark.parametrize(
    ("given", "namespace", "error"),
    [({"words_only": True}, NS, BadInputError), ({}, "other", NotFoundError)],
    ids=["no embedder", "no namespace"],
)
def test_it_is_refused(
    store: SqliteStore, before: Services, given: dict[str, bool], namespace: str, error: type[GraphmemError]
) -> None:
    services = services_over(store, **given)  # type: ignore[arg-type]
    state = store.state(NS)
    with pytest.raises(error) as caught:
        services.reembed.reembed(namespace)
    assert caught.value.remedy
    assert store.state(NS) == state


@pytest.mark.parametrize(
    ("other", "dimension"), [(UseMultilingual, 512), (lambda: Both(language_of), 896)], ids=["use", "both"]
)
def test_there_and_back_with_real_models(
    tmp_path: Path, other: Callable[[], Embedder], dimension: int
) -> None:
    """From e5-small to another one and back: the vectors are those of the beginning, to the last bit."""
    path = tmp_path / "real.db"
    vectors, dimensions = [], []
    for model in (E5Small, other, E5Small):
        with opened(path, embedder=model(), seed=len(vectors)) as services:
            if not vectors:
                remembered(services, "磁盘已满，备份失败")
                remembered(services, "the backup failed, the disk is full")
                failed(services, "copy the disk", correction="look first")
            services.reembed.reembed(NS)
            answer = asked(services, "存储空间不足")
            assert answer.mode is RecallMode.HYBRID
            vectors.append({memory.id: memory.vectors for memory in found(services.store)})
            dimensions.append(lengths(services.store))
    assert dimensions == [{384}, {dimension}, {384}]
    assert vectors[0] == vectors[2]
