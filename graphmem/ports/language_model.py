"""What the service asks of a language model: one reply to one prompt."""

from __future__ import annotations

from typing import Protocol

from graphmem.domain.consulting import Prompt, Reply


class LanguageModel(Protocol):
    """A model that answers."""

    @property
    def name(self) -> str:
        """The model, as its endpoint calls it."""

    def reply(self, prompt: Prompt) -> Reply:
        """What the model says to it; the text may be anything, whatever schema was asked for.

        Raises UnavailableError when it does not answer now, BadInputError when it never will as it is set up.
        """
