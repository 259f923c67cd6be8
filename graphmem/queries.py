"""Where the query files lie: inside an installed package, or beside it in a checkout.

A wheel carries the repository's `queries/` folder and `schema.graphql` as `graphmem/_queries/`; an editable
install has no such copy and reads the repository itself. Callers name a file by its path inside `queries/`.
"""

from pathlib import Path

SCHEMA = "schema.graphql"
"""The published GraphQL schema; it lies at the top of the repository and inside the package's copy."""

_PACKAGED = Path(__file__).parent / "_queries"
_REPOSITORY = Path(__file__).parent.parent


class MissingQueryError(LookupError):
    """A query file that code asks for by name is not shipped."""

    def __init__(self, relative: str, folder: Path) -> None:
        """Keep the name asked for (`relative`) and the folder that was searched."""
        super().__init__(
            f"no query file {relative!r} in {folder}: reinstall graphmem, or run it from a whole checkout"
        )
        self.relative = relative
        self.folder = folder


def path(relative: str) -> Path:
    """Return the file at `relative` inside `queries/`, or the schema for `schema.graphql`.

    Raises MissingQueryError where there is no such file, also for a path that leads out of the folder.
    """
    folder = _folder(relative).resolve()
    found = (folder / relative).resolve()
    if not (found.is_relative_to(folder) and found.is_file()):
        raise MissingQueryError(relative, folder)
    return found


def graphql_operation(name: str) -> str:
    """Return the text of the named GraphQL operation, `queries/graphql/<name>.graphql`.

    Raises MissingQueryError where there is none of that name.
    """
    return path(f"graphql/{name}.graphql").read_text(encoding="utf-8")


def _folder(relative: str) -> Path:
    if _PACKAGED.is_dir():
        return _PACKAGED
    return _REPOSITORY if relative == SCHEMA else _REPOSITORY / "queries"
