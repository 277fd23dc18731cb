"""Take screenshots of the pages that germane writes and serves, with Chromium.

A screenshot differs between machines, so its bytes are never compared. The text that it shows can be compared:
``docs/images/texts.json`` has its hash, and ``make docs`` takes a picture again when the text has changed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from tests.output.browsers import CHROMIUM, FLAGS

WIDTH = 1280
"""Pixels of CSS; pictures have 1.25 times as many, so that they are sharp at the width of a page."""
HEIGHT = 800
MARGIN = 16
QUALITY = 80
"""Of WebP, which keeps a picture below 200 kB."""


def query_of_report(page: Any) -> Any:
    """Open a query of a report: two rankings side by side, and how the score is computed."""
    page.goto(f"{page.url}#query=q02")
    shown = page.locator("#query")
    shown.get_by_text("q02").first.wait_for()
    return shown


def section(heading: str) -> Callable[[Any], Any]:
    """Show the section under a heading that begins like this."""
    begins = re.compile(f"^(?:{heading})")
    return lambda page: page.locator("section").filter(has=page.get_by_role("heading", name=begins)).last


def judging(page: Any) -> Any:
    """Sign in, and show the first document to be judged."""
    page.click("#come-in")
    page.wait_for_url(lambda url: "/enter" not in url)
    page.goto(urljoin(page.url, "/judge"))
    page.wait_for_selector("html[data-task]")
    return page.locator("body")


VIEWS: dict[str, Callable[[Any], Any]] = {
    "report.webp": query_of_report,
    "correlations.webp": section("Correlations"),
    "coverage.webp": section("Judgment coverage"),
    "explorer.webp": section("Threshold explorer"),
    "digits.webp": section("The worst"),
    "judging.webp": judging,
}
"""By picture, what to do on the page; returns the element that is shown. Without an entry it is the whole window."""


def renew(command: str, path: Path, *, again: bool = False) -> None:
    """Take a screenshot of what a command writes or serves, unless the picture shows the same text already."""
    if CHROMIUM is None:
        print(f"kept docs/images/{path.name}: no chromium here (set GERMANE_CHROMIUM to its path)")
        return
    known = path.with_name("texts.json")
    texts = json.loads(known.read_text(encoding="utf-8")) if known.exists() else {}
    with looked_at(command, path.name) as (page, shown):
        text = hashlib.sha256(shown.inner_text().encode()).hexdigest()[:16]
        if path.exists() and texts.get(path.name) == text and not again:
            return
        path.write_bytes(picture_of(page, shown))
    known.write_text(json.dumps(dict(sorted({**texts, path.name: text}.items())), indent=1) + "\n", encoding="utf-8")
    print(f"wrote docs/images/{path.name}")


@contextmanager
def looked_at(command: str, name: str) -> Iterator[tuple[Any, Any]]:
    """Open the page of a command and the view of a picture; yields the page and the element to show."""
    with opened(command) as page:
        shown = VIEWS.get(name, lambda page: page.locator("body"))(page)
        page.wait_for_timeout(300)  # figures that follow a click are drawn
        yield page, shown


def picture_of(page: Any, shown: Any) -> bytes:
    """Return what an element shows as WebP, which the driver itself does not write."""
    box = shown.bounding_box()
    left, top = max(0, box["x"] - MARGIN), max(0, box["y"] + page.evaluate("window.scrollY") - MARGIN)
    width, height = min(box["width"] + 2 * MARGIN, WIDTH), min(box["height"] + 2 * MARGIN, HEIGHT)
    clip = {"x": left, "y": top, "width": width, "height": height, "scale": 1}
    wish = {"format": "webp", "quality": QUALITY, "clip": clip, "captureBeyondViewport": True}
    return base64.b64decode(page.context.new_cdp_session(page).send("Page.captureScreenshot", wish)["data"])


@contextmanager
def opened(command: str) -> Iterator[Any]:
    """Open the page that a command writes, or serves at the address that it prints."""
    from playwright.sync_api import sync_playwright

    _, *arguments = shlex.split(command)
    start = [sys.executable, "-c", "from germane.cli import main; main()", *arguments]
    running = subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = _address(running, arguments)
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=1.25)
            page.set_default_timeout(10_000)
            page.goto(address)
            if address.startswith("file:"):
                page.wait_for_selector("html[data-figures=drawn]")
            yield page
            browser.close()
    finally:
        running.terminate()
        running.communicate()


def _address(running: subprocess.Popen[str], arguments: list[str]) -> str:
    """Return where the page is: the file that was written, once it is, or the first address printed."""
    written = [word for word in arguments if word.endswith(".html")]
    if written:
        if running.wait():
            raise RuntimeError(shlex.join(arguments))
        return Path(written[0]).resolve().as_uri()
    assert running.stdout is not None
    return next(line.strip() for line in running.stdout if line.startswith("http"))
