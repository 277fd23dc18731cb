"""A real browser for tests of pages: Chromium driven by Playwright, with the network cut."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = os.environ.get("GERMANE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
"""The browser; .ci/run installs Debian's."""

AXE = os.environ.get("GERMANE_AXE")
"""The file axe.min.js of axe-core, which .ci/run gets from npm."""

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[Any]:
    """A running browser; skips the test where something is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium here (set GERMANE_CHROMIUM to its path)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Opened:
    """A page opened from disk without a network, with everything it said to the console."""

    def __init__(
        self,
        browser: Any,
        path: Path,
        *,
        width: int = 1280,
        height: int = 900,
        scheme: str = "light",
        fragment: str = "",
        before: str = "",
    ) -> None:
        """Open a page at a fragment, and wait until it is drawn, unless a script is to run `before` its own."""
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, offline=True, bypass_csp=False
        )
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.requested: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.requested.append(request.url))
        address = path.as_uri() + (f"#{fragment}" if fragment else "")
        if before:
            self.page.add_init_script(before)
            self.page.goto(address, wait_until="commit")
            self.page.wait_for_selector("html[data-ready=yes]")
        else:
            self.page.goto(address)
            self.page.wait_for_selector("html[data-figures=drawn]")

    def settled(self) -> None:
        """Wait until every figure shows what is chosen."""
        self.page.wait_for_timeout(50)
        self.page.wait_for_selector("html[data-figures=drawn]")

    def close(self) -> None:
        self.context.close()


def serious_faults(opened: Opened) -> list[str]:
    """What axe-core finds wrong, if it is serious."""
    if AXE is None:
        pytest.skip("no axe-core here (set GERMANE_AXE to axe.min.js)")
    # The page's policy lets no other script in, so axe is run by the driver and not by an element.
    opened.page.evaluate(Path(AXE).read_text(encoding="utf-8") + "\n;undefined")
    found = opened.page.evaluate("axe.run()")
    return [
        f"{fault['id']}: {fault['help']} ({fault['nodes'][0]['html'][:160]})"
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
    ]
