"""Settings: which store is meant and who named it, the access to a server, and where the user's files lie."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from graphmem.config import (
    FROM_SERVER,
    SERVER_SCHEMES,
    Settings,
    config_dir,
    data_dir,
    from_environment,
    is_server,
    model_endpoint,
    process_environment,
    server_home,
)
from graphmem.domain.consulting import ModelEndpoint
from graphmem.domain.errors import BadInputError
from graphmem.tooling.neo4j.passwords import make_password, password_file
from graphmem.tooling.neo4j.records import Record, write_record

ADDRESS = "neo4j://graph.example:7687"
PORT = 25000


def settings(variables: dict[str, str] | None = None, **given: Any) -> Settings:
    """The settings of an environment that holds nothing else; nothing is kept in its folders."""
    return from_environment({"XDG_DATA_HOME": "/nowhere", **(variables or {})}, **given)


@pytest.mark.parametrize(
    ("variables", "given", "store", "store_from"),
    [
        ({}, "", "sqlite:////nowhere/graphmem/memory.db", ""),
        ({"NEO4J_URI": ADDRESS}, "", ADDRESS, "NEO4J_URI"),
        ({"NEO4J_URI": ADDRESS, "GRAPHMEM_STORE": "sqlite:///a.db"}, "", "sqlite:///a.db", "GRAPHMEM_STORE"),
        (
            {"NEO4J_URI": ADDRESS, "GRAPHMEM_STORE": "sqlite:///a.db"},
            "sqlite:///b.db",
            "sqlite:///b.db",
            "store",
        ),
        ({"NEO4J_URI": "", "GRAPHMEM_STORE": ""}, "", "sqlite:////nowhere/graphmem/memory.db", ""),
        ({"NEO4J_URI": "http://of.no.use"}, "sqlite:///b.db", "sqlite:///b.db", "store"),
    ],
)
def test_the_store_is_the_one_named_nearest(
    variables: dict[str, str], given: str, store: str, store_from: str
) -> None:
    found = settings(variables, store=given)
    assert (found.store, found.store_from) == (store, store_from)


def test_none_is_not_given() -> None:
    found = settings({"NEO4J_URI": ADDRESS}, store=None, namespace=None, embedder="")
    assert (found.store, found.namespace, found.embedder) == (ADDRESS, "main", "e5-small")


@pytest.mark.parametrize(
    ("variables", "user", "password", "database"),
    [
        ({}, "", "", "neo4j"),
        ({"NEO4J_PASSWORD": "p"}, "neo4j", "p", "neo4j"),
        ({"NEO4J_USERNAME": "a", "NEO4J_USER": "b", "NEO4J_PASSWORD": "p"}, "a", "p", "neo4j"),
        ({"NEO4J_USER": "b", "NEO4J_PASSWORD": "p", "NEO4J_DATABASE": "memory"}, "b", "p", "memory"),
        ({"NEO4J_USERNAME": "a", "NEO4J_DATABASE": ""}, "a", "", "neo4j"),
    ],
)
def test_access_to_a_server(variables: dict[str, str], user: str, password: str, database: str) -> None:
    found = settings({"NEO4J_URI": ADDRESS, **variables})
    assert (found.neo4j_user, found.neo4j_password, found.neo4j_database) == (user, password, database)


def test_secrets_are_kept_out_of_what_is_printed() -> None:
    found = settings({"NEO4J_PASSWORD": "correct-horse", "GRAPHMEM_TOKEN": "battery-staple"})
    assert found.neo4j_password == "correct-horse"
    assert "correct-horse" not in repr(found)
    assert "battery-staple" not in f"{found} {found!s}"


@pytest.mark.parametrize(
    "store",
    [
        "neo4j://user:secret@host:7687",
        "bolt://:secret@host",
        "neo4j+s://user@host",
        "bolt://user:sec/ret@host",
        "http://user:secret@host",
    ],
)
def test_credentials_in_an_address_are_refused(store: str) -> None:
    for field, call in (
        ("store", lambda: settings(store=store)),
        ("GRAPHMEM_STORE", lambda: settings({"GRAPHMEM_STORE": store})),
        (FROM_SERVER, lambda: settings({FROM_SERVER: store})),
        ("store", lambda: Settings(store=store)),
    ):
        with pytest.raises(BadInputError) as caught:
            call()
        assert caught.value.field == field
        assert "NEO4J_USERNAME and NEO4J_PASSWORD" in caught.value.remedy
        assert "ret@" not in str(caught.value)


def test_a_file_may_hold_the_sign_of_an_address() -> None:
    assert settings(store="sqlite:///me@home/memory.db").store == "sqlite:///me@home/memory.db"


@pytest.mark.parametrize("uri", ["http://host:7474", "host:7687", "sqlite:///memory.db"])
def test_the_variable_of_servers_names_a_server(uri: str) -> None:
    with pytest.raises(BadInputError, match=r"NEO4J_URI: .* is no address of a Neo4j server"):
        settings({"NEO4J_URI": uri})


def test_servers_are_told_from_files() -> None:
    assert all(is_server(f"{scheme}://host") for scheme in SERVER_SCHEMES)
    assert not any(map(is_server, ("sqlite:///neo4j", "neo4j", "bolt", "", "http://host", "/bolt://x")))


def test_the_folders_of_the_user() -> None:
    named = {"XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "/config"}
    assert (data_dir(named), config_dir(named)) == (Path("/data/graphmem"), Path("/config/graphmem"))
    assert server_home(named) == Path("/data/graphmem/neo4j/data")
    assert data_dir({}) == Path.home() / ".local/share/graphmem"
    assert config_dir({"XDG_CONFIG_HOME": ""}) == Path.home() / ".config/graphmem"


def test_the_environment_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEM_TRIAL", "1")
    copied = process_environment()
    assert copied["GRAPHMEM_TRIAL"] == "1"
    copied["GRAPHMEM_TRIAL"] = "2"
    assert os.environ["GRAPHMEM_TRIAL"] == "1"


@pytest.fixture
def own(tmp_path: Path) -> dict[str, str]:
    """An environment in whose folders a server was started, with its kept password."""
    variables = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    started(variables)
    return variables


def started(variables: dict[str, str], *, pid: int = 77, open_to_all: bool = False) -> Path:
    """Write down a start as the control of servers does."""
    home = server_home(variables)
    home.mkdir(parents=True, exist_ok=True)
    file = password_file(config_dir(variables), home)
    make_password(file)
    kept = "" if open_to_all else str(file)
    write_record(
        home, Record(version="5.26.29", bolt_port=PORT, http_port=PORT + 1, password_file=kept, pid=pid)
    )
    return file


@pytest.mark.parametrize("host", ["neo4j://127.0.0.1", "bolt://127.0.0.1", "bolt://localhost"])
def test_the_password_of_the_own_server_is_found(own: dict[str, str], host: str) -> None:
    kept = started(own).read_text(encoding="utf-8").strip()
    found = from_environment(own, store=f"{host}:{PORT}")
    assert (found.neo4j_user, found.neo4j_password, found.own_server) == ("neo4j", kept, True)
    assert from_environment({**own, "NEO4J_USER": "neo4j", "NEO4J_URI": found.store}).neo4j_password == kept


@pytest.mark.parametrize(
    "store",
    [
        f"neo4j://127.0.0.1:{PORT + 1}",
        "neo4j://127.0.0.1",
        "neo4j://127.0.0.1:no",
        f"neo4j://graph.example:{PORT}",
        f"bolt+s://127.0.0.1:{PORT}",
        f"http://127.0.0.1:{PORT}",
        "sqlite:///memory.db",
    ],
)
def test_it_is_given_to_no_other_server(own: dict[str, str], store: str) -> None:
    found = from_environment(own, store=store)
    assert (found.neo4j_user, found.neo4j_password, found.own_server) == ("", "", False)


def test_what_is_set_wins_over_what_is_kept(own: dict[str, str]) -> None:
    store = f"bolt://127.0.0.1:{PORT}"
    found = from_environment({**own, "NEO4J_PASSWORD": "set"}, store=store)
    assert (found.neo4j_user, found.neo4j_password) == ("neo4j", "set")
    found = from_environment({**own, "NEO4J_USERNAME": "reader"}, store=store)
    assert (found.neo4j_user, found.neo4j_password) == ("reader", "")


def test_nothing_is_given_to_whoever_listens_where_the_server_stopped(own: dict[str, str]) -> None:
    started(own, pid=0)
    found = from_environment(own, store=f"bolt://127.0.0.1:{PORT}")
    assert (found.neo4j_password, found.own_server) == ("", True)


def test_a_server_without_authentication_needs_nothing(own: dict[str, str]) -> None:
    started(own, open_to_all=True)
    assert from_environment(own, store=f"bolt://127.0.0.1:{PORT}").neo4j_user == ""


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"pid": 1, "bolt_port": 25000}'])
def test_a_broken_record_gives_nothing(own: dict[str, str], text: str) -> None:
    (server_home(own) / "server.json").write_text(text, encoding="utf-8")
    assert from_environment(own, store=f"bolt://127.0.0.1:{PORT}").neo4j_password == ""


def test_a_lost_password_gives_nothing(own: dict[str, str]) -> None:
    started(own).unlink()
    assert from_environment(own, store=f"bolt://127.0.0.1:{PORT}").neo4j_password == ""


def test_nobody_is_told_unless_it_is_said_who() -> None:
    assert (from_environment({}).webhook, from_environment({}).webhook_secret) == ("", "")
    told = from_environment({"GRAPHMEM_WEBHOOK": "https://h.org/x?y=1", "GRAPHMEM_WEBHOOK_SECRET": "s3cret"})
    assert (told.webhook, told.webhook_secret) == ("https://h.org/x?y=1", "s3cret")
    assert "s3cret" not in repr(told)


@pytest.mark.parametrize(
    "url",
    [
        "hooks.org",
        "ftp://h.org/t0ken",
        "http://",
        "http://u:t0ken@h.org",
        "http://h.org:x/t0ken",
        "http://h.org/a\nb",
    ],
)
def test_what_is_no_webhook_is_refused(url: str) -> None:
    with pytest.raises(BadInputError) as caught:
        from_environment({"GRAPHMEM_WEBHOOK": url})
    assert caught.value.field == "GRAPHMEM_WEBHOOK"
    assert "t0ken" not in str(caught.value)


def test_a_language_model_is_named_by_its_variables() -> None:
    assert model_endpoint({}) == ModelEndpoint()
    told = {"GRAPHMEM_LLM": "m", "GRAPHMEM_LLM_URL": "http://127.0.0.1:1/v1", "GRAPHMEM_LLM_KEY": "s3cret"}
    assert model_endpoint({**told, "GRAPHMEM_LLM_TOKENS": "500"}) == ModelEndpoint(
        model="m", url="http://127.0.0.1:1/v1", key="s3cret", tokens=500
    )


@pytest.mark.parametrize(
    ("name", "text"), [("GRAPHMEM_LLM_URL", "u:t0ken@h"), ("GRAPHMEM_LLM_TOKENS", "many")]
)
def test_what_names_no_model_is_refused(name: str, text: str) -> None:
    with pytest.raises(BadInputError) as caught:
        model_endpoint({name: text})
    assert caught.value.field == name
    assert "t0ken" not in str(caught.value)


@pytest.mark.parametrize(("text", "share"), [("", 0.0), ("0", 0.0), ("0.2", 0.2), (".5", 0.5)])
def test_the_holdout_is_a_share(text: str, share: float) -> None:
    assert from_environment({"GRAPHMEM_HOLDOUT": text}).holdout == share


@pytest.mark.parametrize("text", ["1", "-0.1", "nan", "half", "20%"])
def test_what_is_no_holdout_is_refused(text: str) -> None:
    with pytest.raises(BadInputError) as caught:
        from_environment({"GRAPHMEM_HOLDOUT": text})
    assert caught.value.field == "GRAPHMEM_HOLDOUT"


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_given_holdout_is_checked_as_well(share: float) -> None:
    with pytest.raises(BadInputError) as caught:
        from_environment({}, holdout=share)
    assert caught.value.field == "holdout"


@pytest.mark.parametrize(("text", "least"), [("", 0.75), ("0.3", 0.3), ("1", 1.0)])
def test_from_which_probability_on_a_failure_is_a_warning(text: str, least: float) -> None:
    assert from_environment({"GRAPHMEM_REMIND_FROM": text}).remind_from == least


@pytest.mark.parametrize("text", ["0", "-1", "1.1", "nan", "75%"])
def test_what_is_no_probability_is_refused(text: str) -> None:
    with pytest.raises(BadInputError) as caught:
        from_environment({"GRAPHMEM_REMIND_FROM": text})
    assert caught.value.field == "GRAPHMEM_REMIND_FROM"


@pytest.mark.parametrize("least", [0.0, -0.1, 1.5, float("nan")])
def test_a_given_probability_is_checked_as_well(least: float) -> None:
    with pytest.raises(BadInputError) as caught:
        from_environment({}, remind_from=least)
    assert caught.value.field == "remind_from"
