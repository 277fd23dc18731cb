"""Windows of a real browser on the judging screen."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from germane.tables.truth.judgments import standing
from tests.output.browsers import CHROMIUM, FLAGS
from tests.web.judging_site import PNG, Live, plain_text

SAME_KEY_SECONDS = 0.35
"""Seconds between two presses of one key that the screen takes for two, not for a slip."""
SHOWN = "article:not([hidden])"
LOOK = """async (before) => {
  const { dataset } = document.documentElement;
  const task = () => dataset.task ?? "";
  const isThere = () => (task() && task() !== before) || dataset.done === "true";
  const start = performance.now();
  while (!isThere() && performance.now() - start < 10000) await new Promise((done) => setTimeout(done, 1));
  if (!isThere()) throw new Error("no other document came");
  return [task(), document.querySelector("article:not([hidden]) .label")?.textContent ?? ""];
}"""


@pytest.fixture(scope="module", name="browser")
def a_browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium here (set GERMANE_CHROMIUM to its path)")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


class Window:
    """A window on the judging screen, with everything it asked for and everything it said."""

    def __init__(self, browser: Any, running: Live, name: str, *, context: Any = None, role: Any = "assessor") -> None:
        self.running = running
        self.context = context or browser.new_context(viewport={"width": 1280, "height": 900})
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.foreign: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self._asked_back)
        self.page.on("request", self._asked)
        if context is None:
            self.page.goto(running.link(name, role))
            self.page.click("#come-in")
            self.page.wait_for_url("**/judge" if role == "assessor" else "**/progress")
        if context is not None or role != "assessor":
            self.page.goto(f"{running.origin}/judge")
        self.page.wait_for_selector("html[data-task]")
        self.task = self.label = ""
        self.pressed = ("", 0.0)
        self.look()

    def _asked_back(self, dialog: Any) -> None:
        self.said.append(dialog.message)
        dialog.dismiss()

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.running.origin, "data:", "about:")):
            self.foreign.append(request.url)

    def look(self, before: str | None = None) -> None:
        """See what is on the screen; wait until it is not the task `before`."""
        self.task, self.label = self.page.evaluate(LOOK, before)

    def press(self, key: str) -> None:
        """Press a key and wait until another document is there, or none. The same key is pressed as people do."""
        if key == self.pressed[0]:
            time.sleep(max(0.0, self.pressed[1] + SAME_KEY_SECONDS - time.monotonic()))
        self.page.keyboard.press(key)
        self.pressed = (key, time.monotonic())
        self.look(self.task)

    def saved(self) -> None:
        self.page.wait_for_selector("#saved[data-state=saved]")

    def try_again(self) -> None:
        """Do not wait for the next attempt to send."""
        self.page.evaluate("void dispatchEvent(new Event('online'))")

    def another(self, browser: Any) -> Window:
        return Window(browser, self.running, "", context=self.context)

    def close(self) -> None:
        self.context.close()


def standing_grades(running: Live) -> dict[str, float]:
    """What stands, by document; exactly once each."""
    found = standing(running.events())
    assert max(Counter(zip(found.assessor, found.topic, found.doc, strict=True)).values()) == 1
    return dict(zip(found.doc, found.grade.tolist(), strict=True))


def many_documents(count: int) -> dict[str, str | bytes]:
    docs: dict[str, str | bytes] = {}
    for number in range(count):
        text = plain_text(number)
        if number % 10 == 3:
            docs[f"d{number}.html"] = f"<h2>Page {number}</h2><p>{text}</p>"
        elif number % 10 == 7:
            docs[f"d{number}.png"] = PNG
        else:
            docs[f"d{number}.txt"] = text * (10 if number % 4 == 0 else 1)
    return docs
