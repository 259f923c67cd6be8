"""A ref may be typed in small letters wherever one is asked for."""

from __future__ import annotations

import pytest

from graphmem.domain.causation import VerdictKind
from graphmem.domain.drafts import CauseLink, CauseRef, CauseReview, FactDraft, MemoryUpdate
from graphmem.domain.errors import NotFoundError
from graphmem.domain.identifiers import spellings
from graphmem.services.what_if import what_if
from graphmem.wiring import Services
from tests.builders import NS
from tests.services import failed, remembered


def test_every_verb_takes_it(services: Services) -> None:
    remembered(services, "the disk is full")
    failed(services, "copy", caused_by=(CauseRef(id="f-1"),))
    failed(services, "move")
    assert services.browse.memory(NS, "e-1").ref == "E-1"
    assert [item.ref for item in services.explain.impact(NS, "f-1").nodes] == ["F-1", "E-1"]
    services.link.link(NS, CauseLink(effect="e-2", cause=CauseRef(id="e-1")))
    services.link.review(NS, CauseReview(effect="e-2", cause="e-1", verdict=VerdictKind.CONFIRM))
    assert services.revise.update(NS, MemoryUpdate(id="e-2", correction="free it")).ref == "E-2"
    found = services.explain.explain(NS, "e-2")
    assert what_if(found, ["f-1"]) == what_if(found, ["F-1"])
    assert services.oddities.common_cause(NS, "e-1", "e-2").first.ref == "E-1"
    newer = services.remember.fact(NS, FactDraft(statement="the disk is empty", supersedes=("f-1",)))
    assert newer.memory.ref == "F-2"
    assert services.forget.forget(NS, "e-2").refs == ("E-2",)


@pytest.mark.parametrize("name", ["e-9", "x-1", "e-", "e1", "", "ｅ-1"])
def test_what_names_nothing_still_names_nothing(services: Services, name: str) -> None:
    failed(services, "copy")
    with pytest.raises(NotFoundError):
        services.browse.memory(NS, name)


def test_an_id_that_looks_like_one_goes_first() -> None:
    assert spellings("e-1") == ("e-1", "E-1")
    assert spellings("E-1") == ("E-1",)
    assert spellings("order-7") == ("order-7",)
