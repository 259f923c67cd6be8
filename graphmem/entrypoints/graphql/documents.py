"""Documents parsed, measured and validated once; hostile ones are refused before they cost anything.

The order matters. Tokens are counted while parsing. Fragments are looked at next, in time linear to the
document: the library's depth and alias rules walk a fragment anew at each spread, so that a few fragments
which spread each other twice keep them busy for a minute. Only then those rules run, with GraphQL's own.
The rules are built once and results are kept by text: rules built per request would never meet a cache.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from graphql import (
    DocumentNode,
    ExecutableDefinitionNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLSchema,
    GraphQLSyntaxError,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    SelectionNode,
    parse,
    specified_rules,
    validate,
)
from strawberry.extensions import MaxAliasesLimiter, QueryDepthLimiter, SchemaExtension
from strawberry.schema.validation_rules.maybe_null import MaybeNullValidationRule
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule

MAX_CHARACTERS = 100_000
"""Of a document; long texts belong into variables."""
MAX_TOKENS = 1_000
MAX_ALIASES = 15
MAX_DEPTH = 10
MAX_FRAGMENTS = 10
MAX_SELECTIONS = 1_000
"""With every fragment written out where it is spread."""
MAX_REPEATS = 10
"""Of one answer name in one selection: comparing them is quadratic."""
MAX_ERRORS = 10
"""Told of one document; each costs a search for what may have been meant."""
_CACHED = 128
_INTROSPECTION = "__"
"""What names of introspection types begin with. Their usual query spreads its fragments several times."""

_RULES = (
    *specified_rules,
    MaybeNullValidationRule,
    OneOfInputValidationRule,
    *QueryDepthLimiter(max_depth=MAX_DEPTH).validation_rules,
    *MaxAliasesLimiter(max_alias_count=MAX_ALIASES).validation_rules,
)
_CLOSED_RULES = (*_RULES, NoSchemaIntrospectionCustomRule)


@dataclass
class _Measured:
    """One definition: its own selections, how often it spreads which fragment, and its worst repetition."""

    selections: int = 0
    spreads: Counter[str] = field(default_factory=Counter)
    repeats: int = 0


class Gate(SchemaExtension):
    """Parses and validates through the caches of this module."""

    introspection = True

    def on_parse(self) -> Iterator[None]:
        """The parsed document. Raises GraphQLError for a syntax error or too many tokens."""
        context = self.execution_context
        context.graphql_document = parsed(context.query or "")
        operations = [
            item for item in context.graphql_document.definitions if isinstance(item, OperationDefinitionNode)
        ]
        if len(operations) > 1 and not context._provided_operation_name:
            raise GraphQLError("Must provide operation name if query contains multiple operations.")
        yield

    def on_validate(self) -> Iterator[None]:
        """The errors of the document."""
        context = self.execution_context
        found = validated(context.schema._schema, context.query or "", self.introspection)
        context.pre_execution_errors = list(found)
        yield


class ClosedGate(Gate):
    """The same, and the schema cannot be read."""

    introspection = False


@lru_cache(maxsize=_CACHED)
def parsed(text: str) -> DocumentNode:
    """The document. Raises GraphQLError; errors are not kept."""
    if len(text) > MAX_CHARACTERS:
        raise _refused(f"the document has {len(text)} characters, at most {MAX_CHARACTERS} are read")
    try:
        return parse(text, max_tokens=MAX_TOKENS)
    except GraphQLSyntaxError as error:
        if f"{MAX_TOKENS} tokens" in error.message:
            raise _refused(f"the document has more than {MAX_TOKENS} tokens") from error
        raise


@lru_cache(maxsize=_CACHED)
def validated(schema: GraphQLSchema, text: str, introspection: bool) -> tuple[GraphQLError, ...]:
    """What is wrong with a document that can be parsed; () when it may be executed."""
    document = parsed(text)
    try:
        measure(document)
    except GraphQLError as refusal:
        return (refusal.with_traceback(None),)
    rules = _RULES if introspection else _CLOSED_RULES
    return tuple(validate(schema, document, rules, max_errors=MAX_ERRORS))


def measure(document: DocumentNode) -> None:
    """Refuse too many, unknown, circular or multiplying fragments, in one pass over the document.

    Raises GraphQLError.
    """
    measured = [
        (item, _measure(item)) for item in document.definitions if isinstance(item, ExecutableDefinitionNode)
    ]
    fragments = {item.name.value: own for item, own in measured if isinstance(item, FragmentDefinitionNode)}
    count = sum(isinstance(item, FragmentDefinitionNode) for item, _ in measured)
    if count > MAX_FRAGMENTS:
        raise _refused(f"{count} fragments, at most {MAX_FRAGMENTS} are allowed")
    if any(own.repeats > MAX_REPEATS for _, own in measured):
        raise _refused(f"a field is repeated more than {MAX_REPEATS} times in one selection")
    unknown = {name for _, own in measured for name in own.spreads if name not in fragments}
    if unknown:
        raise GraphQLError(f"Unknown fragment '{min(unknown)}'.")
    within: Counter[str] = sum((own.spreads for own in fragments.values()), Counter())
    exempt = {
        item.name.value
        for item, _ in measured
        if isinstance(item, FragmentDefinitionNode)
        and item.type_condition.name.value.startswith(_INTROSPECTION)
    }
    if any(times > 1 for name, times in within.items() if name not in exempt):
        raise _refused("a fragment is spread by fragments more than once")
    sizes = _written_out(fragments)
    total = sum(
        own.selections + sum(sizes[name] * times for name, times in own.spreads.items())
        for item, own in measured
        if not isinstance(item, FragmentDefinitionNode)
    )
    if total > MAX_SELECTIONS:
        raise _refused(
            f"{total} selections once fragments are written out, at most {MAX_SELECTIONS} are allowed"
        )


def _measure(definition: ExecutableDefinitionNode) -> _Measured:
    measured = _Measured()
    sets = [definition.selection_set]
    while sets:
        selections: tuple[SelectionNode, ...] = sets.pop().selections
        names: Counter[str] = Counter()
        for selection in selections:
            measured.selections += 1
            if isinstance(selection, FragmentSpreadNode):
                measured.spreads[selection.name.value] += 1
            elif isinstance(selection, FieldNode):
                names[(selection.alias or selection.name).value] += 1
            inner = getattr(selection, "selection_set", None)
            if inner:
                sets.append(inner)
        measured.repeats = max([measured.repeats, *names.values()])
    return measured


def _written_out(fragments: dict[str, _Measured]) -> dict[str, int]:
    """How many selections each fragment stands for, those of the fragments it spreads included."""
    sizes: dict[str, int] = {}
    waiting = dict(fragments)
    while waiting:
        ready = [name for name, own in waiting.items() if all(spread in sizes for spread in own.spreads)]
        if not ready:
            raise GraphQLError(f"Fragments spread each other in a circle: {', '.join(sorted(waiting))}.")
        for name in ready:
            own = waiting.pop(name)
            sizes[name] = own.selections + sum(sizes[spread] * times for spread, times in own.spreads.items())
    return sizes


def _refused(message: str) -> GraphQLError:
    remedy = "ask for less at once, and send texts as variables"
    return GraphQLError(message, extensions={"code": "TOO_LARGE", "remedy": remedy})
