"""How fields are declared: described by their docstrings, many arguments as one parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING
from typing import Any, TypeVar

import strawberry
from strawberry import UNSET
from strawberry.extensions import FieldExtension
from strawberry.types.arguments import StrawberryArgument
from strawberry.types.base import get_object_definition
from strawberry.types.field import StrawberryField

_Resolver = TypeVar("_Resolver", bound=Callable[..., Any])


def answered(*extensions: FieldExtension) -> Callable[[_Resolver], _Resolver]:
    """Makes a method a field of the schema; its docstring is what the schema says of it."""

    def declare(resolver: _Resolver) -> Any:
        described = inspect.cleandoc(resolver.__doc__ or "")
        return strawberry.field(resolver=resolver, description=described, extensions=list(extensions))

    return declare


class Spread(FieldExtension):
    """Shows the fields of an input class as arguments; the resolver gets them as one value."""

    def __init__(self, name: str, cls: type) -> None:
        """name: the resolver's parameter; cls: the input class."""
        self._name = name
        self._class = cls

    def apply(self, field: StrawberryField) -> None:
        """Replace the one argument by those of the class."""
        definition = get_object_definition(self._class, strict=True)
        field.arguments = [
            StrawberryArgument(
                python_name=item.python_name,
                graphql_name=None,
                type_annotation=item.type_annotation,
                default=UNSET if item.default is MISSING else item.default,
                description=item.description,
            )
            for item in definition.fields
            if item.type_annotation is not None
        ]

    def map_arguments(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Put what was given back into one value."""
        return {self._name: self._class(**kwargs)}
