"""The saved operations: one a file, within the limits, and together they ask for all that the schema has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from graphql import (
    FieldNode,
    GraphQLInterfaceType,
    GraphQLObjectType,
    OperationDefinitionNode,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    build_schema,
    parse,
    validate,
    visit,
)

from graphmem.entrypoints.graphql.documents import measure, validated
from graphmem.entrypoints.graphql.schema import print_schema, schema
from graphmem.queries import SCHEMA, graphql_operation
from graphmem.queries import path as query_path
from tests.unit.entrypoints.graphql.door import opened

FOLDER = query_path("graphql/status.graphql").parent
NAMES = sorted(file.stem for file in FOLDER.glob("*.graphql"))


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_a_file(name: str) -> None:
    """A comment says what it is for, one named operation follows, the name is that of the file."""
    text = graphql_operation(name)
    first = text.splitlines()[0]
    assert first.startswith("# ")
    assert len(first) > 20
    operations = [item for item in parse(text).definitions if isinstance(item, OperationDefinitionNode)]
    (operation,) = operations
    assert operation.name is not None
    assert re.sub(r"(?<!^)([A-Z])", r"_\1", operation.name.value).lower() == name
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("name", NAMES)
def test_operations_fit_the_committed_schema_and_the_limits(name: str) -> None:
    text = graphql_operation(name)
    published = build_schema(query_path(SCHEMA).read_text(encoding="utf-8"))
    assert validate(published, parse(text)) == []
    assert validated(schema(introspection=False)._schema, text, False) == ()
    measure(parse(text))


def sample(name: str) -> dict[str, Any]:
    """The variables that an operation brings, as a person would paste them; none where it declares none."""
    text = graphql_operation(name)
    found = re.findall(r"^# variables: (.+)$", text, re.MULTILINE)
    (operation,) = (item for item in parse(text).definitions if isinstance(item, OperationDefinitionNode))
    assert len(found) == bool(operation.variable_definitions)
    given: dict[str, Any] = json.loads(found[0]) if found else {}
    assert given.keys() <= {item.variable.name.value for item in operation.variable_definitions or ()}
    return given


def test_the_variables_that_operations_bring_are_taken(tmp_path: Path) -> None:
    """As they stand, in a memory that holds what they name: no operation answers an error."""
    with opened(tmp_path) as door:
        door.fact("Supplier prices are in cents")
        for action in ("load the prices", "clean the prices"):
            door.experience(action, causedBy=[{"id": "F-1"}])
        for name in NAMES:
            answer = door.ask(graphql_operation(name), **sample(name))
            assert (answer.status, answer.errors) == (200, []), name
            problems = [
                item["code"] for item in answer.data.values() if isinstance(item, dict) and "code" in item
            ]
            assert set(problems) <= {"NOT_FOUND", "CONFLICT"}, (name, answer.data)


def test_every_operation_is_executed() -> None:
    """By its name in a test beside this one."""
    own = "".join(
        file.read_text(encoding="utf-8") for file in Path(__file__).parent.glob("test_graphql_*.py")
    )
    helpers = {"remember_fact": "door.fact(", "record_experience": "door.experience("}
    missing = [name for name in NAMES if f'"{name}"' not in own and helpers.get(name, "\0") not in own]
    assert missing == []


class _Asked(Visitor):
    """Collects (type, field) of every field that is asked for."""

    def __init__(self, types: TypeInfo, found: set[tuple[str, str]]) -> None:
        super().__init__()
        self._types = types
        self._found = found

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        """Note the field under the type it is asked of."""
        parent = self._types.get_parent_type()
        if parent is not None:
            self._found.add((parent.name, node.name.value))


def test_operations_ask_for_every_field_of_the_schema() -> None:
    """What is published is tried, field by field; fields of an interface count for all its kinds."""
    published = build_schema(print_schema())
    asked: set[tuple[str, str]] = set()
    for name in NAMES:
        types = TypeInfo(published)
        visit(parse(graphql_operation(name)), TypeInfoVisitor(types, _Asked(types, asked)))
    missing: list[str] = []
    for kind in published.type_map.values():
        if kind.name.startswith("__") or not isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            continue
        over = [interface.name for interface in kind.interfaces]
        missing += [
            f"{kind.name}.{field}"
            for field in kind.fields
            if not any((name, field) in asked for name in (kind.name, *over)) and not _by_kind(field, asked)
        ]
    assert missing == []


def _by_kind(field: str, asked: set[tuple[str, str]]) -> bool:
    """Receipts are asked of the kinds that can be written now."""
    return field == "receipt" and {("Fact", field), ("Experience", field)} <= asked
