"""Links lead somewhere, and every page is reached from the README."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.docs.pages import PAGES, name_of, text_of


def anchors(page: str) -> set[str]:
    """What a link to a place in the page may be called."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", page, flags=re.M | re.S), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(text: str, page: Path) -> list[str]:
    """Relative links of a page that lead nowhere."""
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        known = anchors(text if target == page else text_of(target)) if anchor and target.is_file() else set()
        if not target.exists() or (anchor and anchor not in known):
            dead.append(link)
    return dead


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    assert dead_links(text_of(page), page) == []


def test_a_dead_link_is_caught(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# A Place\n", encoding="utf-8")
    text = (
        "[a](there.md) [b](there.md#a-place) [c](there.md#nowhere) [d](gone.md) [e](https://example.org) [f](#home)\n"
    )
    assert dead_links(text, tmp_path / "page.md") == ["there.md#nowhere", "gone.md", "#home"]


def unreachable(start: Path, pages: list[Path]) -> list[str]:
    """Pages to which no chain of links leads from the first one."""
    reached, waiting = {start.resolve()}, [start]
    while waiting:
        page = waiting.pop()
        for link in re.findall(r"\]\(([^)\s#]+)[^)\s]*\)", text_of(page)):
            target = (page.parent / link).resolve()
            if target.suffix == ".md" and target.is_file() and target not in reached:
                reached.add(target)
                waiting.append(target)
    return [page.relative_to(start.parent).as_posix() for page in pages if page.resolve() not in reached]


def test_every_page_is_reached_from_the_readme() -> None:
    assert unreachable(ROOT / "README.md", PAGES) == []


def test_a_page_that_nothing_links_to_is_caught(tmp_path: Path) -> None:
    start, linked, lone = (tmp_path / name for name in ("start.md", "linked.md", "lone.md"))
    start.write_text("[on](linked.md#a-place)\n", encoding="utf-8")
    linked.write_text("# A place\n[back](start.md)\n", encoding="utf-8")
    lone.write_text("[to the others](start.md)\n", encoding="utf-8")
    assert unreachable(start, [start, linked, lone]) == ["lone.md"]


def test_every_page_is_in_the_index() -> None:
    index = text_of(ROOT / "docs" / "README.md")
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").glob("*/*.md")]
    assert [page for page in pages if f"]({page})" not in index] == []
