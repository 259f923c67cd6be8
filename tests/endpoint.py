"""A scripted endpoint for embeddings on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from graphmem.adapters.embedders.hashing import HashingEmbedder
from tests import receiver
from tests.receiver import Receiver, receiving

DIMENSION = 48
WORDS = HashingEmbedder(DIMENSION)
SECRET = "sk-proj-s3cretS3cretS3cretS3cretS3cret42"


def vectors(texts: Sequence[str]) -> list[list[float]]:
    """What the scripted model answers."""
    return [np.frombuffer(data, "<f4").tolist() for data in WORDS.embed(texts)]


def answer(rows: Sequence[Any], places: Sequence[int] | None = None) -> str:
    """The body of a server's answer."""
    items = [
        {"object": "embedding", "index": place, "embedding": row}
        for place, row in zip(places or range(len(rows)), rows, strict=True)
    ]
    return json.dumps({"object": "list", "model": "m", "data": items, "usage": {"total_tokens": 1}})


@contextmanager
def serving(statuses: Sequence[int] = (200,)) -> Iterator[Receiver]:
    """An endpoint that embeds by words, last text first; another status than 200 has an unkind body."""
    with receiving(statuses) as server:

        def told(items: Sequence[Any], number: int) -> Any:
            if items is not server.bodies:
                return items[min(number, len(items) - 1)]
            texts = server.messages[number]["input"]
            places = list(range(len(texts)))[::-1]
            if server.statuses[min(number, len(server.statuses) - 1)] != 200:
                return json.dumps({"error": {"message": f"no: {SECRET} {texts}"}})
            return answer(vectors(texts)[::-1], places)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(receiver, "_at", told)
            yield server


def inputs(server: Receiver) -> list[str]:
    """Every text that left the machine."""
    return [text for message in server.messages for text in message["input"]]
