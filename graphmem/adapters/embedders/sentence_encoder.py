"""Any model of the library sentence-transformers, from a folder or from a hub's cache on this machine."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from graphmem.adapters.embedders.loading import WINDOW, excerpt, packed
from graphmem.adapters.embedders.yardstick import estimated
from graphmem.domain.errors import BadInputError, UnavailableError
from graphmem.domain.records import EmbeddingSpace, SpaceParameters

PROVIDER = "sentence-transformers"
INSTALL = "pip install 'graphmem[sentence-transformers]'"
BATCH = 16
"""Texts per turn of the model: a query waits for one turn of a long job, not for all of it."""
SYMMETRIC = ("sts", "sentence-similarity", "sentence_similarity")
"""Names that models give to the prompt for comparing like with like."""

_COMMIT = re.compile(r"[0-9a-f]{40}")
_E5 = re.compile(r"(?:^|[-_])e5[-_](?!.*instruct)", re.IGNORECASE)
_WEIGHTS = (".bin", ".model", ".safetensors", ".txt")


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A model that is ready, and the identity of its space."""

    model: Any
    space: EmbeddingSpace


class SentenceEncoder:
    """Embeds with one prefix on both sides: a memory is compared with a memory, not asked about.

    model: a folder, or a hub's name of the model. fetch: whether the library may download what this machine
    lacks; without it nothing leaves the machine. The library (seconds to import, gigabytes to install) and the
    model are loaded by the first use of anything here. Long texts: excerpt(), then what the model reads of it.
    A text's vector may differ in its last bits with the texts beside it.
    """

    def __init__(self, model: str, *, fetch: bool = False) -> None:
        if not model.strip():
            raise BadInputError(
                "the model is not named", field="embedder", remedy=f"{PROVIDER}:FOLDER or {PROVIDER}:NAME"
            )
        folder = Path(model).expanduser()
        self._folder = folder if folder.is_dir() else None
        self._name = str(folder) if self._folder else model if "/" in model else f"{PROVIDER}/{model}"
        self._fetch = fetch
        self._lock = RLock()
        self._loaded: _Loaded | None = None

    @property
    def space(self) -> EmbeddingSpace:
        """Identity with the hub's commit, or the sha256 of a folder's weights and vocabulary; loads the model.

        Raises UnavailableError when it cannot be loaded.
        """
        return self._ready().space

    @cached_property
    def parameters(self) -> SpaceParameters:
        """mu and sd estimated from yardstick.SENTENCES, no means; loads the model. Raises UnavailableError."""
        return estimated(self.space, self.embed)

    def warm_up(self) -> None:
        """Load the model now. Raises UnavailableError when it cannot be loaded."""
        self._ready()

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One unit vector of space.dimension little-endian float32 per text.

        Raises UnavailableError when the model cannot be loaded or answers with no vector.
        """
        vectors: list[bytes] = []
        for start in range(0, len(texts), BATCH):
            batch = [excerpt(text) for text in texts[start : start + BATCH]]
            with self._lock:
                ready = self._ready()
                rows = _encoded(ready.model, batch, ready.space.prefix)
            vectors += packed(rows, len(batch), ready.space.dimension)
        return vectors

    def _ready(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                model, revision = self._load()
                self._loaded = _Loaded(model, self._identity(model, revision))
            return self._loaded

    def _load(self) -> tuple[Any, str]:
        """The model and the revision of it."""
        try:
            from huggingface_hub import snapshot_download
            from huggingface_hub.constants import HF_HUB_CACHE
            from safetensors import SafetensorError
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging as progress
        except ImportError as error:
            raise UnavailableError(
                f"sentence-transformers cannot be imported: {error}", field="embedder", remedy=INSTALL
            ) from error
        failures = (LookupError, OSError, RuntimeError, SafetensorError, TypeError, ValueError)
        if not self._fetch:
            progress.disable_progress_bar()  # also that of a download
        # It warns that the default prompt is used, which is meant.
        logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
        try:
            model = SentenceTransformer(
                self._name, cache_folder=HF_HUB_CACHE, local_files_only=not self._fetch
            )
            if self._folder is not None:
                return model, folder_digest(self._folder)
            return model, _commit(snapshot_download(self._name, local_files_only=True))
        except failures as error:
            raise self._unusable(error) from error

    def _identity(self, model: Any, revision: str) -> EmbeddingSpace:
        layers = [_described(layer) for layer in model][1:]
        return EmbeddingSpace(
            provider=PROVIDER,
            model=self._folder.resolve().name if self._folder else self._name,
            revision=revision,
            dimension=int(model.get_embedding_dimension() or 0),
            pooling=f"{' '.join(layers)}, {WINDOW}, {model.max_seq_length} tokens",
            prefix=prefix_of(model.prompts, model.default_prompt_name, self._name),
        )

    def _unusable(self, cause: Exception) -> UnavailableError:
        said = (str(cause) or type(cause).__name__).splitlines()[0]
        if self._folder is not None:
            remedy = "give the folder of a whole model, or choose another embedder"
        elif self._fetch:
            remedy = "check its name and the network, or give the folder of a model"
        else:
            remedy = "give the folder of a model, or let it be fetched: GRAPHMEM_FETCH_MODELS=1"
        return UnavailableError(
            f"the model {self._name} cannot be loaded: {said}", field="embedder", remedy=remedy
        )


def prefix_of(prompts: dict[str, str], default: str | None, name: str) -> str:
    """The prefix of both sides: the model's prompt for comparing like with like, else its default prompt.

    A model of the E5 family that declares neither takes 'query: ', as its authors ask for; any other takes none.
    """
    named = {key.lower(): text for key, text in prompts.items()}
    for key in (*SYMMETRIC, (default or "").lower()):
        if named.get(key):
            return named[key]
    return "query: " if _E5.search(name.rstrip("/").rpartition("/")[2]) else ""


def folder_digest(folder: Path) -> str:
    """'sha256:' and the hash of all weights and vocabularies below a folder, with their places in it."""
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        if path.is_file() and (path.suffix in _WEIGHTS or path.name == "tokenizer.json"):
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            whole.update(f"{path.relative_to(folder).as_posix()} {digest}\n".encode())
    return f"sha256:{whole.hexdigest()}"


def _commit(snapshot: str) -> str:
    """The commit that a snapshot in a hub's cache is named after."""
    name = Path(snapshot).name
    return f"commit:{name}" if _COMMIT.fullmatch(name) else folder_digest(Path(snapshot))


def _described(layer: Any) -> str:
    """A layer behind the transformer, with its mode when it pools: 'Pooling(mean)', 'Normalize'."""
    mode = getattr(layer, "pooling_mode", None)
    return f"{type(layer).__name__}({mode})" if mode else type(layer).__name__


def _encoded(model: Any, batch: list[str], prefix: str) -> Any:
    try:
        rows = model.encode(batch, prompt=prefix, batch_size=len(batch), show_progress_bar=False)
    except (RuntimeError, ValueError) as error:
        raise UnavailableError(f"the model does not answer: {error}", field="embedder") from error
    return np.asarray(rows, dtype=np.float32)
