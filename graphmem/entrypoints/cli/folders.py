"""An export as a folder of Markdown and YAML on the disk."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from graphmem.analysis.markdown_folder import FOLDERS, ORIGIN
from graphmem.domain.errors import BadInputError


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Write all files into a folder that is empty or not there yet: whole, or not at all. Raises BadInputError."""
    try:
        if folder.exists() and any(folder.iterdir()):
            raise BadInputError(f"{folder} is not empty", field="markdown", remedy="name a new folder")
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".export-", dir=folder.parent))
        try:
            for name in FOLDERS:
                (made / name).mkdir()
            for path, text in files.items():
                (made / path).write_text(text, encoding="utf-8", newline="\n")
            if folder.exists():
                folder.rmdir()
            made.rename(folder)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        raise BadInputError(
            f"cannot write {folder}: {error.strerror}", field="markdown", remedy="check the path"
        ) from error


def read_folder(folder: Path) -> dict[str, str]:
    """The files of an export by their paths; anything else in the folder is left alone. Raises BadInputError."""
    found = [folder / ORIGIN] if (folder / ORIGIN).is_file() else []
    for name, ending in FOLDERS.items():
        found += [file for file in sorted((folder / name).glob(f"*{ending}")) if file.is_file()]
    return {file.relative_to(folder).as_posix(): _text(file) for file in found}


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInputError(
            f"{file} is not UTF-8", field="file", remedy="import what export wrote"
        ) from error
    except OSError as error:
        raise BadInputError(
            f"cannot read {file}: {error.strerror}", field="file", remedy="check the path"
        ) from error
