"""A server that was away is warmed up in the background when it is back, before anybody writes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from threading import enumerate as threads

import pytest

from graphmem.adapters.neo4j import warming
from graphmem.adapters.neo4j.store import Neo4jStore
from graphmem.domain.errors import BadInputError, UnavailableError
from tests.unit.adapters.neo4j.test_deadlines import free_port

NAME = "graphmem-neo4j-warm-up"


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception, int], list[object]]:
    """Lets warming up fail so many times; the tries, as they come."""

    def let_fail(error: Exception, times: int) -> list[object]:
        made: list[object] = []

        def warm_up(server: object) -> None:
            made.append(server)
            if len(made) <= times:
                raise error

        monkeypatch.setattr(warming, "warm_up", warm_up)
        monkeypatch.setattr(warming, "_PAUSE_S", 0.001)
        return made

    return let_fail


def end() -> None:
    """Wait until nothing is warmed up any more."""
    for thread in threads():
        if thread.name == NAME:
            thread.join(10)
            assert not thread.is_alive()


def test_a_server_that_was_away_is_waited_for(tries: Callable[[Exception, int], list[object]]) -> None:
    made = tries(UnavailableError("away"), 3)
    with closing(Neo4jStore(f"bolt://127.0.0.1:{free_port()}", deadline_s=1.0)) as store:
        for rounds in (4, 5):
            with pytest.raises(UnavailableError):
                store.state("x")
            end()
            assert len(made) >= rounds
    end()


def test_it_asks_less_and_less_often(
    tries: Callable[[Exception, int], list[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, waited = tries(UnavailableError("away"), 7), []
    monkeypatch.setattr(warming, "_PAUSE_S", 1.0)
    warming.Returning(object(), waited.append).begin()  # type: ignore[arg-type]
    end()
    assert waited == [1, 2, 4, 8, 15, 15, 15]
    assert len(made) == 8


def test_a_call_that_gets_through_ends_the_pause(
    tries: Callable[[Exception, int], list[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tries(UnavailableError("away"), 1)
    monkeypatch.setattr(warming, "_PAUSE_S", 3_600.0)
    with closing(Neo4jStore(f"bolt://127.0.0.1:{free_port()}", deadline_s=1.0)) as store:
        with pytest.raises(UnavailableError):
            store.state("x")
        assert store._server.read(lambda session: "an answer") == "an answer"
        end()
        assert len(made) == 2


@pytest.mark.parametrize("error", [UnavailableError("away"), BadInputError("newer")], ids=["away", "newer"])
def test_it_is_not_waited_for_in_vain(
    tries: Callable[[Exception, int], list[object]], error: Exception
) -> None:
    """A database of another version is never warm; a closed store waits for none."""
    made = tries(error, 10**9)
    with closing(Neo4jStore(f"bolt://127.0.0.1:{free_port()}", deadline_s=1.0)) as store:
        with pytest.raises(UnavailableError):
            store.state("x")
        if isinstance(error, BadInputError):
            end()
    end()
    assert made
