"""What Neo4j Browser is given to show a memory: a style, the saved queries, and a guide."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from graphmem.queries import path

STYLE = "graphmem.grass"
QUERIES = "graphmem-queries.zip"
GUIDE = "graphmem.html"
FIRST = "01-why-did-this-fail"
"""The query that the address opens with."""

_FOLDER = "graphmem"
"""Where Neo4j Browser puts the saved queries."""
_DAY = (2026, 1, 1, 0, 0, 0)
"""Of every file in the archive, so that equal queries make an equal one."""
_COLOURS = {
    "Memory": ("#c7cad1", "#9aa1ac", "#2a2c34"),
    "Fact": ("#4c8eda", "#2870c2", "#ffffff"),
    "Experience": ("#8dcc93", "#5db665", "#604a0e"),
    "Failure": ("#da4b4b", "#b32424", "#ffffff"),
    "Pattern": ("#f79767", "#f36924", "#ffffff"),
    "Strategy": ("#57c7e3", "#23b3d7", "#2a2c34"),
}
"""Fill, border and text of a label. Of several labels of a node the last one listed here wins: a failure is red.
A label that is not listed gets a colour of Neo4j Browser's own, and that one would win: so all of ours are."""
_DECLARED = re.compile(r":param (\w+) => (.+)")
_PARAMETER = re.compile(r"\$(\w+)")
_TYPES = {".grass": "text/plain", ".zip": "application/zip", ".html": "text/html"}


@dataclass(frozen=True)
class SavedQuery:
    """A query of queries/explore. name: its file without the suffix; title: its first line; parameters: names with
    examples in Cypher; statement: what follows.
    """

    name: str
    title: str
    parameters: Mapping[str, str]
    statement: str

    @property
    def text(self) -> str:
        """Title and statement, as Neo4j Browser shows them."""
        return f"// {self.title}\n{self.statement}"


def saved_queries() -> list[SavedQuery]:
    """All of them, in the order of their numbers."""
    folder = path(f"explore/{FIRST}.cypher").parent
    return [_read(file) for file in sorted(folder.glob("*.cypher"))]


def _read(file: Path) -> SavedQuery:
    lines = file.read_text(encoding="utf-8").splitlines()
    comments = [line.removeprefix("// ") for line in lines if line.startswith("//")]
    declared = [_DECLARED.fullmatch(line) for line in comments]
    parameters = {found[1]: found[2] for found in declared if found}
    statement = "\n".join(line for line in lines if not line.startswith("//"))
    return SavedQuery(file.stem, comments[0], parameters, statement)


def kit(values: Mapping[str, str], style_at: str = "") -> dict[str, bytes]:
    """The files of the kit by name. values, style_at: as guide."""
    queries = saved_queries()
    made = guide(queries, values, style_at)
    return {STYLE: style().encode(), QUERIES: archive(queries), GUIDE: made.encode()}


def content_type(name: str) -> str:
    """The media type of a file of the kit."""
    return f"{_TYPES[Path(name).suffix]}; charset=utf-8"


def style() -> str:
    """Graph style sheet: a kind is a colour, a failure is red, a node says its title, a cause its confidence."""
    rules = ["node {\n  diameter: 65px;\n  border-width: 2px;\n  font-size: 10px;\n}"]
    for label, (fill, border, text) in _COLOURS.items():
        rules.append(
            f"node.{label} {{\n  color: {fill};\n  border-color: {border};\n"
            f'  text-color-internal: {text};\n  caption: "{{title}}";\n}}'
        )
    rules.append(
        "relationship {\n  color: #a5abb6;\n  shaft-width: 1px;\n  font-size: 8px;\n  padding: 3px;\n"
        '  text-color-external: #2a2c34;\n  caption: "<type>";\n}'
    )
    rules.append('relationship.CAUSED_BY {\n  shaft-width: 3px;\n  caption: "{confidence}";\n}')
    return "\n\n".join(rules) + "\n"


def archive(queries: Sequence[SavedQuery]) -> bytes:
    """The saved queries as an archive that makes a folder of them when it is dropped on the editor."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as packed:
        for query in queries:
            packed.writestr(zipfile.ZipInfo(f"{_FOLDER}/{query.name}.cypher", _DAY), query.text + "\n")
    return written.getvalue()


def guide(queries: Sequence[SavedQuery], values: Mapping[str, str], style_at: str) -> str:
    """A guide for Neo4j Browser: a page a question, its query ready to be run.

    values: of parameters, in place of the examples; style_at: address of the style, '' = it is dropped by hand.
    """
    parameters = dict(parameter for query in queries for parameter in query.parameters.items())
    given = {name: _literal(values[name]) if name in values else text for name, text in parameters.items()}
    styled = f"<p>First the colours:</p>{_runnable(f':style {style_at}')}" if style_at else ""
    pages = [
        "<h3>What went wrong, and why</h3><p>Failures are red, what went well is green, facts are blue, patterns "
        "orange, strategies cyan. An arrow leads from an effect to its cause and says how sure that is.</p>"
        + styled
        + "<p>Then what the questions are about; change it as you like:</p>"
        + "".join(_runnable(f":param {name} => {text}") for name, text in given.items())
    ]
    pages += [
        f"<h3>{escape(query.title)}</h3><p>Asks for {escape(', '.join(query.parameters))}.</p>"
        + _runnable(query.text)
        for query in queries
    ]
    slides = "".join(
        f'<slide class="row-fluid"><div class="col-sm-12">{page}</div></slide>' for page in pages
    )
    return (
        '<article class="guide"><title>graphmem</title>'
        f'<carousel class="deck container-fluid">{slides}</carousel></article>\n'
    )


def _runnable(text: str) -> str:
    return f'<pre class="pre-scrollable programlisting cm-s-neo code runnable">{escape(text)}</pre>'


def prefilled(name: str, values: Mapping[str, str]) -> list[str]:
    """The lines of a saved query with values in place of its parameters, for the editor of Neo4j Browser.

    The editor draws what a single statement answers; lines that set parameters would be statements of their own.
    """
    query = next(query for query in saved_queries() if query.name == name)
    filled = _PARAMETER.sub(lambda found: _literal(values[found[1]]), query.statement)
    return [f"// {query.title}", *filled.splitlines()]


def _literal(value: str) -> str:
    """A text as a literal of Cypher, whose escapes in double quotes are those of JSON."""
    return json.dumps(value, ensure_ascii=False)
