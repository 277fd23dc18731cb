"""The search pages in a real browser: with the keyboard, on a phone, without JavaScript, under hostile text."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="germane[judge] is not installed")

import uvicorn

from germane.retrieval.indexes.index import Index
from germane.web.search.pages import Form, build_search_app
from germane.web.serving import listen
from germane.web.site import local_addresses
from tests.output.browsers import AXE
from tests.web.hostile import XSS
from tests.web.windows import a_browser

pytestmark = pytest.mark.slow  # a browser draws every page

__all__ = ["a_browser"]

DOCS = {
    "wine": "red wine and white wine",
    "rose": "red roses with thorns",
    "thorn": "thorns of a hedge",
    **{f"{attack} {number}": f"hostile {attack}" for number, attack in enumerate(XSS)},
}


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    app = build_search_app(Index.of(DOCS, positions=True), Form(size="50"), local_addresses(port))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(timeout=10)


def test_the_whole_loop_with_the_keyboard_and_without_javascript(browser: Any, origin: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(origin)
    page.wait_for_selector("#q:focus")
    page.keyboard.type("red")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.wait_for_selector(".results h3")
    assert page.locator(".results h3").all_inner_texts() == ["1 rose", "2 wine"]
    page.locator(".results li:nth-child(2) .mark-none input").focus()
    page.keyboard.press("ArrowDown")  # the marks are one group: the next is the first
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.locator(".results h3").all_inner_texts() == ["1 wine", "2 rose"]
    assert page.locator(".badge:has-text('up 1, was 2')").is_visible()
    assert page.locator("#changes").is_visible()
    assert page.locator("li:nth-child(1) .mark-yes input").is_checked()
    page.locator(".results li:nth-child(1) summary:has-text('Why')").press("Enter")
    assert page.locator(".results li:nth-child(1) table").is_visible()
    with page.expect_download() as download:
        page.click("text=Save marks as qrels")
    assert Path(download.value.path()).read_text() == "1 0 wine 1\n"
    page.go_back()
    assert page.locator(".results h3").all_inner_texts() == ["1 rose", "2 wine"]
    context.close()


def test_a_mark_that_was_not_sent_survives_the_way_to_another_page(browser: Any, origin: str) -> None:
    page = browser.new_page()
    page.goto(f"{origin}/?q=red")
    page.check(".results li:nth-child(1) .mark-no input")
    page.goto(f"{origin}/document?id=wine&q=red")
    page.go_back()
    assert page.is_checked(".results li:nth-child(1) .mark-no input")
    page.close()


def test_hostile_documents_do_nothing(browser: Any, origin: str) -> None:
    page = browser.new_page()
    said: list[str] = []
    foreign: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on(
        "request", lambda request: None if request.url.startswith((origin, "data:")) else foreign.append(request.url)
    )
    page.goto(f"{origin}/?q=hostile")
    assert page.locator(".results > li").count() == len(XSS)
    for summary in page.locator(".results summary").all()[:8]:
        summary.click()
    assert page.get_attribute("form", "method") == "post"  # with such ids the address would be too long
    page.check(".results li:nth-child(3) .mark-yes input")
    page.click("text=Search again with marks", timeout=5000)
    page.wait_for_selector("#changes", timeout=5000)
    assert page.evaluate("window.pwned === undefined")
    assert (said, foreign) == ([], [])
    page.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_pages_are_accessible(browser: Any, origin: str, width: int, scheme: str) -> None:
    if AXE is None:
        pytest.skip("no axe-core here (set GERMANE_AXE to axe.min.js)")
    source = Path(AXE).read_text(encoding="utf-8") + "\n;undefined"
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    asked = "?q=red+thorns&asked=red+thorns&round=1&was=rose&was=wine&doc=rose&m1=yes&doc=thorn&m2=no"
    faults = []
    for address in ("", f"{asked}&k=1&feedback=iterated", f"{asked}&model=none", "document?id=wine&q=red"):
        page.goto(f"{origin}/{address}")
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        page.evaluate(source)
        faults += [
            f"{address}: {fault['id']}: {fault['nodes'][0]['html'][:160]}"
            for fault in page.evaluate("axe.run()")["violations"]
            if fault["impact"] in ("serious", "critical")
        ]
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth"), address
    assert faults == []
    context.close()
