"""The site of the documentation: built without a warning, whole, and searched in a browser without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from docs.site.conf import contents
from tests.conftest import ROOT
from tests.output.browsers import Opened, chromium, serious_faults

FOUND_FIRST = [
    ("nDCG", "docs/reference/measures.html", "nDCG"),
    ("--fail-under", "docs/reference/commands.html", "germane eval"),
    ("unjudged", "docs/reference/measures.html", "Unjudged"),
    ("choose a threshold", "docs/how_to/choose_a_threshold.html", "Choose a threshold"),
]
"""What is asked, the page that comes first, and the heading under which the reader arrives."""
LOOKED_AT = [
    "index.html",
    "README.html",
    "search.html",
    "docs/tutorial/researcher.html",
    "docs/how_to/compare_systems.html",
    "docs/reference/learning.html",
    "docs/reference/python/evaluate.html",
]


# The contents


INDEX = """
| | |
| --- | --- |
| **Tutorial** | [First](tutorial/first.md), with [the format](reference/a.md#the-format) |
| **How to** | [One](how_to/one.md) |
| | [Two](how_to/two.md) |
"""


def test_the_contents_are_those_of_the_index() -> None:
    first, second, _more = re.findall(r":caption: (.+)\n\n(.+(?:\n[^`].+)*)\n```", contents(INDEX))
    assert first == ("Tutorial", "First <docs/tutorial/first>")
    assert second == ("How to", "One <docs/how_to/one>\nTwo <docs/how_to/two>")


# The pages


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it, with warnings as errors."""
    pytest.importorskip("sphinx", reason="sphinx is not installed (`make .venv/.docs`)")
    folder = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--fail-on-warning", "--keep-going", "-c", "docs/site", "-d", str(folder / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, ".", str(folder / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "site"


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it that a link may name."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attributes}
        self.places |= {named[name] for name in ("id", "name") if name in named}
        if tag == "a" and "href" in named:
            self.links.append(named["href"])
        elif tag == "link" or "src" in named:
            self.loads.append(named.get("src") or named["href"])


def pages_of(site: Path) -> dict[Path, Page]:
    return {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}


def leading_nowhere(site: Path) -> Iterator[str]:
    """Links within the site to a file or to a place in a file that is not there."""
    pages = pages_of(site)
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if parts.scheme or link == "#":
                continue
            missing_place = target in pages and parts.fragment and unquote(parts.fragment) not in pages[target].places
            if not target.is_file() or missing_place:
                yield f"{path.name}: {link}"


def from_elsewhere(site: Path) -> Iterator[str]:
    """What a page loads from a network."""
    for path, page in pages_of(site).items():
        yield from (f"{path.name}: {load}" for load in page.loads if re.match(r"(\w+:)?//", load))
    for sheet in site.rglob("*.css"):
        rules = re.findall(r"@import[^;]*|url\((?!\s*[\"']?data:)[^)]*", sheet.read_text(encoding="utf-8"))
        yield from (f"{sheet.name}: {rule}" for rule in rules if "//" in rule)


@pytest.mark.slow
def test_every_page_is_there_and_every_link_leads_somewhere(site: Path) -> None:
    written = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    assert [page for page in written if not (site / page.relative_to(ROOT).with_suffix(".html")).is_file()] == []
    assert sum(len(page.links) for page in pages_of(site).values()) > 1000
    assert list(leading_nowhere(site)) == []


@pytest.mark.slow
def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    assert list(from_elsewhere(site)) == []


def test_a_dead_link_and_a_font_from_elsewhere_are_caught(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<link href="//fonts.example.org/f.css"><h1 id="here">A</h1><a href="b.html">B</a> <a href="#here">up</a>'
        '<a href="c.html#there">C</a> <a href="c.html#nowhere">C</a><script src="s.js"></script>'
        '<a href="https://example.org">elsewhere</a>'
    )
    (tmp_path / "c.html").write_text('<p id="there">C</p><img src="https://example.org/i.png">')
    (tmp_path / "s.css").write_text("@import 'https://example.org/s.css'; a { background: url('data:image/svg//'); }")
    assert list(leading_nowhere(tmp_path)) == ["a.html: b.html", "a.html: c.html#nowhere"]
    assert [found.split(": ")[0] for found in from_elsewhere(tmp_path)] == ["a.html", "c.html", "s.css"]


# In a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


class Visited(Opened):
    """A page of the site, opened from disk; unlike a report it has no figures to wait for."""

    def __init__(self, browser: Any, path: Path, *, width: int = 1280, scheme: str = "light") -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.requested: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.requested.append(request.url))
        self.page.goto(path.as_uri())


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "expected", "heading"), FOUND_FIRST)
def test_the_search_works_from_a_disk(site: Path, browser: Any, asked: str, expected: str, heading: str) -> None:
    visit = Visited(browser, site / "index.html")
    visit.page.fill("input.sidebar-search", asked)
    visit.page.press("input.sidebar-search", "Enter")
    found = visit.page.locator("ul.search li").first
    assert len(found.locator(".context").inner_text()) > 40
    marked = " ".join(found.locator("mark").all_inner_texts()).lower()
    assert [word for word in asked.lower().split() if word != "a" and word.strip("-") not in marked] == []
    found.locator("a").click()
    visit.page.wait_for_url(f"**/{expected}*")
    assert heading in visit.page.inner_text("article")
    # Where the place is known, that is where the reader stands.
    place = urlsplit(visit.page.url).fragment
    assert not place or visit.page.inner_text(f"#{place} >> :is(h1, h2, h3)").startswith(heading)
    assert visit.said == []
    assert [url for url in visit.requested if not url.startswith(("file:", "data:"))] == []
    visit.close()


@pytest.mark.slow
def test_the_landing_page_shows_both_pictures_and_leads_on(site: Path, browser: Any) -> None:
    visit = Visited(browser, site / "index.html")
    drawn = (
        "[...document.querySelectorAll('article img')].filter(image => image.alt && image.naturalWidth > 600).length"
    )
    assert visit.page.evaluate(drawn) == 2
    visit.page.click("text=10 minutes")
    visit.page.wait_for_url("**/docs/tutorial/first_evaluation.html")
    visit.page.click("a.sidebar-brand")
    visit.page.wait_for_url("**/index.html")
    assert visit.said == []
    visit.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", LOOKED_AT)
def test_pages_have_no_serious_fault_of_accessibility(site: Path, browser: Any, name: str, scheme: str) -> None:
    visit = Visited(browser, site / name, scheme=scheme)
    assert serious_faults(visit) == []
    visit.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_fits_a_narrow_screen(site: Path, browser: Any, name: str) -> None:
    """Wide output scrolls inside its own block; the page itself never does."""
    visit = Visited(browser, site / name, width=400)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 400
    outside = "[...document.querySelectorAll('article p, article h2')].filter(e => e.scrollWidth > 400).length"
    assert visit.page.evaluate(outside) == 0
    visit.close()
