"""The judging screen in a real browser: fast, by keyboard alone, and nothing is lost."""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import Any

import pytest

from tests.web.judging_site import Live, live
from tests.web.windows import Window, a_browser, many_documents, standing_grades

pytestmark = pytest.mark.slow  # a browser draws every page

__all__ = ["a_browser"]

CANNOT = -1.0


def test_200_judgments_by_keyboard_alone(
    browser: Any, tmp_path: Path, record_property: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with live(tmp_path / "p", many_documents(203), topics=1) as running:
        window = Window(browser, running, "ann")
        given: dict[str, float] = {}
        for number in range(200):
            given[window.label] = number % 3
            window.press(str(number % 3))
        window.saved()
        took = window.page.evaluate(
            "performance.getEntriesByName('key-to-next-document').map((entry) => entry.duration)"
        )
        median = statistics.median(took)
        record_property("key_to_next_document_ms", median)
        with capsys.disabled():
            print(f"\nkey to next document: median {median:.1f} ms, most {max(took):.1f} ms, of {len(took)}")  # noqa: T201
        assert len(took) == 200
        assert standing_grades(running) == given
        assert len(running.events()) == 200
        assert window.foreign == []
        assert window.said == []
        for _ in range(3):
            window.press("0")
        window.page.wait_for_selector("html[data-done=true]")
        window.close()


def test_nothing_is_lost_whatever_happens(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(40)) as running:
        window = Window(browser, running, "ann")
        given: dict[str, float] = {}

        def grade(one: Window, value: int) -> None:
            given[one.label] = value
            one.press(str(value))

        for number in range(6):
            grade(window, number % 3)
        # Reload at once: what was on its way is kept and sent, and the same document is there again.
        on_screen = window.task
        window.page.reload()
        window.page.wait_for_selector("html[data-task]")
        window.look()
        assert window.task == on_screen
        # Back: the earlier answer is shown, and another one changes it.
        window.press("b")
        assert window.page.get_attribute("#grades [aria-pressed=true]", "data-grade") == str(
            int(given[window.label] or 0)
        )
        grade(window, 2)
        assert window.task == on_screen
        # Undo goes back to the document, with nothing chosen.
        grade(window, 1)
        window.press("u")
        assert window.task == on_screen
        assert window.page.query_selector("#grades [aria-pressed=true]") is None
        grade(window, 0)
        # Later and cannot judge.
        window.press("l")
        given[window.label] = CANNOT
        window.press("x")
        # An acknowledgement that gets lost on the way: the answer is sent again, and stored once.
        lost: list[int] = []

        def lose_the_first(route: Any) -> None:
            reply = route.fetch()
            if lost:
                route.fulfill(response=reply)
            else:
                lost.append(1)
                route.abort()

        window.page.route("**/api/answers", lose_the_first)
        grade(window, 1)
        window.page.wait_for_selector("#saved[data-state=offline]")
        window.try_again()
        window.saved()
        window.page.unroute("**/api/answers")
        assert lost == [1]
        # The network is cut: what was prefetched can be judged, and the mark says how much is kept.
        window.context.set_offline(True)
        for number in range(3):
            grade(window, number % 3)
        window.page.wait_for_selector("#saved[data-state=offline]")
        assert "Offline: 3 judgments saved in this browser" in window.page.inner_text("#saved")
        window.context.set_offline(False)
        window.saved()
        # Two windows share what is in hand; a second grade of the same document is a change.
        other = window.another(browser)
        assert other.label == window.label
        grade(window, 0)
        other.page.wait_for_selector("#notice:has-text('another window')")
        grade(other, 2)
        other.saved()
        window.saved()
        done = "document.documentElement.dataset.done === 'true'"
        while not window.page.evaluate(done):
            if window.page.query_selector("#grades [aria-pressed=true]"):  # answered in the other window meanwhile
                window.press("ArrowRight")
            else:
                grade(window, 1)
        window.saved()
        found = standing_grades(running)
        assert len(found) == 40
        assert {doc: CANNOT if math.isnan(value) else value for doc, value in found.items()} == given
        ids = [event.event for event in running.events()]
        assert len(ids) == len(set(ids))
        window.close()


def test_the_server_may_die_and_come_back(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(12)) as running:
        window = Window(browser, running, "ann")
        window.press("1")
        window.saved()
        running.stop()
        window.press("2")
        window.press("0")
        window.page.wait_for_selector("#saved[data-state=offline]")
        again = Live(running.folder, running.port)
        window.try_again()
        window.saved()
        assert sorted(standing_grades(again).values()) == [0, 1, 2]
        window.close()
        again.stop()


def test_a_browser_that_keeps_nothing_says_so_and_still_saves(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(5)) as running:
        window = Window(browser, running, "ann")
        window.page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
        window.context.set_offline(True)
        window.press("1")
        window.page.wait_for_selector("#unkept:visible")
        window.context.set_offline(False)
        window.try_again()
        window.saved()
        window.page.wait_for_selector("#unkept", state="hidden")
        assert list(standing_grades(running).values()) == [1]
        window.close()


def test_an_answer_that_is_refused_is_shown_and_not_forgotten(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(5)) as running:
        window = Window(browser, running, "ann")
        refuse = {"status": "refused", "extra": False, "reason": "nothing to undo"}
        window.page.route(
            "**/api/answers",
            lambda route: route.fulfill(
                json={
                    "receipts": [
                        one | refuse for one in ({"event": a["event"]} for a in route.request.post_data_json["answers"])
                    ]
                }
            ),
        )
        window.press("1")
        window.page.wait_for_selector("#refused:visible")
        window.page.reload()
        window.page.wait_for_selector("#refused:visible")
        assert "nothing to undo" in window.page.text_content("#refused-list")
        window.page.click("#refused summary")
        window.page.click("[data-action=dismiss-refused]")
        assert window.page.is_hidden("#refused")
        window.close()
