"""Many failures at once over HTTP, on both stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from graphmem.tooling.chains import hidden_confounders
from graphmem.tooling.neo4j import RunningServer
from tests.builders import caused, changes
from tests.histories import write
from tests.neo4j_fixture import patient_store
from tests.unit.entrypoints.graphql.door import Door, opened

NEO4J = pytest.param("neo4j", marks=[pytest.mark.neo4j, pytest.mark.timeout(900)])


@pytest.fixture(params=["sqlite", NEO4J])
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Door]:
    """The door over a namespace of its own."""
    given: dict[str, Any] = {"namespace": f"overview-{uuid4().hex}"}
    if request.param == "neo4j":
        server: RunningServer = request.getfixturevalue("neo4j_server")
        given["store"] = patient_store(server.bolt_uri)
    with opened(tmp_path, **given) as found:
        yield found


def minute(number: int) -> str:
    """A time on the day of the story."""
    return f"2026-03-01T08:{number:02}:00Z"


def test_from_the_fact_to_the_curve(door: Door) -> None:
    """A wrong fact led to three failures of four; one chain leads through the middle."""
    fact = door.fact("prices are in cents", validFrom=minute(0))
    last = fact
    for number, action in enumerate(("convert", "sum", "report"), start=1):
        last = door.experience(action, occurredAt=minute(number), causedBy=[{"id": last["id"]}])
    alone = door.experience("click", occurredAt=minute(9))
    found = door.run("priorities")
    assert (found["failures"], found["orphans"], found["cut"]) == (4, 1, 2)
    first, second = found["items"]
    assert (first["id"], first["failures"], first["gained"], first["covered"]) == (fact["id"], 3, 3, 0.75)
    assert [item["ref"] for item in first["causes"]] == [fact["ref"]]
    assert (second["id"], second["count"], second["covered"]) == (alone["id"], 1, 1.0)
    points = door.run("choke_points", limit=1)
    assert [(item["memory"]["title"], item["chains"]) for item in points] == [("convert", 2)]
    late = door.run("priorities", since=minute(5))
    assert (late["failures"], [item["id"] for item in late["items"]]) == (1, [alone["id"]])


def test_refusals_name_the_argument(door: Door) -> None:
    for operation in ("priorities", "choke_points"):
        answer = door.ask(
            f"{{ {operation.replace('choke_points', 'chokePoints')}(limit: 101) {{ __typename }} }}"
        )
        assert (answer.code, answer.field) == ("BAD_INPUT", "limit")


def test_kinds_of_failures(door: Door) -> None:
    """In a planted history links are told from what a hidden cause strikes."""
    history = hidden_confounders(120, 12)
    write(door.services.store, history, door.services.settings.namespace)
    door.services.overview.propagation(
        door.services.settings.namespace
    )  # reads the index: longer than a call may take
    found = door.run("propagation", limit=1000)
    assert (found["episodes"], found["needed"], found["unclassed"]) == (120, 100, 0)
    bonds = {(pair["causeClass"], pair["effectClass"]): pair["bond"] for pair in found["pairs"]}
    planted = {(a.lower(), b.lower()) for a, b in history.class_links}
    assert {pair for pair, bond in bonds.items() if bond == "LEADS_TO"} & planted
    first = found["pairs"][0]
    assert 0 < first["low"] < first["probability"] < first["high"] <= 1
    assert first["caused"] <= first["trials"]
    assert door.run("propagation", minTrials=1000)["pairs"] == []


def test_two_failures_of_one_cause(door: Door) -> None:
    """E-1 led to both; before somebody says so, the second has no known cause."""
    root = door.experience("read the prices", occurredAt=minute(0))
    one = door.experience("sum them", occurredAt=minute(1), causedBy=[{"id": root["id"]}])
    two = door.experience("write the report", occurredAt=minute(2))
    page = door.run("orphans", first=1)
    assert [item["ref"] for item in page["nodes"]] == [two["ref"]]
    assert page["pageInfo"]["hasNextPage"] is True
    rest = door.run("orphans", after=page["pageInfo"]["endCursor"])
    assert [item["ref"] for item in rest["nodes"]] == [root["ref"]]
    assert door.run("common_cause", a=one["ref"], b=two["ref"])["causes"] == []
    door.run("link_cause", input={"effect": two["id"], "cause": {"id": root["id"]}})
    found = door.run("common_cause", a=one["ref"], b=two["ref"])
    assert (found["relation"], found["confounded"]) == ("APART", True)
    assert [(item["memory"]["ref"], item["nearest"], item["hops"]) for item in found["causes"]] == [
        (root["ref"], True, [1, 1])
    ]
    answer = door.ask('{ commonCause(a: "E-1", b: "E-99") { relation } }')
    assert (answer.code, answer.field) == ("NOT_FOUND", "b")


def test_what_cannot_be(door: Door) -> None:
    """A circle of equal times, and a cause that an import brought with a later time."""
    one = door.experience("retry", occurredAt=minute(0))
    two = door.experience("time out", occurredAt=minute(0), causedBy=[{"id": one["id"]}])
    assert door.run("cycles") == []
    door.run("link_cause", input={"effect": one["id"], "cause": {"id": two["id"]}})
    (circle,) = door.run("cycles")
    assert {item["id"] for item in circle["memories"]} == {one["id"], two["id"]}
    assert door.run("time_violations") == []
    late = door.experience("much later", occurredAt=minute(30))
    services = door.services
    effect, cause = (services.browse.memory(services.settings.namespace, item["id"]) for item in (one, late))
    edge = caused(effect, cause, lag_ms=-1_800_000)
    services.store.apply(changes(edges=(edge,), namespace=services.settings.namespace))
    (found,) = door.run("time_violations")
    assert (found["effectId"], found["causeId"], found["lag"]) == (one["id"], late["id"], -1800.0)
