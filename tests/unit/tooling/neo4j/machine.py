"""A machine with a Java and a Maven that only pretend."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphmem.tooling import neo4j
from graphmem.tooling.neo4j import Installation, Java, RunningServer, ServerOptions


def put_program(script: str, place: Path) -> Path:
    """Make an executable of one of the stand-ins."""
    place.parent.mkdir(parents=True, exist_ok=True)
    text = (Path(__file__).parent / script).read_text()
    place.write_text(f"#!{sys.executable} -SE\n{text}")
    place.chmod(0o755)
    (place.parent / "mood").write_text("fine")
    return place


def put_java(folder: Path, version: str = "17.0.15") -> Path:
    """A Java that calls itself so; its folder is what JAVA_HOME would name."""
    place = put_program("fake_java.py", folder / "bin" / "java")
    (place.parent / "version").write_text(version)
    return place


@dataclass
class Machine:
    """A pretended machine: programs, the environment that finds them, and the folders of a server."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        put_java(self.folder / "jdk")
        put_program("fake_maven.py", self.folder / "maven" / "mvn")
        self.find()
        path = f"{self.java_path.parent}:{self.maven.parent}:/usr/bin:/bin"
        self.environment |= {"PATH": path, "SECRET_KEY": "x"}

    def find(self) -> None:
        """Name the places in the folder."""
        self.java_path = self.folder / "jdk" / "bin" / "java"
        self.maven = self.folder / "maven" / "mvn"
        self.servers = self.folder / "servers"
        self.home = self.folder / "home"
        self.passwords = self.folder / "config"

    @property
    def java(self) -> Java:
        """The Java that is found."""
        return Java(self.java_path, "17.0.15", 17, "PATH")

    def mood(self, mood: str, program: str = "java") -> None:
        """How a program behaves from its next start on."""
        place = self.java_path if program == "java" else self.maven
        (place.parent / "mood").write_text(mood)

    def install(self, **given: Any) -> Installation:
        """Fetch the server."""
        return neo4j.install(self.servers, self.environment, **{"accept_license": True, **given})

    def start(self, version: str = "5.26", **options: Any) -> RunningServer:
        """Start the server."""
        return neo4j.start(
            self.install(version=version),
            self.home,
            java=self.java,
            environment=self.environment,
            passwords=self.passwords,
            options=self.options(**options),
        )

    def options(self, **given: Any) -> ServerOptions:
        """How it is started."""
        return ServerOptions(**{"timeout_s": 20.0, **given})
