"""Neo4j Browser, driven by a real Chromium: it connects, takes our style, and draws the demo's chain.

A missing Chromium is a failure that says what to install. GRAPHMEM_TEST_BROWSER=0 leaves these tests out, openly; not
where CI=true. GRAPHMEM_PICTURE=FILE keeps the picture (docs/images/neo4j-browser.png was made so).
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright
from typer.testing import CliRunner

from graphmem.config import Settings
from graphmem.domain.drafts import FactDraft
from graphmem.entrypoints.cli import browsing, make_app
from graphmem.entrypoints.cli.neo4j_place import Place
from graphmem.tooling.browser_kit import FIRST, GUIDE, STYLE, kit, prefilled, saved_queries
from graphmem.tooling.demo import Clock, Play, numbered_ids
from graphmem.tooling.kit_server import serving
from graphmem.tooling.neo4j import RunningServer, browser_address
from graphmem.wiring import build
from tests.acceptance.test_demo import Notes
from tests.neo4j_fixture import Neo4jKit, patient_store

pytestmark = [pytest.mark.neo4j, pytest.mark.slow, pytest.mark.timeout(600)]

SWITCH = "GRAPHMEM_TEST_BROWSER"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REMEDY = f"Debian, Ubuntu: apt install chromium. {SWITCH}=0 leaves these tests out."
PATIENCE_MS = 120_000
RED = "#da4b4b"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The Chromium of this machine, without a window."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if os.environ.get(SWITCH) == "0":
        if os.environ.get("CI") == "true":
            pytest.fail(f"{SWITCH}=0 leaves the browser out, but CI=true asks for it", pytrace=False)
        pytest.skip(f"the browser is left out: {SWITCH}=0")
    if program is None:
        pytest.fail(f"no Chromium for the tests. {REMEDY}", pytrace=False)
    with sync_playwright() as playwright:
        alone = ["--no-sandbox"] if os.geteuid() == 0 else []  # as root Chromium runs only so
        browser = playwright.chromium.launch(executable_path=program, args=alone)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A new window that has never seen Neo4j Browser."""
    with closing(chromium.new_context(viewport={"width": 1280, "height": 1000})) as context:
        context.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        yield context.new_page()


def told(server: RunningServer) -> dict[str, str]:
    """Tell a server the chain of the demo, in a namespace of its own: what is asked about."""
    namespace = f"browser-{uuid4().hex[:8]}"
    login = {"user": server.user, "password": server.password} if server.password else {}
    store = patient_store(server.bolt_uri, **login)
    settings = Settings(store=server.bolt_uri, embedder="none")
    with closing(build(settings, store=store, clock=Clock(), new_id=numbered_ids())) as services:
        Play(services, namespace, "en", Notes()).chain()
    return {"namespace": namespace, "ref": "E-3"}


@pytest.fixture(scope="module")
def about(neo4j_server: RunningServer) -> dict[str, str]:
    """What is asked about, on the server of the run."""
    return told(neo4j_server)


@pytest.fixture
def guarded(neo4j_kit: Neo4jKit, tmp_path: Path) -> Iterator[RunningServer]:
    """A server with a password, as `graphmem neo4j start` makes one."""
    with neo4j_kit.running(tmp_path / "home", authentication=True, heap="256m") as server:
        yield server


@pytest.fixture
def served(about: dict[str, str]) -> Iterator[str]:
    """The address of the kit."""
    with serving(lambda at: kit(about, f"{at}/{STYLE}")) as at:
        yield at


def opened(page: Page, server: RunningServer, command: str, *arguments: str) -> None:
    """Open Neo4j Browser at an address of ours; it has connected by itself."""
    address = browser_address(server, command, arguments)
    assert address.connects
    page.goto(address.url)
    expect(page.get_by_text("You have a working connection")).to_be_visible()


def ran(page: Page) -> Locator:
    """Run what stands in the editor: the frame that answers."""
    before = page.get_by_test_id("frame").count()
    page.get_by_test_id("editor-Run").click()
    expect(page.get_by_test_id("frame")).to_have_count(before + 1)
    return page.get_by_test_id("frame").first


def captions(drawn: Locator) -> list[str]:
    """What stands on each thing that is drawn; a caption may be broken into lines."""
    texts = [item.locator("text").all_text_contents() for item in drawn.all()]
    return [" ".join(" ".join(lines).split()) for lines in texts]


def starts(title: str, caption: str) -> bool:
    """Whether a caption is the beginning of a title, as far as there is room; it is broken anywhere."""
    shown = caption.removesuffix("…").replace(" ", "")
    return len(shown) > 10 and title.replace(" ", "").startswith(shown[: len(title.replace(" ", ""))])


def keep(picture: Path) -> None:
    """Keep a picture where the caller wants it."""
    if wanted := os.environ.get("GRAPHMEM_PICTURE"):
        shutil.copyfile(picture, wanted)


def test_the_chain_of_the_demo_is_drawn_in_our_style(
    page: Page, neo4j_server: RunningServer, about: dict[str, str], served: str, tmp_path: Path
) -> None:
    open_at = partial(opened, page, neo4j_server, "edit")
    open_at(f":style {served}/{STYLE}")
    styled = ran(page)
    expect(styled).to_contain_text("node.Failure")
    page.wait_for_function("() => (localStorage.getItem('neo4j.grass') || '').includes('node.Failure')")
    open_at(*prefilled(FIRST, about))
    frame = ran(page)
    nodes, arrows = frame.locator("g.node"), frame.locator("g.relationship")
    expect(nodes).to_have_count(3)
    expect(arrows).to_have_count(2)
    said = sorted(captions(nodes))
    titles = ["empty input not handled 未处理空输入", "index out of range 索引越界", "wrong report 报表错误"]
    assert all(starts(title, caption) for title, caption in zip(titles, said, strict=True)), said
    assert captions(arrows) == ["0.8", "0.8"]
    fills = [nodes.nth(place).locator("circle.b-outline").get_attribute("fill") for place in range(3)]
    assert fills == [RED] * 3
    picture = tmp_path / "chain.png"
    frame.screenshot(path=picture)
    assert picture.stat().st_size > 5_000
    keep(picture)


def test_a_password_is_asked_for_once_and_the_query_stays(page: Page, guarded: RunningServer) -> None:
    """The address holds no password; the page names the user, takes the kept password, and has not lost the query."""
    about = told(guarded)
    address = browser_address(guarded, "edit", prefilled(FIRST, about))
    assert not address.connects
    assert guarded.password
    assert guarded.password not in address.url
    page.goto(address.url)
    expect(page.get_by_test_id("username")).to_have_value(guarded.user)
    page.get_by_test_id("password").fill(guarded.password)
    page.get_by_test_id("connect").click()
    expect(page.get_by_text("You are connected as user")).to_be_visible()
    expect(ran(page).locator("g.node")).to_have_count(3)


def test_the_guide_opens_with_the_questions(page: Page, neo4j_server: RunningServer, served: str) -> None:
    opened(page, neo4j_server, "play", f"{served}/{GUIDE}")
    expect(page.get_by_role("heading", name="What went wrong, and why")).to_be_visible()
    expect(page.get_by_text(f"1 / {len(saved_queries()) + 1}")).to_be_visible()
    expect(page.get_by_text(f":style {served}/{STYLE}")).to_be_visible()
    expect(page.get_by_text(':param ref => "E-3"')).to_be_visible()


def test_another_origin_is_not_taken(page: Page, neo4j_server: RunningServer, served: str) -> None:
    """Neo4j Browser trusts localhost only: why the kit is served under that name."""
    opened(page, neo4j_server, "edit", f":style {served.replace('localhost', '127.0.0.1')}/{STYLE}")
    expect(ran(page)).to_contain_text("InvalidGrassError")


def test_an_embedded_store_is_brought_along(
    neo4j_server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copied once; asked again it is left as it is; where the two differ nothing is overwritten."""
    namespace, store = f"brought-{uuid4().hex[:8]}", f"sqlite:///{tmp_path / 'memory.db'}"
    monkeypatch.setattr(browsing, "_running", lambda place: neo4j_server)
    monkeypatch.setattr(browsing, "user_place", lambda: Place({}, tmp_path, tmp_path, tmp_path))

    def call() -> Any:
        words = ["neo4j", "browser", "--from", store, "--namespace", namespace, "--json"]
        return CliRunner().invoke(make_app(), words)

    with closing(build(Settings(store=store, embedder="none"))) as services:
        Play(services, namespace, "en", Notes()).chain()
        for _ in range(2):
            ended = call()
            assert ended.exit_code == 0, ended.output
            data = json.loads(ended.stdout)
            assert (data["ref"], [root["root"] for root in data["roots"]]) == ("E-3", ["E-1"])
            assert data["connects"]
        services.remember.fact(namespace, FactDraft(statement="written meanwhile"))
    assert call().exit_code == 4
