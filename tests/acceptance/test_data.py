"""Data frames and graphs from the Python library, on both stores."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import networkx as nx
import pandas as pd
import pytest

import graphmem
from graphmem.domain.causation import Grade
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.entrypoints import data_frames, library
from graphmem.entrypoints.library import GraphMemory
from graphmem.tooling.neo4j import RunningServer

NEO4J = pytest.param("neo4j", marks=[pytest.mark.neo4j, pytest.mark.timeout(900)])
LONG_AGO = datetime(2020, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


@pytest.fixture(params=["sqlite", NEO4J])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GraphMemory]:
    """A memory with words only, in a namespace of its own."""
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    if request.param == "neo4j":
        server: RunningServer = request.getfixturevalue("neo4j_server")
        url = server.bolt_uri
    with graphmem.open(url, namespace=f"data-{uuid4().hex}", embedder="none") as opened:
        yield opened


def story(memory: GraphMemory) -> tuple[str, str, str]:
    """A wrong fact, what it broke, and a failure whose cause was named wrongly. Their refs."""
    fact = memory.remember("价格以分为单位").memory
    first = memory.record(
        "read the prices",
        "FAILURE",
        error_type="app.UnitError",
        tool="reader",
        task_id="t1",
        tags=("prices", "weekly"),
        occurred_at=LONG_AGO,
    ).memory
    second = memory.record("send the report", "FAILURE", error_type="UnitError", task_id="t1").memory
    memory.record("look again", "SUCCESS", task_id="t2")
    memory.link(first.id, fact.id, confidence=0.9)
    memory.link(second.id, first.id, confidence=0.8)
    memory.link(second.id, fact.id)
    memory.review(second.id, fact.id, "refute", "seen in the log")
    return fact.ref, first.ref, second.ref


def test_experiences_as_a_frame(memory: GraphMemory) -> None:
    _, first, second = story(memory)
    frame = memory.frame("experiences")
    assert list(frame.columns) == list(data_frames.EXPERIENCES)
    assert list(frame["ref"]) == [first, second, "E-3"]
    row = frame.iloc[0]
    assert (row["action"], row["error_class"], row["tool"]) == ("read the prices", "uniterror", "reader")
    assert row["occurred_at"] == pd.Timestamp(LONG_AGO)
    assert row["tags"] == ("prices", "weekly")
    assert frame.groupby("episode")["failed"].sum().to_dict() == {"t1": 2, "t2": 0}
    assert frame.index.is_unique


def test_edges_as_a_frame_that_joins_the_experiences(memory: GraphMemory) -> None:
    _, first, second = story(memory)
    edges, refs = memory.frame("edges"), memory.frame("experiences")["ref"]
    assert list(edges.columns) == list(data_frames.EDGES)
    assert list(edges["effect_id"].map(refs)) == [first, second, second]
    assert list(edges["active"]) == [True, True, False]
    assert list(edges["confidence"]) == [0.9, 0.8, 0.0]
    assert list(edges["verdict"]) == ["", "", "REFUTE"]
    assert list(edges["grade"].isna()) == [False, False, True]
    assert (edges["grade"] >= "ASSERTED").sum() == 2
    assert edges["lag"].iloc[0] == 0
    assert edges["lag"].iloc[1] > 1e8


def test_exposures_as_a_frame(memory: GraphMemory) -> None:
    memory.record("copy the disk", "FAILURE", tool="bash", error_type="OSError")
    (reminder,) = memory.recall("copy the disk", session_id="s").reminders
    memory.answer(reminder.exposure_id, "applied")
    memory.record("copy the disk", "SUCCESS", tool="bash", session_id="s")
    memory.end_session("s")
    frame = memory.frame("exposures")
    assert list(frame.columns) == list(data_frames.EXPOSURES)
    assert list(frame.index) == [reminder.exposure_id]
    row = frame.iloc[0]
    assert (row["session_id"], row["outcome"], row["answer"], row["shown"]) == (
        "s",
        "AVOIDED",
        "APPLIED",
        True,
    )
    assert frame.attrs == {"truncated": False}


@pytest.mark.parametrize("name", ["experiences", "edges", "exposures"])
def test_an_empty_frame_has_the_dtypes_of_a_full_one(memory: GraphMemory, name: str) -> None:
    empty = memory.frame(name)
    story(memory)
    memory.recall("read the prices", session_id="s")
    full = memory.frame(name)
    assert len(full) > len(empty) == 0
    assert dict(empty.dtypes) == dict(full.dtypes)


def test_a_graph_to_compute_with(memory: GraphMemory) -> None:
    fact, first, second = story(memory)
    graph = memory.graph()
    by_ref = {data["ref"]: node for node, data in graph.nodes(data=True)}
    assert nx.descendants(graph, by_ref[second]) == {by_ref[first], by_ref[fact]}
    assert [(kind, data["grade"]) for *_, kind, data in graph.edges(keys=True, data=True)] == [
        ("CAUSED_BY", "ASSERTED"),
        ("CAUSED_BY", "ASSERTED"),
    ]
    assert graph.nodes[by_ref[first]]["error_class"] == "uniterror"
    assert graph.nodes[by_ref[fact]]["title"] == "价格以分为单位"
    assert graph.edges[by_ref[first], by_ref[fact], "CAUSED_BY"]["confidence"] == 0.9
    assert memory.graph(min_grade="confirmed").number_of_edges() == 0
    assert memory.graph(min_grade=Grade.ASSERTED).number_of_edges() == 2


def test_a_graph_as_it_was(memory: GraphMemory) -> None:
    _, _, second = story(memory)
    before = memory.show(second).recorded_at
    past = memory.graph(as_of=before)
    assert (past.number_of_nodes(), past.number_of_edges()) == (3, 0)
    memory.update(second, correction="convert first")
    assert memory.graph().number_of_nodes() == 4


def test_refusals_say_what_to_do(memory: GraphMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInputError) as caught:
        memory.frame("memories")
    assert (caught.value.field, caught.value.remedy) == ("name", "experiences, edges or exposures")
    with pytest.raises(BadInputError) as caught:
        memory.graph(min_grade="sure")
    assert caught.value.field == "min_grade"
    monkeypatch.setattr(library, "FRAMES", "graphmem_without_pandas")
    with pytest.raises(UnavailableError) as away:
        memory.frame("edges")
    assert "graphmem[lab]" in away.value.remedy
