"""A scripted endpoint on loopback: the official SDK in front of what real servers do to texts."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphmem.adapters.embedders.openai_endpoint import BATCH, NO_KEY, OpenAIEndpoint
from graphmem.adapters.embedders.yardstick import SENTENCES, estimated
from graphmem.domain.errors import BadInputError, GraphmemError, UnavailableError
from tests.endpoint import DIMENSION, SECRET, WORDS, answer, inputs, serving, vectors
from tests.receiver import STALL, Receiver, receiving


def model(server: Receiver, key: str = "", **given: Any) -> OpenAIEndpoint:
    """The embedder at this server."""
    return OpenAIEndpoint("m-1", f"{server.url}/v1", key, **({"timeout_s": 2.0} | given))


def test_texts_are_embedded_in_batches_and_their_order() -> None:
    texts = [f"text {number}" for number in range(2 * BATCH + 1)]
    with serving() as server:
        made = model(server, key="sk-1")
        assert made.embed([]) == []
        assert server.raw == []
        rows = [np.frombuffer(data, "<f4") for data in made.embed(texts)]
    assert np.allclose(rows, vectors(texts), atol=1e-6)
    assert [len(message["input"]) for message in server.messages[-3:]] == [BATCH, BATCH, 1]
    assert {(path, sent["model"]) for path, sent in zip(server.paths, server.messages, strict=True)} == {
        ("/v1/embeddings", "m-1")
    }
    assert server.headers[0]["authorization"] == "Bearer sk-1"


def test_dimension_mu_and_sd_are_learnt_once_and_kept(tmp_path: Path) -> None:
    """As of any model that nobody measured; with them a memory opens while the endpoint is away."""
    with serving() as server:
        learnt = model(server, known=str(tmp_path / "new")).parameters
        requests = len(server.raw)
        again = model(server, known=str(tmp_path / "new")).parameters
        assert len(server.raw) == requests
    expected = estimated(WORDS.space, WORDS.embed)
    assert (learnt.mu, learnt.sd, dict(learnt.mean)) == (expected.mu, expected.sd, {})
    assert again == learnt
    assert (learnt.space.provider, learnt.space.model, learnt.space.dimension) == ("openai", "m-1", DIMENSION)
    assert set(inputs(server)) == {"graphmem", *SENTENCES["zh"], *SENTENCES["en"]}
    assert model(server, known=str(tmp_path / "new")).space == learnt.space


@pytest.mark.parametrize("kept", ["", "[]", '{"dimension": "x"}', '{"dimension": 3}', "\xff"])
def test_what_is_kept_and_cannot_be_read_is_learnt_again(tmp_path: Path, kept: str) -> None:
    with serving() as server:
        learnt = model(server, known=str(tmp_path)).parameters
        (place,) = tmp_path.iterdir()
        place.write_text(kept, encoding="latin-1")
        assert model(server, known=str(tmp_path)).parameters == learnt
        assert SECRET not in place.read_text(encoding="utf-8")


def test_the_same_model_at_another_address_is_the_same_space() -> None:
    with serving() as one, serving() as other:
        pass
    with serving() as one:
        first = model(one).space
    with serving() as other:
        assert (model(other).space, one.url == other.url) == (first, False)


def test_models_of_the_e5_family_get_their_prefix() -> None:
    with serving() as server:
        made = OpenAIEndpoint("intfloat/multilingual-e5-base", f"{server.url}/v1", "", timeout_s=2.0)
        assert made.space.prefix == "query: "
        made.embed(["a\0b", "x" * 9_999])
    assert inputs(server)[-2] == "query: a b"
    assert len(inputs(server)[-1]) == len("query: ") + 2_001


def test_keys_of_the_sdk_s_own_variables_are_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "s3cret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with serving() as server:
        model(server).embed(["x"])
    assert {headers["authorization"] for headers in server.headers} == {f"Bearer {NO_KEY}"}
    assert "s3cret" not in json.dumps(server.headers)


def refused(server: Receiver, caplog: pytest.LogCaptureFixture, **given: Any) -> GraphmemError:
    """The error of one call, which repeats neither the key nor what the endpoint said."""
    caplog.set_level(logging.INFO)
    with pytest.raises(GraphmemError) as caught:
        model(server, key=SECRET, **given).embed(["a text of ours"])
    error: BaseException | None = caught.value
    said = str(error) + caplog.text
    assert error is not None
    assert error.__cause__ is None
    assert error.__suppress_context__
    assert "s3cret" not in said
    assert "text of ours" not in said
    assert caught.value.remedy
    return caught.value


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_an_endpoint_that_stays_busy_is_unavailable(status: int, caplog: pytest.LogCaptureFixture) -> None:
    with serving([status]) as server:
        server.sent["retry-after"] = "0.01"
        assert isinstance(refused(server, caplog), UnavailableError)
    assert len(server.raw) == 2


def test_a_busy_endpoint_is_asked_again_when_it_says() -> None:
    with serving([429, 200]) as server:
        server.sent["retry-after"] = "0.01"
        assert len(model(server).embed(["x"])) == 1


@pytest.mark.parametrize(
    ("status", "field"),
    [(401, "GRAPHMEM_EMBED_KEY"), (403, "GRAPHMEM_EMBED_KEY"), (404, "embedder"), (400, "embedder")],
)
def test_a_wrong_key_or_name_is_said(status: int, field: str, caplog: pytest.LogCaptureFixture) -> None:
    with serving([status]) as server:
        error = refused(server, caplog)
    assert (type(error), error.field) == (BadInputError, field)
    assert len(server.raw) == 1


def test_a_redirect_is_not_followed(caplog: pytest.LogCaptureFixture) -> None:
    with serving([307]) as server:
        refused(server, caplog)
    assert set(server.paths) == {"/v1/embeddings"}


def test_an_endpoint_that_does_not_come_back_is_unavailable(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphmem.adapters.embedders.openai_endpoint.FIRST_S", 0.1)
    with serving([STALL]) as server:
        assert "Timeout" in refused(server, caplog, timeout_s=0.1).message


def test_nobody_at_the_address_is_unavailable(caplog: pytest.LogCaptureFixture) -> None:
    with serving() as server:
        pass
    assert "did not answer" in refused(server, caplog).message


ONE = [1.0, 2.0]


@pytest.mark.parametrize(
    "body",
    [
        "<html>s3cret</html>",
        "{}",
        '{"data": null}',
        '{"data": [7]}',
        '{"data": [{"index": 0}]}',
        answer([]),
        answer([ONE, ONE]),
        answer([ONE], [1]),
        answer([ONE, ONE], [0, 0]),
        answer([[]]),
        answer([[ONE]]),
        answer([1.0]),
        answer([["a", "b"]]),
        answer([[None, 1.0]]),
        answer([[float("nan"), 1.0]]),
        answer([[1e300, 1.0]]),
        answer([[0.0, 0.0]]),
        answer(["s3cret"]),
    ],
)
def test_an_answer_that_is_no_vector_each_is_unavailable(
    body: str, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    known = {"dimension": 2, "mu": 0.1, "sd": 0.1}
    with receiving(bodies=[answer([ONE]), body]) as server:
        made = model(server, known=str(tmp_path))
        made._known.write_text(json.dumps(known), encoding="utf-8")  # type: ignore[union-attr]
        assert len(made.embed(["x"])) == 1
        caplog.set_level(logging.INFO)
        with pytest.raises(UnavailableError) as caught:
            made.embed(["x"])
    assert "s3cret" not in str(caught.value) + caplog.text
    assert caught.value.field == "embedder"


def test_another_dimension_is_another_model(tmp_path: Path) -> None:
    """A model changed behind its name; its vectors do not come in beside the others."""
    with serving() as server:
        made = model(server, known=str(tmp_path))
        made._known.write_text('{"dimension": 7, "mu": 0.1, "sd": 0.1}', encoding="utf-8")  # type: ignore[union-attr]
        with pytest.raises(UnavailableError, match="another model") as caught:
            made.embed(["x"])
    assert str(tmp_path) in caught.value.remedy
