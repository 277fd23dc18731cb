"""What the screen shows in a real browser: frames, excerpts, dialogs, hostile text, bundles; and who can use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.output.browsers import AXE
from tests.web.hostile import XSS
from tests.web.judging_site import Live, live, write_project
from tests.web.windows import SHOWN, Window, a_browser, many_documents, standing_grades

pytestmark = pytest.mark.slow  # a browser draws every page

__all__ = ["a_browser"]

COMMENT = """(text) => {
  document.getElementById("comment-text").value = text;
  document.querySelector("#comment-form button").click();
}"""


def test_a_click_inside_a_page_leaves_keys_scrolling_and_highlights(browser: Any, tmp_path: Path) -> None:
    body = "<h1>Red wine</h1>" + "".join(f"<p>Line {number}</p>" for number in range(40)) + "<p>more wines</p>"
    with live(tmp_path / "p", {"a.html": body, "b.html": body}) as running:
        window = Window(browser, running, "ann")
        frame = window.page.frame_locator(f"{SHOWN} iframe")
        assert window.page.get_attribute(f"{SHOWN} iframe", "sandbox") == "allow-same-origin"
        assert frame.locator("mark").all_inner_texts() == ["Red", "wine", "wines"]
        frame.locator("p").first.click()
        window.page.keyboard.press("Space")
        assert window.page.evaluate("document.getElementById('stage').scrollTop") > 100
        for _ in range(3):
            window.page.keyboard.press("n")
        assert frame.locator("mark.here").inner_text() == "wines"
        assert "3 of 3" in window.page.inner_text("#notice")
        first = window.label
        window.press("2")
        window.saved()
        assert standing_grades(running) == {first: 2.0}
        window.close()


def test_keys_are_dead_while_somebody_types(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(5)) as running:
        window = Window(browser, running, "ann")
        before = window.task
        window.page.keyboard.press("c")
        window.page.keyboard.type("012 bux?")
        window.page.keyboard.press("Control+Enter")
        window.page.wait_for_selector("#own-comment:has-text('012 bux?')")
        window.page.keyboard.press("?")
        assert window.page.is_visible("#help")
        window.page.keyboard.press("1")
        window.page.keyboard.press("Escape")
        window.page.keyboard.press("f")
        window.page.keyboard.type("goes")
        window.page.keyboard.press("Enter")
        assert "highlighted words" in window.page.inner_text("#notice")
        assert window.task == before
        window.saved()
        assert [(event.kind, event.text) for event in running.events()] == [("comment", "012 bux?")]
        window.close()


def test_a_document_that_is_not_there_gets_no_grade(browser: Any, tmp_path: Path) -> None:
    write_project(tmp_path / "p", {"a.txt": "wine", "b.txt": "cheese"})
    (tmp_path / "p" / "docs" / "a.txt").unlink()
    running = Live(tmp_path / "p")
    window = Window(browser, running, "ann")
    while window.label != "a.txt":
        window.press("1")
    window.page.keyboard.press("2")
    assert "No document to grade" in window.page.inner_text("#notice")
    window.press("x")
    window.saved()
    assert {event.doc: event.kind for event in running.events()}["a.txt"] == "cannot"
    window.close()
    running.stop()


def test_the_rest_may_be_in_others_hands(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(9)) as running:
        window = Window(browser, running, "ann")
        assert "0 of 9 judged" in window.page.inner_text("#progress")
        bob = running.client("bob")
        (held,) = bob.work(1)["tasks"]
        for _ in range(8):
            window.press("1")
        assert window.page.inner_text("#nothing-text").startswith("Other assessors are working on the rest")
        bob.grade(held["task"], 1)
        window.page.reload()
        window.page.wait_for_selector("html[data-done=true]")
        assert window.page.inner_text("#nothing-text") == "All done. Thank you!"
        assert "8 of 8 judged" in window.page.inner_text("#progress")
        window.close()


def test_a_topic_without_a_description_leaves_no_empty_band(browser: Any, tmp_path: Path) -> None:
    for name, text, height in [("with", "t0\tred wine\tFind it.\n", True), ("without", "t0\tred wine\n", False)]:
        write_project(tmp_path / name, {"a.txt": "wine", "b.txt": "cheese"})
        (tmp_path / name / "topics.tsv").write_text(text)
        running = Live(tmp_path / name)
        window = Window(browser, running, "ann")
        rule = window.page.evaluate("getComputedStyle(document.querySelector('.rubric')).borderTopWidth")
        assert (rule != "0px") == height
        window.page.set_viewport_size({"width": 600, "height": 900})
        assert window.page.is_visible(".about") == height
        window.close()
        running.stop()


def test_taking_back_a_later_counts_for_nothing(browser: Any, tmp_path: Path) -> None:
    with live(tmp_path / "p", many_documents(4)) as running:
        window = Window(browser, running, "ann")
        window.press("1")
        window.press("l")
        window.press("u")
        assert "1 today" in window.page.inner_text("#progress")
        window.press("1")
        assert "2 today" in window.page.inner_text("#progress")
        window.close()


def test_a_long_text_is_an_excerpt_first(browser: Any, tmp_path: Path) -> None:
    long = "Nothing here. " * 300 + "At last some red wine. " + "Nothing here. " * 300
    with live(tmp_path / "p", {"a.txt": long}) as running:
        window = Window(browser, running, "ann")
        excerpt = window.page.inner_text(SHOWN)
        assert "red wine" in excerpt
        assert len(excerpt) < 2500
        window.page.keyboard.press("e")
        assert len(window.page.inner_text(SHOWN)) > 8000
        window.close()


def test_hostile_documents_titles_and_comments_run_nothing(browser: Any, tmp_path: Path) -> None:
    docs: dict[str, str | bytes] = {f"h{number}.html": text for number, text in enumerate(XSS)}
    docs["all.txt"] = " ".join(XSS)
    title = "".join(XSS).replace("\t", " ").replace("\n", " ").replace("\u2028", "").replace("\u2029", "")
    with live(tmp_path / "p", docs, title=title, judgments_per_document=2) as running:
        name = "<img src=x onerror=pwned=1>"
        window = Window(browser, running, name)
        for number in range(len(docs)):
            if number % 3 == 0:
                window.page.keyboard.press("c")
                window.page.evaluate(COMMENT, XSS[number % len(XSS)])
            assert window.page.evaluate("window.pwned") is None
            window.press("1")
        window.saved()
        bob = running.client("bob")
        for task in bob.work(5)["tasks"]:
            bob.grade(task["task"], 0, text=XSS[0])
        organiser = Window(browser, running, "olga", role="organiser")
        for page in ("adjudicate", "progress", "agreement", "people", "bundles"):
            organiser.page.goto(f"{running.origin}/{page}")
            organiser.page.wait_for_timeout(80)
            assert organiser.page.evaluate("window.pwned") is None, page
        for one in (window, organiser):
            assert one.foreign == []
            assert one.said == []
            one.close()


def test_a_bundle_is_judged_without_a_network(browser: Any, tmp_path: Path) -> None:
    from germane.judging.bundle import import_answers, reserve
    from germane.web.offline import bundle_page

    docs = many_documents(12) | {"x.html": XSS[0] + XSS[1] + "<p>red wine</p>"}
    with live(tmp_path / "p", docs) as running:
        running.secret("bob")
        path = tmp_path / "bundle.html"
        path.write_text(bundle_page(running.site, reserve(running.site.database, "bob", 13)), encoding="utf-8")
        context = browser.new_context(offline=True, accept_downloads=True)
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-task]")
        for number in range(7):
            page.keyboard.press(str(number % 3))
            page.wait_for_timeout(30)
        page.keyboard.press("u")
        page.wait_for_timeout(30)
        page.keyboard.press("0")
        page.reload()
        page.wait_for_selector("html[data-task]")
        for _ in range(6):
            page.keyboard.press("1")
            page.wait_for_timeout(350)  # the same key sooner is a slip
        page.wait_for_selector("html[data-done=true]")
        assert page.inner_text("#progress") == "13 of 13 judged"
        with page.expect_download() as download:
            page.click("#download")
        answers = tmp_path / "answers.jsonl"
        download.value.save_as(answers)
        assert page.evaluate("window.pwned") is None
        assert said == []
        context.close()
        found = import_answers(running.site.database, answers.read_bytes().splitlines())
        assert (found.stored, found.refused) == (15, ())
        assert sorted(standing_grades(running).values()) == sorted([0, 1, 2, 0, 1, 2, 0] + [1] * 6)


@pytest.mark.parametrize(
    ("width", "scheme", "pages"),
    [
        (1280, "light", ["enter", "judge", "adjudicate", "people", "agreement"]),
        (390, "dark", ["enter", "judge", "help", "progress", "bundles", "people"]),
    ],
)
def test_pages_are_accessible(browser: Any, tmp_path: Path, width: int, scheme: str, pages: list[str]) -> None:
    if AXE is None:
        pytest.skip("no axe-core here (set GERMANE_AXE to axe.min.js)")
    source = Path(AXE).read_text(encoding="utf-8") + "\n;undefined"
    with live(tmp_path / "p", many_documents(10), judgments_per_document=2) as running:
        for name, value in (("ann", 0), ("bob", 2)):
            client = running.client(name)
            for task in client.work(5)["tasks"]:
                client.grade(task["task"], value)
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
        window = context.new_page()
        window.goto(running.link("olga", "organiser"))
        faults = []
        for page in pages:
            if page == "judge":
                window.click("#come-in")
                window.wait_for_url("**/progress")  # where others judge, an organiser looks first
                window.goto(f"{running.origin}/judge")
                window.wait_for_selector("html[data-task]")
            elif page == "help":
                window.keyboard.press("?")
            elif page != "enter":
                window.goto(f"{running.origin}/{page}")
                window.wait_for_timeout(100)
            window.evaluate(source)
            faults += [
                f"{page}: {fault['id']}: {fault['nodes'][0]['html'][:160]}"
                for fault in window.evaluate("axe.run()")["violations"]
                if fault["impact"] in ("serious", "critical")
            ]
            too_wide = window.evaluate("document.documentElement.scrollWidth > innerWidth")
            assert not too_wide, page
        assert faults == []
        context.close()
