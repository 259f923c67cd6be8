"""Puts a language model and what waits for an analyst together; the only file that names a model's adapter."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from functools import partial
from importlib import import_module

from graphmem.domain.consulting import ModelEndpoint
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.ports.language_model import LanguageModel
from graphmem.services.allowance import Allowance
from graphmem.services.analyse import Analyse
from graphmem.services.consult import Consult
from graphmem.services.intake import Clock

CHAT_MODEL = "graphmem.adapters.analysts.chat"
"""Loaded when a model is asked for: its SDK is an extra, and costs a second of CPU."""
INSTALL = "pip install 'graphmem[llm]'"


def consultant(analyse: Analyse, endpoint: ModelEndpoint, *, clock: Clock | None = None) -> Consult:
    """The model at an endpoint as an analyst.

    Raises BadInputError when no model is named, UnavailableError when the SDK is not installed.
    """
    allowance = Allowance(endpoint.tokens, clock or partial(datetime.now, UTC))
    return Consult(analyse, model_at(endpoint), f"llm:{secrets.token_hex(4)}", allowance)


def model_at(endpoint: ModelEndpoint) -> LanguageModel:
    """The model at an endpoint.

    Raises BadInputError when none is named, UnavailableError when the SDK is not installed.
    """
    if not endpoint.model:
        raise BadInputError(
            "no model is named",
            field="GRAPHMEM_LLM",
            remedy="name one of the endpoint's models; --dry-run needs none",
        )
    try:
        adapter = import_module(CHAT_MODEL)
    except ModuleNotFoundError as error:
        if error.name != "openai":
            raise
        raise UnavailableError(
            "the openai SDK is not installed", field="GRAPHMEM_LLM", remedy=INSTALL
        ) from error
    model: LanguageModel = adapter.ChatModel(endpoint)
    return model
