"""The READMEs stay true: same commands in both languages, every make target exists, every link resolves."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.zh-CN.md")
PAGES = [
    *READMES,
    "CHANGELOG.md",
    *sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob("docs/**/*.md")),
]

FENCE = re.compile(r"^ *```(?P<language>\S*)[^\n]*\n(?P<body>.*?)^ *```", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(
    r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)|(?:src|href)=\"([^\"]+)\"", re.MULTILINE
)
MAKE = re.compile(r"(?:^|&& |; )make ((?:[a-z][a-z0-9-]*\s*)+)", re.MULTILINE)
TARGET = re.compile(r"^([a-z][a-z0-9-]*):", re.MULTILINE)


def read(name: str) -> str:
    """Return the text of a page, named from the repository's top."""
    return (ROOT / name).read_text(encoding="utf-8")


def commands(text: str) -> list[str]:
    """Return the command lines of a page's fenced `sh` blocks, in order, without comments and blank lines."""
    blocks = [fence["body"] for fence in FENCE.finditer(text) if fence["language"] == "sh"]
    lines = [re.sub(r"(^|\s)#\s.*$", "", line).strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line]


def named_targets(text: str) -> set[str]:
    """Return the make targets that a page names in its commands and code spans."""
    code = [*commands(text), *CODE_SPAN.findall(FENCE.sub("", text))]
    return {target for piece in code for found in MAKE.finditer(piece) for target in found[1].split()}


def links(text: str) -> list[str]:
    """Return the relative paths that a page links to, without anchors; links inside code do not count."""
    prose = CODE_SPAN.sub("", FENCE.sub("", text))
    targets = [next(filter(None, found.groups())) for found in LINK.finditer(prose)]
    return [path for target in targets if ":" not in target and (path := target.partition("#")[0])]


def test_both_languages_give_the_same_commands() -> None:
    english, chinese = (commands(read(name)) for name in READMES)
    assert english
    assert chinese == english


@pytest.mark.parametrize("name", READMES)
def test_shell_blocks_are_marked_sh(name: str) -> None:
    other = {"bash", "console", "shell", "shell-session", "zsh"}
    assert [fence["language"] for fence in FENCE.finditer(read(name)) if fence["language"] in other] == []


@pytest.mark.parametrize("name", READMES)
def test_make_targets_exist(name: str) -> None:
    assert named_targets(read(name)) - set(TARGET.findall(read("Makefile"))) == set()


@pytest.mark.parametrize("name", PAGES)
def test_relative_links_resolve(name: str) -> None:
    folder = (ROOT / name).parent
    broken = [link for link in links(read(name)) if not (folder / link).exists()]
    assert broken == []


def test_commands_are_read_without_comments() -> None:
    page = "x\n```sh\n# 说明\nmake demo  # the job\n\ngraphmem show E-1#2\n```\n```python\nmake = 1\n```\n"
    assert commands(page) == ["make demo", "graphmem show E-1#2"]


def test_targets_are_read_from_commands_and_spans() -> None:
    page = "Run `make setup`, we make it.\n```sh\ncd x && make test check\nmake bench ARGS=--quick\n```\n"
    assert named_targets(page) == {"setup", "test", "check", "bench"}


def test_links_are_read_without_code_and_web_addresses() -> None:
    page = '[a](docs/a.md#top) ![b](b.png "B") [c](https://x.y) [d](#here) `[e](e.md)` <img src="f.svg">'
    assert links(f"{page}\n[g]: g.md\n") == ["docs/a.md", "b.png", "f.svg", "g.md"]
