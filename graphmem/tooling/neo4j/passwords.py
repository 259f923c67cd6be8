"""The generated password of a server, kept in the user's configuration folder."""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path

from graphmem.domain.errors import UnavailableError


def password_file(folder: Path, home: Path) -> Path:
    """Where the password of the server of a data folder is kept, below the given configuration folder."""
    mark = hashlib.sha256(str(home).encode()).hexdigest()[:10]
    return folder / "neo4j" / f"{home.name}-{mark}.password"


def read_password(file: Path) -> str:
    """The kept password.

    Raises UnavailableError when it is gone or empty: the data know one, and nobody else does.
    """
    try:
        password = file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise UnavailableError(
            f"the password of this server cannot be read from {file}: {error.strerror}",
            field="password",
            remedy="put it back there, or start with authentication off and set a new one",
        ) from error
    if not password:
        raise UnavailableError(
            f"{file} is empty", field="password", remedy="write the server's password there"
        )
    return password


def make_password(file: Path) -> str:
    """A new password, kept in the file for its owner only; the one that is kept already, if there is one."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return read_password(file)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        password = secrets.token_urlsafe(24)
        out.write(password + "\n")
    return password
