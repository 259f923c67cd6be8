"""Budgets and habits of the house, read from the sources; what is over is listed with its place and size.

The figures come from the code bases of the field that read best; the layers are import-linter's part.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FILE_LINES = 300
FUNCTION_LINES = 40  # without its docstring
FUNCTION_LINES_AT_MOST = 60  # with it
PARAMETERS = 7  # without self and cls
PORT_METHODS = 15

LONG_FUNCTIONS: frozenset[str] = frozenset()
"""Functions ("graphmem/index/sync.py:pull") that may pass FUNCTION_LINES, each by agreement; best empty."""

LAZY_FILES = frozenset({"graphmem/entrypoints/cli/__init__.py"})
LAZY_ROOM = "graphmem/adapters/embedders/"
DOORS = "graphmem/entrypoints/"
WORKER = "graphmem/services/work.py"
"""The outermost frame of a thread that has no door above it (ADR 12)."""
ENVIRONMENT_READER = "graphmem/config.py"
VAGUE_NAMES = frozenset({"utils", "helpers", "common", "core", "base", "manager", "models"})
CYPHER = re.compile(r"\b(?:MATCH|MERGE|CREATE)\s*\(|\bUNWIND\b")

Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One Python file: where it lies (from the repository's top) and what stands in it."""

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file."""
        return ast.parse(self.text, self.name)

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self.text.splitlines())

    @cached_property
    def functions(self) -> list[Definition]:
        """Every function and method in it, nested ones too."""
        return [node for node in ast.walk(self.tree) if isinstance(node, Definition)]

    def at(self, node: ast.AST, what: object = "") -> str:
        """Say where a node stands and what is wrong there, as one line of a report."""
        return f"{self.name}:{getattr(node, 'lineno', 1)} {what}".rstrip()


def sources(*folders: str) -> list[Source]:
    """Read the Python files below the given folders of the repository, in order of their names."""
    files = sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))
    return [Source(file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8")) for file in files]


PRODUCT = sources("graphmem")
OURS = PRODUCT + sources("benchmarks", "tests", "scripts")


def docstring_lines(node: Definition) -> int:
    """Count the lines that a function's docstring takes."""
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is None or first.end_lineno is None:
        return 0
    return first.end_lineno - first.lineno + 1


def length(node: Definition) -> int:
    """Count a function's lines from `def` to its end."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def parameters(node: Definition) -> int:
    """Count a function's parameters, *args and **kwargs too, self and cls not."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    own = positional[1:] if positional and positional[0].arg in {"self", "cls"} else positional
    return (
        len(own) + len(arguments.kwonlyargs) + sum(bool(star) for star in (arguments.vararg, arguments.kwarg))
    )


def over_budget(measure: Callable[[Definition], int], budget: int) -> list[str]:
    """List the functions of ours whose measure exceeds a budget, with the measure."""
    return [
        file.at(node, f"{node.name} {measure(node)}")
        for file in OURS
        for node in file.functions
        if measure(node) > budget
    ]


def where(is_wrong: Callable[[ast.AST], bool], *allowed: str) -> list[str]:
    """List the places in the product that hold what only files whose name starts as allowed may hold."""
    return [
        file.at(node)
        for file in PRODUCT
        if not file.name.startswith(allowed)
        for node in ast.walk(file.tree)
        if is_wrong(node)
    ]


def imported(node: ast.AST) -> list[str]:
    """Name the modules that an import statement names; relative ones are the house's own."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return ["graphmem" if node.level else node.module or ""]
    return []


def strings(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield the string constants of a file that are values: docstrings and bare strings are left out."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node, node.value


def public(body: list[ast.stmt]) -> Iterator[Definition | ast.ClassDef]:
    """Yield the functions and classes of a body whose names have no leading underscore."""
    for node in body:
        if isinstance(node, Definition | ast.ClassDef) and not node.name.startswith("_"):
            yield node


def nothing(found: list[str]) -> None:
    """Fail with everything that was found, a line each."""
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def test_there_is_something_to_check() -> None:
    assert PRODUCT


def test_files_are_short() -> None:
    nothing([f"{file.name} {file.lines}" for file in OURS if file.lines > FILE_LINES])


def test_functions_are_short() -> None:
    over = [
        file.at(node, f"{node.name} {lines}")
        for file in OURS
        for node in file.functions
        if (lines := length(node) - docstring_lines(node)) > FUNCTION_LINES
        and f"{file.name}:{node.name}" not in LONG_FUNCTIONS
    ]
    nothing(over)


def test_no_function_is_long_even_by_agreement() -> None:
    nothing(over_budget(length, FUNCTION_LINES_AT_MOST))


def test_agreements_on_long_functions_are_in_use() -> None:
    known = {f"{file.name}:{node.name}" for file in OURS for node in file.functions}
    assert known >= LONG_FUNCTIONS


def test_parameters_are_few() -> None:
    nothing(over_budget(parameters, PARAMETERS))


def test_ports_are_narrow() -> None:
    over = [
        file.at(node, f"{node.name} {methods}")
        for file in PRODUCT
        if file.name.startswith("graphmem/ports/")
        for node in public(file.tree.body)
        if isinstance(node, ast.ClassDef)
        and (methods := sum(isinstance(part, Definition) for part in public(node.body))) > PORT_METHODS
    ]
    nothing(over)


def is_heavy(module: str) -> bool:
    """Tell whether a module is an outside library, the only thing that an embedder may load late."""
    return module.partition(".")[0] not in sys.stdlib_module_names | {"graphmem"}


def test_imports_stand_at_the_top() -> None:
    inside = [
        file.at(node, module)
        for file in PRODUCT
        if file.name not in LAZY_FILES
        for function in file.functions
        for node in ast.walk(function)
        for module in imported(node)
        if not (file.name.startswith(LAZY_ROOM) and is_heavy(module))
    ]
    nothing(inside)


def test_domain_and_ports_import_only_the_standard_library() -> None:
    outside = [
        file.at(node, module)
        for file in PRODUCT
        if file.name.startswith(("graphmem/domain/", "graphmem/ports/"))
        for node in ast.walk(file.tree)
        for module in imported(node)
        if is_heavy(module)
    ]
    nothing(outside)


def catches_everything(node: ast.AST) -> bool:
    """Tell whether a node is a handler of anything: bare, or with Exception or BaseException named."""
    if not isinstance(node, ast.ExceptHandler):
        return False
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    return any(kind is None or ast.unparse(kind) in {"Exception", "BaseException"} for kind in kinds)


def test_only_doors_catch_everything() -> None:
    nothing(where(catches_everything, DOORS, WORKER))


def reads_environment(node: ast.AST) -> bool:
    """Tell whether a node is os.environ, os.getenv or the like, or imports one of them."""
    names = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
    if isinstance(node, ast.ImportFrom):
        return node.module == "os" and any(alias.name in names for alias in node.names)
    return isinstance(node, ast.Attribute) and node.attr in names and ast.unparse(node.value) == "os"


def test_one_file_reads_the_environment() -> None:
    nothing(where(reads_environment, ENVIRONMENT_READER))


def test_cypher_stands_in_query_files() -> None:
    found = [
        file.at(node, text[:60])
        for file in PRODUCT
        for node, text in strings(file.tree)
        if CYPHER.search(text)
    ]
    nothing(found)


def test_names_say_something() -> None:
    vague = [file.name for file in PRODUCT if VAGUE_NAMES & set(Path(file.name).with_suffix("").parts)]
    nothing(vague)


def test_public_things_are_described() -> None:
    bare = [
        file.at(node, node.name)
        for file in PRODUCT
        for node in described(file)
        if not ast.get_docstring(node)
    ]
    nothing(bare)


def described(file: Source) -> Iterator[Definition | ast.ClassDef]:
    """Yield what needs a docstring: public functions and classes, and a port's methods (the contract)."""
    for node in public(file.tree.body):
        yield node
        if isinstance(node, ast.ClassDef) and file.name.startswith("graphmem/ports/"):
            yield from public(node.body)


def test_there_are_as_many_lines_of_tests_as_of_source() -> None:
    tests = sum(file.lines for file in sources("tests"))
    assert tests >= sum(file.lines for file in PRODUCT)


@pytest.mark.parametrize(
    ("text", "is_cypher"),
    [
        ("MATCH (n) RETURN n", True),
        ("UNWIND $rows AS row", True),
        ("CREATE TABLE t (id)", False),
        ("a match", False),
    ],
)
def test_cypher_is_told_from_other_text(text: str, is_cypher: bool) -> None:
    assert bool(CYPHER.search(text)) is is_cypher
