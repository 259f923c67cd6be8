"""Words that go with a number."""

from __future__ import annotations

from string import Formatter


class _Numbered(Formatter):
    def format_field(self, value: object, format_spec: str) -> str:
        one, bar, many = format_spec.partition("|")
        if not bar:
            return str(super().format_field(value, format_spec))
        return one if str(value) == "1" else many


_NUMBERED = _Numbered()


def filled(text: str, **values: object) -> str:
    """A text with its {places} filled as by str.format; {n:one|many} is the first word when n is 1, else the second.

    Raises KeyError for a place without a value.
    """
    return _NUMBERED.format(text, **values)
