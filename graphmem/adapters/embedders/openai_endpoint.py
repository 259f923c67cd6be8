"""A model behind an OpenAI-compatible address, over the official SDK: texts leave this machine, redacted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import openai
from numpy.typing import NDArray

from graphmem.adapters.embedders.loading import WINDOW, excerpt, packed
from graphmem.adapters.embedders.sentence_encoder import prefix_of
from graphmem.adapters.embedders.yardstick import estimated
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.domain.records import EmbeddingSpace, SpaceParameters

PROVIDER = "openai"
BATCH = 32
"""Texts of one request."""
TEXT_S = 0.1
"""Seconds more that an attempt may take for each further text of a request."""
FIRST_S = 10.0
"""Seconds that an attempt may take until the endpoint has answered once: it may be loading its model."""
RETRIES = 1
"""Further attempts after 408, 409, 429, 5xx or a lost connection; the SDK waits as long as retry-after says."""
NO_KEY = "none"
"""What is sent as a key where none is set: servers on one's own machine ask for none."""
FIRST_TIME = "it is needed at the first start: check GRAPHMEM_EMBED_URL, or begin with --embedder none"
LATER = "what is written is kept and gets its vectors later"

_PROBE = "graphmem"


class OpenAIEndpoint:
    """Embeds by one model of an endpoint. Keeps to the address it is given: no redirect, no key from elsewhere.

    url: the address up to /v1; key: '' = none; timeout_s: how long an attempt for one text may take. The dimension, mu
    and sd are learnt from the endpoint once, and kept in the folder `known` ('' = nowhere), so that a memory can
    be opened while it is away. Long texts: excerpt(). What the endpoint cuts off is not known here.
    """

    def __init__(self, model: str, url: str, key: str, *, timeout_s: float, known: str = "") -> None:
        if not model.strip():
            raise BadInputError("the model is not named", field="embedder", remedy=f"{PROVIDER}:MODEL")
        self._model = model
        self._prefix = prefix_of({}, None, model)
        self._timeout_s = timeout_s
        self._answered = False
        self._lock = Lock()
        named = hashlib.sha256(f"{url}\n{model}".encode()).hexdigest()[:16]
        self._known = Path(known) / f"endpoint-{named}.json" if known else None
        self._client = openai.OpenAI(
            api_key=key or NO_KEY,
            base_url=url,
            max_retries=RETRIES,
            http_client=openai.DefaultHttpxClient(follow_redirects=False),
        )
        self._client.organization = self._client.project = None

    @property
    def space(self) -> EmbeddingSpace:
        """Identity by the model's name and dimension, whatever the address: an endpoint tells no revision.

        Asks the endpoint where that is not known yet. Raises UnavailableError, BadInputError as embed().
        """
        return self.parameters.space

    @cached_property
    def parameters(self) -> SpaceParameters:
        """mu and sd estimated from yardstick.SENTENCES, no means; asks the endpoint where they are not known yet.

        Raises UnavailableError, BadInputError as embed().
        """
        with self._lock:
            return self._kept() or self._learnt()

    def warm_up(self) -> None:
        """Ask the endpoint once. Raises as embed()."""
        self.embed(["warm up"])

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One unit vector of space.dimension little-endian float32 per text.

        Raises UnavailableError when the endpoint does not answer now or answers no vectors of this space,
        BadInputError when it refuses for good (key, model).
        """
        return self._embedded(texts, self.space.dimension) if texts else []

    def _embedded(self, texts: Sequence[str], dimension: int) -> list[bytes]:
        vectors: list[bytes] = []
        for start in range(0, len(texts), BATCH):
            batch = [self._prefix + excerpt(text) for text in texts[start : start + BATCH]]
            rows = self._asked(batch)
            if rows.shape[1] != dimension:
                raise self._other(rows.shape[1], dimension)
            vectors += packed(rows, len(batch), dimension)
        return vectors

    def _learnt(self) -> SpaceParameters:
        try:
            dimension = self._asked([self._prefix + _PROBE]).shape[1]
            learnt = estimated(self._identity(dimension), lambda texts: self._embedded(texts, dimension))
        except UnavailableError as error:
            raise UnavailableError(error.message, field=error.field, remedy=FIRST_TIME) from None
        if self._known is not None:
            self._keep(self._known, learnt)
        return learnt

    def _identity(self, dimension: int) -> EmbeddingSpace:
        return EmbeddingSpace(
            provider=PROVIDER,
            model=self._model,
            revision="untold",
            dimension=dimension,
            pooling=f"the endpoint's, {WINDOW}",
            prefix=self._prefix,
        )

    def _kept(self) -> SpaceParameters | None:
        """What was learnt earlier; None where nothing that can be read is kept."""
        try:
            data = json.loads(self._known.read_text(encoding="utf-8")) if self._known else {}
            space = self._identity(int(data["dimension"]))
            return SpaceParameters(space=space, mu=float(data["mu"]), sd=float(data["sd"]))
        except (OSError, ValueError, LookupError, TypeError):
            return None

    @staticmethod
    def _keep(place: Path, learnt: SpaceParameters) -> None:
        data = {"dimension": learnt.space.dimension, "mu": learnt.mu, "sd": learnt.sd}
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(json.dumps(data) + "\n", encoding="utf-8")
        except OSError:
            return  # it is asked again next time

    def _asked(self, batch: list[str]) -> NDArray[np.float32]:
        """float32[n, d] in the order of the texts, d at least 1."""
        limit = (self._timeout_s if self._answered else max(FIRST_S, self._timeout_s)) + TEXT_S * (
            len(batch) - 1
        )
        try:
            answer: Any = self._client.embeddings.create(
                model=self._model, input=batch, encoding_format="float", timeout=limit
            )
            rows = _read(answer, len(batch))
        except openai.APIStatusError as error:
            raise _refused(error.status_code) from None
        except openai.APIConnectionError as error:
            raise UnavailableError(
                f"the embedder's endpoint did not answer: {type(error).__name__}",
                field="embedder",
                remedy=f"check that GRAPHMEM_EMBED_URL is up; {LATER}",
            ) from None
        except (openai.OpenAIError, ArithmeticError, AttributeError, TypeError, ValueError) as error:
            raise UnavailableError(
                f"the endpoint's answer is not one vector for each text: {type(error).__name__}",
                field="embedder",
                remedy="check that the model of this name is one for embeddings",
            ) from None
        self._answered = True
        return rows

    def _other(self, found: int, dimension: int) -> UnavailableError:
        return UnavailableError(
            f"the endpoint answers vectors of dimension {found}, earlier ones had {dimension}: another model",
            field="embedder",
            remedy=f"set the former model up again; to change over, remove {self._known}, then graphmem reembed",
        )


def _read(answer: Any, count: int) -> NDArray[np.float32]:
    """The vectors by their index. Raises ValueError, TypeError, AttributeError for anything else than one each."""
    items = {item.index: item.embedding for item in answer.data}
    if sorted(items) != list(range(count)) or len(answer.data) != count:
        raise ValueError("not one vector each")
    with np.errstate(over="ignore"):  # what is too large becomes infinity, which packed() refuses
        rows = np.asarray([items[place] for place in range(count)], dtype=np.float32)
    if rows.ndim != 2 or not rows.shape[1]:
        raise ValueError("no rows of numbers")
    return rows


def _refused(status: int) -> BadInputError | UnavailableError:
    """The error for a status; the endpoint's own words stay out of it: they may hold the key or a text."""
    said = f"the embedder's endpoint answered {status}"
    if status in (408, 409, 429) or status >= 500:
        return UnavailableError(said, field="embedder", remedy=f"try again later; {LATER}")
    field = "GRAPHMEM_EMBED_KEY" if status in (401, 403) else "embedder"
    return BadInputError(
        said, field=field, remedy="check the model's name, GRAPHMEM_EMBED_URL and GRAPHMEM_EMBED_KEY"
    )
