"""The converted model, once for the whole lane. The library's absence is a failure: the lane is there to run it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem.adapters.embedders.sentence_encoder import SentenceEncoder
from tests.sentence_transformers.conversion import NAME, convert


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the converted model; taken away at the end, for it is big."""
    made = convert(tmp_path_factory.mktemp("converted") / NAME)
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="session")
def encoder(folder: Path) -> SentenceEncoder:
    """The embedder over the converted model, loaded."""
    made = SentenceEncoder(str(folder))
    made.warm_up()
    return made


@pytest.fixture
def copied(folder: Path, tmp_path: Path) -> Path:
    """A copy of the model's folder to spoil. Its big file is shared: replace it, never write into it."""
    return Path(shutil.copytree(folder, tmp_path / NAME, copy_function=_link))


def _link(source: str, target: str) -> None:
    if source.endswith(".safetensors"):
        Path(target).hardlink_to(source)
    else:
        shutil.copy2(source, target)
