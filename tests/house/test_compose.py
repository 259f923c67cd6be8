"""What can be set is passed on to the container, or stands here with the reason why not."""

from __future__ import annotations

import re
from pathlib import Path

from graphmem.config import from_environment, model_endpoint
from graphmem.domain.variables import VARIABLES

ROOT = Path(__file__).parents[2]
LEFT_OUT = {
    "GRAPHMEM_PORT": "the port inside is 8000; which one it has outside stands under ports",
    "GRAPHMEM_URL": "of the notebooks, which are not in the image",
    "NEO4J_DATABASE": "the community edition beside it has one database",
    "NEO4J_URI": "GRAPHMEM_STORE names the server beside it",
    "NEO4J_USER": "another name of NEO4J_USERNAME",
}


def passed() -> dict[str, str]:
    """The variables of the service in docker-compose.yml, each with what stands there."""
    _, service = (ROOT / "docker-compose.yml").read_text(encoding="utf-8").split("\n  graphmem:\n")
    return dict(re.findall(r"^      ((?:GRAPHMEM|NEO4J)_[A-Z_]+): (.+)$", service, re.MULTILINE))


def test_every_variable_is_passed_on_or_left_out_for_a_reason() -> None:
    config = (ROOT / "graphmem" / "config.py").read_text(encoding="utf-8")
    read = VARIABLES | set(re.findall(r'"(NEO4J_[A-Z]+)"', config))
    assert passed().keys() | LEFT_OUT.keys() == read
    assert passed().keys() & LEFT_OUT.keys() == set()


def test_what_is_not_set_outside_is_not_set_inside() -> None:
    """Compose sets what it passes on to an empty text."""
    handed = {name: "" for name, value in passed().items() if value == f"${{{name}:-}}"}
    assert "GRAPHMEM_EMBED_KEY" in handed
    nothing = {"XDG_DATA_HOME": "/nowhere", "XDG_CACHE_HOME": "/nowhere"}
    assert from_environment(nothing | handed) == from_environment(nothing)
    assert model_endpoint(handed) == model_endpoint({})
