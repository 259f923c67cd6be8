"""Fetching a Neo4j server with the user's own Maven, into the user's data folder."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.sax.saxutils import escape

from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.tooling.neo4j.java import FROM_EXTRA, Java, find_java
from graphmem.tooling.neo4j.locking import locked
from graphmem.tooling.neo4j.releases import (
    BROWSER_VERSION,
    DEFAULT_VERSION,
    OTHER_WAYS,
    Release,
    licence,
    release,
)

MAIN_CLASSES = ("org.neo4j.server.CommunityEntryPoint", "org.neo4j.server.Neo4jCommunity")

_CHECKOUT = Path(__file__).resolve().parents[3]
_RECORD = "installed.json"
_FETCH_S = 900.0
_MAVEN_JAVA = 8
_NEEDED_MB = 600  # jars, Maven's own copy of them, and the plug-in
_POM = """<?xml version="1.0" encoding="UTF-8"?>
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>graphmem</groupId>
  <artifactId>neo4j-server</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{server}</version>
    </dependency>
    <dependency>
      <groupId>org.neo4j.client</groupId><artifactId>neo4j-browser</artifactId><version>{browser}</version>
    </dependency>
  </dependencies>
</project>
"""


@dataclass(frozen=True)
class Installation:
    """A fetched server: version, its folder, and whether this call fetched it (False: it was there)."""

    version: str
    folder: Path
    fresh: bool = False

    @property
    def libraries(self) -> Path:
        """The folder of its jars."""
        return self.folder / "lib"

    @property
    def main_class(self) -> str:
        """The class that starts the server; its name changed over the versions."""
        with zipfile.ZipFile(self.libraries / f"neo4j-{self.version}.jar") as jar:
            names = set(jar.namelist())
        return next(name for name in MAIN_CLASSES if f"{name.replace('.', '/')}.class" in names)


def install(
    folder: Path,
    environment: Mapping[str, str],
    *,
    version: str = DEFAULT_VERSION,
    accept_license: bool = False,
    limit_s: float = _FETCH_S,
) -> Installation:
    """Fetch a server below folder, or find the one that is there.

    environment is the whole environment of the process (PATH, JAVA_HOME, what Maven reads). limit_s bounds the
    fetching. Raises BadInputError when the licence (see `licence`) is not accepted or the folder lies in
    graphmem's own checkout, UnavailableError when something is missing or fails; what was there before stays usable.
    """
    wanted = release(version)
    folder = folder.expanduser().resolve()
    if (there := installed(folder, wanted.version)) is not None:
        return there
    _refuse_checkout(folder)
    if not accept_license:
        raise BadInputError(
            f"the licence is not accepted. {licence(version)}",
            field="accept_license",
            remedy="--accept-license",
        )
    maven, java = _prerequisites(folder, environment, wanted)
    with locked(folder / "install.lock", limit_s, "installing Neo4j"):
        if (there := installed(folder, wanted.version)) is not None:
            return there
        with tempfile.TemporaryDirectory(prefix=".incoming-", dir=folder) as incoming:
            _fetch(maven, _maven_environment(environment, java), wanted, Path(incoming), limit_s)
            return _move_in(Path(incoming), folder, wanted)


def installed(folder: Path, version: str = DEFAULT_VERSION) -> Installation | None:
    """The complete installation of a version below folder; None when there is none or a file of it is missing."""
    wanted = release(version)
    found = Installation(wanted.version, folder.expanduser().resolve() / f"server-{wanted.version}")
    try:
        record = json.loads((found.folder / _RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if record.get("jars") == _sizes(found.libraries) else None


def _sizes(libraries: Path) -> dict[str, int]:
    return {jar.name: jar.stat().st_size for jar in sorted(libraries.glob("*.jar"))}


def _refuse_checkout(folder: Path) -> None:
    """Third-party jars do not belong in our repository."""
    if (_CHECKOUT / ".git").exists() and folder.is_relative_to(_CHECKOUT):
        raise BadInputError(
            f"{folder} lies in the checkout {_CHECKOUT}",
            field="folder",
            remedy="name a folder outside it, or none: the default is in your data folder",
        )


def _prerequisites(folder: Path, environment: Mapping[str, str], wanted: Release) -> tuple[str, Java]:
    """Maven and Java; everything that is missing is told before anything is fetched."""
    missing: list[UnavailableError] = []
    maven = shutil.which("mvn", path=environment.get("PATH", ""))
    if maven is None:
        missing.append(
            UnavailableError(
                "Maven (mvn) is not on the PATH",
                field="mvn",
                remedy=f"install it (Debian, Ubuntu: apt install maven; macOS: brew install maven), {OTHER_WAYS}",
            )
        )
    try:
        java = find_java(environment, wanted.java)
    except UnavailableError as error:
        missing.append(error)
    try:
        _check_room(folder)
    except UnavailableError as error:
        missing.append(error)
    if len(missing) == 1:
        raise missing[0]
    if missing:
        raise UnavailableError(
            "; ".join(error.message for error in missing),
            field="install",
            remedy="; ".join(error.remedy.removesuffix(f", {OTHER_WAYS}") for error in missing)
            + f"; {OTHER_WAYS}",
        )
    return str(maven), java


def _check_room(folder: Path) -> None:
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    free = shutil.disk_usage(nearest).free // 2**20
    if free < _NEEDED_MB:
        raise UnavailableError(
            f"{nearest} has {free} MB free, the server needs {_NEEDED_MB} MB",
            field="folder",
            remedy=f"free some space, {OTHER_WAYS}",
        )


def _maven_environment(environment: Mapping[str, str], java: Java) -> dict[str, str]:
    """The user's environment; only where the extra is all the Java there is, Maven is pointed to it.

    Maven runs on any Java, and the machine's own one knows the certificates that the machine's owner added.
    """
    if java.source != FROM_EXTRA or find_java(environment, _MAVEN_JAVA).source != FROM_EXTRA:
        return dict(environment)
    return {**environment, "JAVA_HOME": str(java.path.parent.parent)}


def _fetch(maven: str, environment: dict[str, str], wanted: Release, incoming: Path, limit_s: float) -> None:
    pom = incoming / "pom.xml"
    pom.write_text(_POM.format(server=escape(wanted.version), browser=BROWSER_VERSION), encoding="utf-8")
    command = [maven, "-B", "-q", "-f", str(pom), "dependency:copy-dependencies"]
    command += ["-DincludeScope=runtime", f"-DoutputDirectory={incoming / 'lib'}"]
    remedy = (
        f"check the network, its certificates and Maven's own settings (they say from where), {OTHER_WAYS}"
    )
    try:
        answer = subprocess.run(
            command,
            env=environment,
            cwd=incoming,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"Maven took more than {limit_s:.0f} s", field="mvn", remedy=remedy) from error
    except OSError as error:
        raise UnavailableError(f"Maven does not start: {error}", field="mvn", remedy=remedy) from error
    if answer.returncode or not (incoming / "lib" / f"neo4j-{wanted.version}.jar").exists():
        said = " | ".join(line for line in answer.stdout.splitlines() if "ERROR" in line)[:600]
        raise UnavailableError(
            f"Maven could not fetch Neo4j {wanted.version}: {said or answer.stdout[-600:]}",
            field="mvn",
            remedy=remedy,
        )


def _move_in(incoming: Path, folder: Path, wanted: Release) -> Installation:
    """Write down what came, then put it in its place in one step."""
    ready = incoming / "ready"
    ready.mkdir()
    (incoming / "lib").rename(ready / "lib")
    record = {
        "version": wanted.version,
        "browser": BROWSER_VERSION,
        "licence_accepted": datetime.now(UTC).isoformat(timespec="seconds"),
        "jars": _sizes(ready / "lib"),
    }
    (ready / _RECORD).write_text(json.dumps(record, indent=1), encoding="utf-8")
    place = folder / f"server-{wanted.version}"
    if place.exists():  # an incomplete one: it goes with the folder of this fetch
        place.rename(incoming / "replaced")
    ready.rename(place)
    return Installation(wanted.version, place, fresh=True)
