"""Commands that take memories out, in, and from one store to another."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Annotated, TextIO

from graphmem.analysis.markdown_folder import folder_of, lines_of
from graphmem.config import from_environment, sqlite_path
from graphmem.domain.answers import CopyProgress, CopyReport, ImportReport
from graphmem.domain.errors import BadInputError, GraphmemError, NotFoundError
from graphmem.entrypoints.cli import progress
from graphmem.entrypoints.cli.calling import Call, Printing, Shared, argument, option
from graphmem.entrypoints.cli.data import as_data
from graphmem.entrypoints.cli.folders import read_folder, write_folder
from graphmem.entrypoints.cli.terminal import plain
from graphmem.entrypoints.cli.words import say
from graphmem.ports.store import MemoryStore
from graphmem.wiring import Services, build, open_target

EVERY = 1_000
"""Lines between two signs of progress."""
INTERVAL_S = 0.5


@dataclass(frozen=True, kw_only=True)
class Export(Shared):
    """Options of export."""

    output: Annotated[str, option("--to", "-o")] = "-"
    markdown: Annotated[str, option("--markdown", metavar="DIR")] = ""


@dataclass(frozen=True, kw_only=True)
class Import(Printing):
    """Options of import."""

    file: Annotated[str, argument("FILE")]


@dataclass(frozen=True, kw_only=True)
class Copy(Printing):
    """Options of copy."""

    source: Annotated[str, argument("SRC", metavar="SRC")]
    target: Annotated[str, argument("DST", metavar="DST")]


def export(call: Call, options: Export) -> None:
    """Write the namespace as lines of JSON, or as a folder of Markdown."""
    if options.markdown:
        _export_folder(call, Path(options.markdown))
        return
    with closing(build(call.settings)) as services, _written(options.output) as out:
        count = 0
        for line in _counted(services.transfer.export(call.namespace), "export.progress"):
            out.write(line + "\n")
            count += 1
    if options.output != "-":
        print(say("export.done", count=count, file=plain(options.output)), file=sys.stderr)


def _export_folder(call: Call, folder: Path) -> None:
    with closing(build(call.settings)) as services:
        files = folder_of(_counted(services.transfer.export(call.namespace), "export.progress"))
    write_folder(folder, files)
    print(say("export.folder", count=len(files), folder=plain(str(folder))), file=sys.stderr)


def import_lines(call: Call, options: Import) -> None:
    """Write exported lines, or what an exported folder holds, into the namespace."""
    with closing(build(call.settings)) as services, _read(options.file) as source:
        report = _imported(services, call.namespace, source)
        lacking = (
            services.inspect.status(call.namespace).without_vectors if call.settings.embedder != "none" else 0
        )
    if call.json:
        call.terminal.json(as_data(report))
        return
    call.terminal.line(say("import.done", created=report.created, known=report.known, edges=report.edges))
    call.terminal.lines([plain(failure) for failure in report.failures])
    if lacking:
        call.terminal.line(say("import.no_vectors", count=lacking))


def copy(call: Call, options: Copy) -> None:
    """Copy one namespace, or all, from one store into another."""
    with (
        closing(source_of(options.source, "src")) as services,
        closing(open_target(from_environment(store=options.target, embedder="none"))) as target,
    ):
        names = [options.namespace] if options.namespace else services.store.namespaces()
        reports = [copied(services, name, target) for name in names]
    if call.json:
        call.terminal.json(as_data(tuple(reports)))
        return
    for report in reports:
        call.terminal.line(
            say(
                "copy.done",
                namespace=plain(report.namespace),
                memories=report.memories,
                edges=report.edges,
                digest=f"{report.digest:016x}",
            )
        )
    if not reports:
        call.terminal.line(say("copy.nothing"))


def source_of(store: str, field: str) -> Services:
    """Services over a store to copy from. Raises NotFoundError naming field where it is a file that is not there."""
    named = from_environment(store=store, embedder="none")
    if (path := sqlite_path(named.store)) and not path.is_file():
        raise NotFoundError(f"there is no file {path}", field=field, remedy="check the path")
    return build(named)


def copied(services: Services, namespace: str, target: MemoryStore) -> CopyReport:
    """Copy a namespace into a store, and tell how far it is."""

    def tell(how: CopyProgress) -> None:
        key = f"copy.{how.step.lower()}"
        progress.show(say(key, namespace=plain(how.namespace), done=how.done, total=how.total))

    try:
        return services.copy.copy(namespace, target, tell)
    finally:
        progress.show("")


def _imported(services: Services, namespace: str, source: Iterable[str]) -> ImportReport:
    """Import while another thread tells on standard error how many memories there are by now."""
    ended = Event()

    def tell() -> None:
        while not ended.wait(INTERVAL_S):
            counts = services.store.state(namespace).counts
            progress.show(
                say("import.progress", count=sum(counts.get(kind, 0) for kind in ("FACT", "EXPERIENCE")))
            )

    teller = Thread(target=tell, daemon=True)
    if progress.watched():
        teller.start()
    try:
        return services.transfer.import_lines(namespace, _counted(source, "import.reading"))
    except UnicodeDecodeError as error:
        raise BadInputError("is not UTF-8", field="file", remedy="import what export wrote") from error
    finally:
        ended.set()
        if teller.is_alive():
            teller.join()
        progress.show("")


def _counted(lines: Iterable[str], key: str) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if number % EVERY == 0:
            progress.show(say(key, count=number))
        yield line
    progress.show("")


def _read(name: str) -> AbstractContextManager[Iterable[str]]:
    if name == "-":
        return nullcontext(sys.stdin)
    if Path(name).is_dir():
        return nullcontext(lines_of(read_folder(Path(name))))
    try:
        return Path(name).open(encoding="utf-8")
    except OSError as error:
        raise _unusable("file", name, error) from error


def _written(name: str) -> nullcontext[TextIO] | TextIO:
    if name == "-":
        return nullcontext(sys.stdout)
    try:
        return Path(name).open("w", encoding="utf-8")
    except OSError as error:
        raise _unusable("to", name, error) from error


def _unusable(field: str, name: str, error: OSError) -> GraphmemError:
    kind = NotFoundError if isinstance(error, FileNotFoundError) else BadInputError
    return kind(f"cannot open {name}: {error.strerror}", field=field, remedy="check the path")
