"""A stand-in for Maven: puts three small jars where it is told to, or fails as the file `mood` beside it says."""

from __future__ import annotations

import re
import sys
import time
import zipfile
from pathlib import Path

HERE = Path(sys.argv[0]).parent
MOOD = (HERE / "mood").read_text()

with (HERE / "calls").open("a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\n")
if MOOD == "offline":
    sys.exit("[INFO] trying\n[ERROR] Could not resolve dependencies: no network")
if MOOD == "slow":
    time.sleep(30)
pom = Path(sys.argv[sys.argv.index("-f") + 1]).read_text()
version = re.findall(r"<version>(\S+)</version>", pom)[1]
target = Path(next(word.partition("=")[2] for word in sys.argv if word.startswith("-DoutputDirectory=")))
target.mkdir()
main = "server/Neo4jCommunity" if version.startswith("20") else "server/CommunityEntryPoint"
for name, entry in (
    (f"neo4j-{version}.jar", f"org/neo4j/{main}.class"),
    ("browser.jar", "browser/index.html"),
):
    if MOOD != "partial" or name == "browser.jar":
        with zipfile.ZipFile(target / name, "w") as jar:
            jar.writestr(entry, "")
