"""Dumping and loading: only at rest, whole or not at all, nothing lost unasked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.tooling.neo4j import archives
from graphmem.tooling.neo4j.archives import dump, load
from graphmem.tooling.neo4j.control import stop
from tests.unit.tooling.neo4j.machine import Machine


def dumped(machine: Machine, archive: Path) -> int:
    """Dump the machine's data."""
    return dump(machine.install(), machine.home, archive, java=machine.java, environment=machine.environment)


def loaded(machine: Machine, archive: Path, **given: Any) -> None:
    """Load into the machine's data folder."""
    load(
        machine.install(), machine.home, archive, java=machine.java, environment=machine.environment, **given
    )


def store(machine: Machine) -> Path:
    """The file that stands for the database."""
    return machine.home / "data/databases/neo4j/store"


def rested(machine: Machine) -> Machine:
    """A machine whose server ran once."""
    machine.start()
    stop(machine.home)
    return machine


def names(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def test_there_and_back(machine: Machine, tmp_path: Path) -> None:
    archive = tmp_path / "new" / "memory.dump"
    assert dumped(rested(machine), archive) == len("good data")
    assert names(archive.parent) == ["memory.dump"]
    store(machine).write_text("other data")
    loaded(machine, archive, replace_data=True)
    assert store(machine).read_text() == "good data"
    assert archive.read_text() == "good data"
    assert not [name for name in names(machine.home) if name.startswith(".")]
    assert machine.start().bolt_uri


def test_loading_into_a_new_folder(machine: Machine, tmp_path: Path) -> None:
    dumped(rested(machine), tmp_path / "memory.dump")
    other = Machine(tmp_path / "other")
    loaded(other, tmp_path / "memory.dump")
    assert store(other).read_text() == "good data"
    assert other.start().bolt_uri
    stop(other.home)


@pytest.mark.parametrize("action", [dumped, loaded])
def test_a_running_server_is_left_alone(
    machine: Machine, tmp_path: Path, action: Callable[[Machine, Path], object]
) -> None:
    machine.start()
    archive = tmp_path / "memory.dump"
    if action is loaded:
        archive.write_text("good data")
    with pytest.raises(UnavailableError, match="the server runs") as caught:
        action(machine, archive)
    assert caught.value.remedy == "graphmem neo4j stop"


def test_nothing_is_overwritten(machine: Machine, tmp_path: Path) -> None:
    archive = tmp_path / "memory.dump"
    archive.write_text("precious")
    rested(machine)
    with pytest.raises(BadInputError, match="exists already"):
        dumped(machine, archive)
    assert archive.read_text() == "precious"
    with pytest.raises(BadInputError, match="holds a database already") as caught:
        loaded(machine, archive)
    assert "--replace" in caught.value.remedy
    assert store(machine).read_text() == "good data"


def test_there_must_be_something(machine: Machine, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="holds no database"):
        dumped(machine, tmp_path / "memory.dump")
    with pytest.raises(BadInputError, match="there is no file"):
        loaded(machine, tmp_path / "memory.dump")
    assert not machine.home.exists()


def test_a_failed_dump_leaves_no_file(machine: Machine, tmp_path: Path) -> None:
    rested(machine).mood("broken")
    (tmp_path / "there").mkdir()
    with pytest.raises(UnavailableError, match="database dump failed: it is broken") as caught:
        dumped(machine, tmp_path / "there" / "memory.dump")
    assert "start it, stop it, dump again" in caught.value.remedy
    assert names(tmp_path / "there") == []


def test_a_damaged_file_changes_nothing(machine: Machine, tmp_path: Path) -> None:
    archive = tmp_path / "memory.dump"
    archive.write_text("damaged")
    rested(machine)
    with pytest.raises(BadInputError, match="Truncated source") as caught:
        loaded(machine, archive, replace_data=True)
    assert caught.value.field == "archive"
    assert store(machine).read_text() == "good data"
    assert machine.start().bolt_uri


def test_a_load_that_cannot_be_put_in_place_is_undone(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "memory.dump"
    archive.write_text("good new data")
    rested(machine)
    rename, count = Path.rename, iter(range(10))

    def full_at_the_third(self: Path, target: Path) -> Path:
        if next(count) == 2:
            raise OSError("disk full")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", full_at_the_third)
    with pytest.raises(UnavailableError, match="disk full") as caught:
        loaded(machine, archive, replace_data=True)
    assert caught.value.remedy == "nothing was changed"
    assert store(machine).read_text() == "good data"


def test_where_files_cannot_be_linked_they_are_copied(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "memory.dump"
    archive.write_text("good data")

    def refuse(*_: object) -> None:
        raise OSError("another disk")

    monkeypatch.setattr(archives.os, "link", refuse)
    loaded(machine, archive)
    assert store(machine).read_text() == "good data"
