"""The schema, built once, and its published text."""

from __future__ import annotations

from functools import cache

import strawberry
from graphql import GraphQLError, build_schema, lexicographic_sort_schema
from graphql import print_schema as print_sdl
from strawberry.schema.config import StrawberryConfig
from strawberry.types.execution import ExecutionContext

from graphmem.entrypoints.graphql.documents import ClosedGate, Gate
from graphmem.entrypoints.graphql.kinds import Experience, Fact, Pattern, Strategy
from graphmem.entrypoints.graphql.mutations import Mutation
from graphmem.entrypoints.graphql.queries import Query
from graphmem.entrypoints.graphql.scalars import SCALARS


class QuietSchema(strawberry.Schema):
    """Logs nothing by itself: the library prints errors with the values in them."""

    def process_errors(
        self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None
    ) -> None:
        """Nothing; what is unexpected is noted where it is masked."""


@cache
def schema(introspection: bool = True) -> strawberry.Schema:
    """The schema; introspection False: it can be used but not read."""
    return QuietSchema(
        query=Query,
        mutation=Mutation,
        types=[Fact, Experience, Pattern, Strategy],
        extensions=[Gate if introspection else ClosedGate],
        config=StrawberryConfig(scalar_map=SCALARS, disable_field_suggestions=not introspection),
    )


def print_schema() -> str:
    """The schema as text, sorted: what schema.graphql holds. (Sorting the live schema breaks its enums.)"""
    return print_sdl(lexicographic_sort_schema(build_schema(schema().as_str()))).strip() + "\n"
