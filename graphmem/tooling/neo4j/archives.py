"""Dumping the database of a data folder to a file, and loading it from one; the server must be stopped."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.tooling.neo4j.administering import AdminTool
from graphmem.tooling.neo4j.control import BUSY
from graphmem.tooling.neo4j.installing import Installation
from graphmem.tooling.neo4j.java import Java
from graphmem.tooling.neo4j.locking import locked
from graphmem.tooling.neo4j.records import LOCK, is_alive, read_record

DATABASE = "neo4j"

_LIMIT_S = 1800.0
_LOCK_S = 10.0


def dump(
    installation: Installation,
    home: Path,
    archive: Path,
    *,
    java: Java,
    environment: Mapping[str, str],
    limit_s: float = _LIMIT_S,
) -> int:
    """Write the database of a data folder to a new file and return its size in bytes.

    The file is written beside its place and moved there when complete. Raises BadInputError when it exists already
    or there is nothing to dump, UnavailableError while the server runs, or when it was not stopped in order.
    """
    home, archive = home.expanduser().resolve(), archive.expanduser().resolve()
    if archive.exists():
        raise BadInputError(f"{archive} exists already", field="archive", remedy="name a new file")
    if not _holds_data(home):
        raise BadInputError(f"{home} holds no database", field="home", remedy="start a server there first")
    archive.parent.mkdir(parents=True, exist_ok=True)
    with _at_rest(home), tempfile.TemporaryDirectory(prefix=".dump-", dir=archive.parent) as folder:
        tool = AdminTool(installation, home, java, environment)
        try:
            tool.run("database", "dump", DATABASE, f"--to-path={folder}", limit_s=limit_s)
        except UnavailableError as error:
            raise UnavailableError(
                error.message, remedy="if it was not stopped in order: start it, stop it, dump again"
            ) from error
        (Path(folder) / f"{DATABASE}.dump").replace(archive)
    return archive.stat().st_size


def load(
    installation: Installation,
    home: Path,
    archive: Path,
    *,
    java: Java,
    environment: Mapping[str, str],
    replace_data: bool = False,
    limit_s: float = _LIMIT_S,
) -> None:
    """Make a dumped file the database of a data folder.

    It is loaded beside what is there, and put in its place when complete: a damaged file changes nothing.
    replace_data: what the folder holds goes. Raises BadInputError when the file is missing or no dump, or when the
    folder holds data and replace_data is not given; UnavailableError while the server runs.
    """
    home, archive = home.expanduser().resolve(), archive.expanduser().resolve()
    if not archive.is_file():
        raise BadInputError(f"there is no file {archive}", field="archive", remedy="name one that dump wrote")
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _at_rest(home), tempfile.TemporaryDirectory(prefix=".load-", dir=home) as folder:
        if _holds_data(home) and not replace_data:
            raise BadInputError(
                f"{home} holds a database already",
                field="home",
                remedy="--replace to lose it, or another folder",
            )
        aside = Path(folder)
        _offer(archive, aside / f"{DATABASE}.dump")
        (aside / "conf").mkdir()
        tool = AdminTool(installation, aside, java, environment)
        try:
            tool.run("database", "load", DATABASE, f"--from-path={aside}", limit_s=limit_s)
        except UnavailableError as error:
            raise BadInputError(
                f"{archive} cannot be loaded: {error.message}",
                field="archive",
                remedy="name one that dump wrote",
            ) from error
        _exchange(home / "data", aside / "data", aside / "before")


@contextmanager
def _at_rest(home: Path) -> Iterator[None]:
    """Keep the server of a data folder from being started meanwhile; refuse when it runs."""
    with locked(home / LOCK, _LOCK_S, BUSY):
        record = read_record(home)
        if record is not None and is_alive(record, home):
            raise UnavailableError(
                "the server runs, and Neo4j Community copies only a stopped one", remedy="graphmem neo4j stop"
            )
        yield


def _holds_data(home: Path) -> bool:
    return (home / "data" / "databases" / DATABASE).exists()


def _offer(archive: Path, place: Path) -> None:
    """Put the file under the name that the tool looks for, without copying it where that is possible."""
    try:
        os.link(archive, place)
    except OSError:
        shutil.copyfile(archive, place)


def _exchange(there: Path, new: Path, before: Path) -> None:
    """Move a loaded database into its place; what was there goes aside, and comes back if that fails."""
    moves = []
    for part in ("databases", "transactions"):
        moves += [(there / part / DATABASE, before / part), (new / part / DATABASE, there / part / DATABASE)]
    done: list[tuple[Path, Path]] = []
    try:
        for source, target in moves:
            if source.exists():
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                source.rename(target)
                done.append((source, target))
    except OSError as error:
        for source, target in reversed(done):
            target.rename(source)
        raise UnavailableError(f"{there} cannot be written: {error}", remedy="nothing was changed") from error
