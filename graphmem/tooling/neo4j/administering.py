"""Neo4j's own administration tool, from the same jars; the server must be stopped."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from graphmem.domain.errors import UnavailableError
from graphmem.tooling.neo4j.installing import Installation
from graphmem.tooling.neo4j.java import Java
from graphmem.tooling.neo4j.processes import passed_on

_MAIN_CLASS = "org.neo4j.cli.AdminTool"


@dataclass(frozen=True)
class AdminTool:
    """The tool for one data folder."""

    installation: Installation
    home: Path
    java: Java
    environment: Mapping[str, str]

    def run(self, *arguments: str, limit_s: float) -> str:
        """Run one command and return what it said.

        The arguments go through a file that only we can read: one of them may be a password, and command lines
        are public. Raises UnavailableError with what the tool said when it fails, or after limit_s seconds.
        """
        words = ["-cp", f"{self.installation.libraries}/*", _MAIN_CLASS, *arguments]
        with tempfile.TemporaryDirectory(prefix="graphmem-neo4j-") as folder:
            file = Path(folder) / "arguments"
            file.touch(mode=0o600)
            file.write_text("\n".join(map(_quoted, words)), encoding="utf-8")
            try:
                answer = subprocess.run(
                    [self.java.path, f"@{file}"],
                    env={**passed_on(self.environment), **self._variables()},
                    cwd=self.home,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    errors="replace",
                    timeout=limit_s,
                    check=False,
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                raise UnavailableError(f"{' '.join(arguments[:2])} did not end: {error}") from error
        if answer.returncode:
            raise UnavailableError(f"{' '.join(arguments[:2])} failed: {_last_words(answer.stdout)}")
        return answer.stdout

    def _variables(self) -> dict[str, str]:
        return {"NEO4J_HOME": str(self.home), "NEO4J_CONF": str(self.home / "conf"), "HEAP_SIZE": "512m"}


def _quoted(word: str) -> str:
    """One line of Java's argument file."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip() and not line.startswith("\tat ")]
    return " | ".join(lines[-4:])[-600:]
