"""The way to the server breaks: it is gone, stands still, or is cut off in the middle of an answer.

Writes are refused with a typed error in time, reads too, and never look like an empty memory; when the way is there
again, the same process goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from graphmem.config import Settings
from graphmem.domain.errors import UnavailableError
from graphmem.domain.memories import MemoryKind
from graphmem.entrypoints.graphql.app import create_app
from graphmem.tooling.neo4j import RunningServer
from graphmem.wiring import Services, build
from tests.contract.reading import found
from tests.integration.asking import READS, all_are_answered, all_are_refused, answer_or_refusal, begin
from tests.services import failed
from tests.tcp_proxy import Proxy, proxied
from tests.unit.entrypoints.graphql.door import Door

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(300)]

MOST_ANSWERS = 100
"""A write has fewer pieces of answer than this."""


@pytest.fixture
def proxy(neo4j_server: RunningServer) -> Iterator[Proxy]:
    """What stands between the service and the shared server."""
    port = urlsplit(neo4j_server.bolt_uri).port
    assert port is not None
    with proxied(port) as standing:
        yield standing


@pytest.fixture
def services(proxy: Proxy) -> Iterator[Services]:
    """The services as they are put together for a user, behind the proxy."""
    settings = Settings(store=f"bolt://127.0.0.1:{proxy.port}", embedder="hash")
    with closing(build(settings)) as made:
        yield made


@pytest.fixture
def door(services: Services) -> Iterator[Door]:
    """GraphQL over the same services."""
    with TestClient(create_app(services), base_url="http://127.0.0.1:8000") as client:
        yield Door(services, client)


@pytest.fixture
def namespace(services: Services) -> str:
    """A namespace of its own, with a small story in it."""
    name = f"outage {uuid4()}"
    begin(services, name)
    return name


BREAK: dict[str, Callable[[Proxy], None]] = {
    "stalled": Proxy.stall,
    "cut": lambda proxy: proxy.cut(1, lasting=True),
}


@pytest.mark.parametrize("how", BREAK)
def test_every_verb_is_refused_in_time_and_answered_again(
    proxy: Proxy, services: Services, door: Door, namespace: str, how: str
) -> None:
    before = services.store.state(namespace)
    BREAK[how](proxy)
    all_are_refused(services, namespace, door)
    proxy.forward()
    all_are_answered(services, namespace, door)
    if how == "cut":  # a commit that stood in the way for a while may still arrive
        assert services.store.state(namespace) == before


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from there on"])
def test_a_write_that_is_cut_off_anywhere_is_stored_once(
    proxy: Proxy, services: Services, namespace: str, lasting: bool
) -> None:
    """Each piece of an answer to a write is cut; the same key, sent again, tells the outcome."""
    unknown = 0
    for number in count(1):
        key = f"key {number}"
        proxy.cut(number, lasting=lasting)
        first = answer_or_refusal(lambda key=key: failed(services, key, namespace, key=key))  # type: ignore[misc]
        cut = proxy.cuts
        proxy.forward()
        again = failed(services, key, namespace, key=key)
        if isinstance(first, UnavailableError):
            assert "retry" in first.remedy
            unknown += 1
        else:
            assert (again.created, again.memory.id) == (False, first.memory.id)
        if not cut:
            break
        assert number < MOST_ANSWERS
    assert number > 3
    assert unknown or not lasting  # what is cut once is tried again, unless it was the answer to the commit
    experiences = found(services.store, namespace, kinds=(MemoryKind.EXPERIENCE,))
    stored = [item.text for item in experiences if item.text.startswith("key")]
    assert sorted(stored) == sorted(f"key {each}" for each in range(1, number + 1))
    assert services.inspect.status(namespace).digest_matches


@pytest.mark.parametrize("name", ["ask", "explain", "memories"])
def test_a_read_that_is_cut_off_once_is_whole_or_refused(
    proxy: Proxy, services: Services, namespace: str, name: str
) -> None:
    """A cut answer is never taken for a short one."""
    read = READS[name]
    whole = _shown(read(services, namespace))
    for number in count(1):
        proxy.cut(number)
        answer = answer_or_refusal(lambda: read(services, namespace))
        assert isinstance(answer, UnavailableError) or _shown(answer) == whole
        cut = proxy.cuts
        proxy.forward()
        if not cut:
            break
        assert number < MOST_ANSWERS
    assert number > 1


def _shown(answer: object) -> list[str]:
    """The refs that an answer shows, in its order."""
    return [word.split("'")[0] for word in repr(answer).split("ref='")[1:]]
