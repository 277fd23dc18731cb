"""A double click, or a key pressed twice, acts once: on every button that changes something, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from germane.judging.store.people import everybody, person_named
from tests.web.judging_site import Live, live
from tests.web.windows import Window, a_browser, many_documents, standing_grades

pytestmark = pytest.mark.slow  # a browser draws every page

__all__ = ["a_browser"]

CHANGING = ("POST", "PUT", "PATCH", "DELETE")
READS = ("/api/work", "/api/cases/next")
"""Paths that are posted to and change no judgment, person, link or bundle."""
CARELESS_GUARD = """
export const DOUBLE_CLICK = 0;
export class Guard { shown() {} isSlip() { return false; } }
"""
FIRST_CHANGES = "form[data-path]"


@contextmanager
def changes_of(page: Any) -> Iterator[list[str]]:
    """What is sent to change something, answer by answer."""
    sent: list[str] = []

    def hear(request: Any) -> None:
        path = request.url.split("://")[1].partition("/")[2]
        if request.method not in CHANGING or f"/{path}" in READS:
            return
        answers = request.post_data_json["answers"] if path == "api/answers" else [{"kind": path}]
        sent.extend(f"{request.method} {one['kind']}" for one in answers)

    page.on("request", hear)
    yield sent
    page.remove_listener("request", hear)


def settle(page: Any) -> None:
    """Longer than two clicks may be apart, so that the next one is meant."""
    page.wait_for_timeout(700)


def double_clicked(page: Any, selector: str) -> list[str]:
    settle(page)
    with changes_of(page) as sent:
        page.dblclick(selector)
        settle(page)
    return sent


# The judging screen


def answering_buttons(page: Any) -> list[str]:
    """Every button of the judging screen that can be clicked there, as the page has them."""
    found = page.eval_on_selector_all(
        "#bar [data-action]", "(all) => all.filter((one) => one.offsetParent).map((one) => one.outerHTML)"
    )
    actions = page.eval_on_selector_all(
        "#bar [data-action]", "(all) => all.filter((one) => one.offsetParent).map((one) => one.dataset.action)"
    )
    assert len(found) == len(actions) > 8
    return [action for action in dict.fromkeys(actions) if action not in ("comment", "find", "help")]


def acted_twice(window: Window) -> list[str]:
    """The buttons of the judging screen whose double click sends two answers."""
    found = []
    for action in answering_buttons(window.page):
        sent = double_clicked(window.page, f"#bar [data-action={action}]")
        if len(sent) > 1:
            found.append(f"{action}: {sent}")
    return found


def test_no_button_of_the_screen_acts_twice(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(20)) as running:
        window = Window(browser, running, "ann")
        assert acted_twice(window) == []
        kinds = [event.kind for event in running.events()]
        assert sorted(kinds) == ["cannot", "grade", "later", "undo"], "each acted once"
        window.close()


def test_a_screen_without_the_guard_is_caught(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(20)) as running:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.route(
            "**/static/guard.js",
            lambda route: route.fulfill(body=CARELESS_GUARD, content_type="text/javascript"),
        )
        page = context.new_page()
        page.goto(running.link("ann"))
        page.click("#come-in")
        page.wait_for_url("**/judge")
        window = Window(browser, running, "ann", context=context)
        assert {one.partition(":")[0] for one in acted_twice(window)} >= {"grade", "cannot", "later"}
        context.close()


def test_a_double_click_leaves_the_next_document_unjudged_and_says_so(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(6)) as running:
        window = Window(browser, running, "ann")
        first = window.label
        assert double_clicked(window.page, "#grades [data-grade='2']") == ["POST grade"]
        window.look(window.task)
        assert "Ignored the second click" in window.page.inner_text("#notice")
        assert window.page.query_selector("#grades [aria-pressed=true]") is None
        assert standing_grades(running) == {first: 2}
        window.page.click("#grades [data-grade='1']")  # a click that is meant counts
        window.look(window.task)
        window.saved()
        assert sorted(standing_grades(running).values()) == [1, 2]
        window.close()


def test_a_key_pressed_twice_answers_once_and_another_key_counts(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(8)) as running:
        window = Window(browser, running, "ann")
        for key in "11", "xx", "ll":
            settle(window.page)
            before = len(running.events())
            for one in key:
                window.page.keyboard.press(one)
            settle(window.page)
            assert len(running.events()) == before + 1, key
            assert "Ignored the second key press" in window.page.inner_text("#notice")
        window.page.keyboard.press("1")
        window.page.keyboard.press("2")
        settle(window.page)
        assert len(running.events()) == 5
        window.page.keyboard.press("u")
        window.page.keyboard.press("u")
        settle(window.page)
        assert [event.kind for event in running.events()].count("undo") == 1
        window.close()


# Two windows


def test_an_answer_that_replaces_another_says_so(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(6)) as running:
        one = Window(browser, running, "ann")
        two = one.another(browser)
        elsewhere = Window(browser, running, "ann")  # another browser: nothing is shared but the server
        label = one.label
        assert two.label == elsewhere.label == label
        one.press("1")
        one.saved()
        two.page.wait_for_selector("#notice:has-text('You judged this in another window')")
        two.press("2")
        said = two.page.wait_for_selector("#notice:has-text('replaced your earlier judgment')").inner_text()
        assert "related → relevant" in said
        two.saved()
        elsewhere.press("0")
        elsewhere.page.wait_for_selector("#notice:has-text('replaced one you gave in another browser')")
        assert label in elsewhere.page.inner_text("#notice")
        elsewhere.saved()
        assert standing_grades(running) == {label: 0}
        assert [event.grade for event in running.events()] == [1, 2, 0], "all three are kept"
        elsewhere.press("u")
        elsewhere.saved()
        assert standing_grades(running) == {label: 2}, "what was replaced stands again"
        one.close()
        elsewhere.close()


# The organiser's pages


def organiser(browser: Any, running: Live, page: str) -> Any:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.goto(running.link("olga", "organiser"))
    opened.click("#come-in")
    opened.wait_for_url(lambda address: "enter" not in address)
    opened.goto(f"{running.origin}/{page}")
    return opened


def test_no_form_of_the_organiser_acts_twice(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(12)) as running:
        running.link("ann")
        page = organiser(browser, running, "people")
        page.on("dialog", lambda dialog: dialog.accept())
        tried = 0
        for name in ("people", "bundles"):
            page.goto(f"{running.origin}/{name}")
            for place in range(page.locator(FIRST_CHANGES).count()):
                page.goto(f"{running.origin}/{name}")
                form = page.locator(FIRST_CHANGES).nth(place)
                if form.locator("input[type=file]").count():
                    form.locator("input[type=file]").set_input_files(
                        {"name": "answers.jsonl", "mimeType": "application/jsonl", "buffer": b"{}\n"}
                    )
                if form.locator("input[required][name=name]").count():
                    form.locator("[name=name]").fill(f"new{place}")
                settle(page)
                with changes_of(page) as sent:
                    form.locator("button[type=submit]").dblclick(force=True)
                    settle(page)
                assert len(sent) == 1, (name, place, sent)
                tried += 1
        assert tried >= 8
        page.context.close()


def test_a_link_that_works_once_is_used_once(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(3)) as running:
        page = browser.new_context().new_page()
        page.goto(f"{running.origin}/enter#{running.secret('ann', kind='once')}")
        assert double_clicked(page, "#come-in") == ["POST api/session"]
        page.wait_for_selector("html[data-task]")
        page.context.close()


def test_a_person_is_added_once_and_the_link_stays(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(3)) as running:
        page = organiser(browser, running, "people")
        page.fill("[name=name]", "bob")
        assert double_clicked(page, "button.main") == ["POST api/people"]
        assert "/enter#" in page.input_value("#output input")
        assert page.query_selector("#output .problem") is None
        assert [one.name for one in everybody(running.site.database)].count("bob") == 1
        page.goto(f"{running.origin}/people")
        assert double_clicked(page, "[aria-label='Disable bob']") == ["PATCH api/people/bob"]
        page.wait_for_selector("[aria-label='Enable bob']")
        bob = person_named(running.site.database, "bob")
        assert bob is not None
        assert bob.disabled, "the second click did not let him in again"
        page.context.close()


def test_a_disagreement_is_settled_once(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(3), judgments_per_document=2) as running:
        for name, grade in (("ann", 0), ("bob", 2)):
            client = running.client(name)
            for task in client.work(3)["tasks"]:
                client.grade(task["task"], grade)
        page = organiser(browser, running, "adjudicate")
        page.wait_for_selector("#case:visible")
        assert double_clicked(page, "#final button >> nth=1") == ["POST adjudicate"]
        assert [event.kind for event in running.events()].count("adjudicate") == 1
        assert page.inner_text("#open") == "2 open"
        page.context.close()


def test_answers_faster_than_anybody_reads_are_shown_to_the_organiser(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(5)) as running:
        window = Window(browser, running, "ann")
        for key in "012":
            window.press(key)
        window.page.wait_for_timeout(1300)
        window.press("0")
        window.saved()
        page = organiser(browser, running, "progress")
        said = page.inner_text("main")
        assert "3 judgments were given in under 1 s, too fast to read a line of the document" in said
        assert page.inner_text("td.problem") == "3"
        page.context.close()
        window.close()
