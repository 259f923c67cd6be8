"""What the packaged models share: weights' digest, excerpt of a text, shipped prior."""

import hashlib
from importlib.metadata import distribution

import pytest

from graphmem.adapters.embedders import loading
from graphmem.adapters.embedders.hashing import HashingEmbedder
from graphmem.domain.errors import UnavailableError


def test_missing_prior_and_foreign_prior_are_refused() -> None:
    space = HashingEmbedder().space
    with pytest.raises(UnavailableError, match="missing"):
        loading.shipped("no_such_space", space)
    with pytest.raises(UnavailableError, match="not of the space"):
        loading.shipped("e5_small", space)


def test_digest_reads_the_file_where_the_list_of_files_is_silent() -> None:
    numpy_file = "numpy/__init__.py"
    listed = loading.weights_digest("numpy", numpy_file)
    with open(str(distribution("numpy").locate_file(numpy_file)), "rb") as file:
        assert listed == f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
    with pytest.raises(UnavailableError, match="reinstall"):
        loading.weights_digest("numpy", "numpy/no_such_weights.bin")


def test_excerpt_keeps_short_texts_and_both_ends_of_long_ones() -> None:
    assert loading.excerpt("短" * 600) == "短" * 600
    long = loading.excerpt("头" + "x" * 70_000 + "尾")
    assert long.startswith("头")
    assert long.endswith("尾")
    assert len(long.encode()) <= 2001
    assert "\0" not in loading.excerpt("a\0b")
    assert loading.excerpt("\ud800") == "?"
    assert "\ufffd" not in loading.excerpt("汉字" * 5000)
