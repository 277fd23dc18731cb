"""The pictures of the documentation: in the gallery, on their page, described, small, and not stale."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from docs import examples, pictures, screenshots
from tests.conftest import ROOT
from tests.docs.pages import PAGES, text_of
from tests.output.browsers import CHROMIUM

LARGEST = 200_000
LARGEST_IN_ALL = 3_000_000
"""Bytes."""
IN_A_PAGE = re.compile(r"!\[(?P<alt>[^\]]*)\]\((?P<path>[^)\s]+)\)")


def shown_on(page: Path) -> dict[str, str]:
    """The alternative text of each picture of the gallery that a page shows, by its name."""
    found = IN_A_PAGE.finditer(text_of(page))
    return {Path(one["path"]).name: one["alt"] for one in found if (page.parent / one["path"]).parent.name == "images"}


def faults(picture: pictures.Picture, page: str) -> list[str]:
    """List the faults of a picture, given the text of its page."""
    alt = next((one["alt"] for one in IN_A_PAGE.finditer(page) if Path(one["path"]).name == picture.name), None)
    if alt is None:
        return [f"{picture.page} does not show {picture.name}"]
    found = [] if len(alt.split()) >= 8 else [f"{picture.name}: {alt!r} does not describe it"]
    beside = f"`{picture.command}`" in page or f"$ {picture.command}\n" in page
    of_the_readme = picture.page == "README.md"  # whose own commands are the same on smaller data
    return found + ([] if beside or of_the_readme else [f"{picture.page} lacks `{picture.command}`"])


@pytest.mark.parametrize("picture", pictures.gallery(), ids=lambda picture: str(picture.name))
def test_a_picture_is_there_and_small_and_described_beside_its_command(picture: pictures.Picture) -> None:
    assert picture.path.is_file(), "run `make docs`"
    assert picture.path.stat().st_size <= LARGEST
    assert faults(picture, text_of(ROOT / picture.page)) == []


def test_a_picture_without_a_description_or_a_command_is_caught() -> None:
    picture = pictures.Picture("a.svg", "docs/how_to/a.md", "page", "germane plot pr -o a.svg")
    said = "a curve of precision against recall for one query"
    assert faults(picture, "nothing") == ["docs/how_to/a.md does not show a.svg"]
    assert faults(picture, "![curve](../images/a.svg)\n`germane plot pr -o a.svg`") == [
        "a.svg: 'curve' does not describe it"
    ]
    assert faults(picture, f"![{said}](../images/a.svg)") == ["docs/how_to/a.md lacks `germane plot pr -o a.svg`"]
    assert faults(picture, f"![{said}](../images/a.svg)\n`germane plot pr -o a.svg`") == []


def test_the_gallery_has_every_row_every_picture_and_every_use_of_one() -> None:
    rows = [line for line in text_of(pictures.GALLERY).splitlines() if line.startswith("| ![")]
    named = {picture.name for picture in pictures.gallery()}
    assert len(pictures.gallery()) == len(rows) == len(named)
    assert named == {path.name for path in pictures.IMAGES.iterdir()} - {"texts.json"}
    assert {name for page in PAGES if page != pictures.GALLERY for name in shown_on(page)} == named
    assert sum(path.stat().st_size for path in pictures.IMAGES.iterdir()) <= LARGEST_IN_ALL


def test_every_screenshot_has_the_hash_of_its_text() -> None:
    known = json.loads(text_of(pictures.IMAGES / "texts.json"))
    assert set(known) == {picture.name for picture in pictures.gallery() if picture.name.endswith(".webp")}


def test_the_terminal_shows_what_the_command_prints() -> None:
    (picture,) = [one for one in pictures.gallery() if one.name == "terminal.svg"]
    with pictures.folder_of(picture.data):
        printed, _ = examples.run_germane(shlex.split(picture.command)[1:])
    expected = "".join(f"${picture.command}{printed}".split())
    assert pictures.shown_words(text_of(picture.path)) == expected, "run `make docs`"


@pytest.mark.slow
@pytest.mark.parametrize("data", sorted({picture.data for picture in pictures.gallery()} - {"page"}))
def test_figures_of_the_tutorials_show_what_the_commands_draw(data: str) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    figures = [one for one in pictures.gallery() if one.data == data and one.name.endswith(".svg")]
    with pictures.folder_of(data):
        stale = [
            one.name
            for one in figures
            if pictures.shown_words(pictures.drawing(one)) != pictures.shown_words(text_of(one.path))
        ]
    assert stale == [], "run `make docs`"


def test_a_terminal_loads_nothing_and_is_the_same_each_time() -> None:
    with pictures.folder_of("exercise"):
        once, again = (pictures.terminal("germane eval qrels.txt system1.run", "eval") for _ in range(2))
    assert once == again
    assert "url(" not in once.replace("url(#", "")
    assert "@font-face" not in once


@pytest.mark.slow
@pytest.mark.parametrize("data", ["demo", "exercise"])
def test_screenshots_find_what_they_show(data: str) -> None:
    pytest.importorskip("playwright", reason="playwright is not installed")
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium here (set GERMANE_CHROMIUM to its path)")
    with pictures.folder_of(data):
        for picture in pictures.gallery():
            if picture.data == data and picture.name.endswith(".webp"):
                with screenshots.looked_at(picture.command, picture.name) as (page, shown):
                    assert len(shown.inner_text()) > 200, picture.name
                    assert screenshots.picture_of(page, shown).startswith(b"RIFF")


def test_without_a_browser_screenshots_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(screenshots, "CHROMIUM", None)
    (tmp_path / "report.webp").write_bytes(b"as it was")
    screenshots.renew("germane report qrels.txt system1.run -o report.html", tmp_path / "report.webp")
    assert (tmp_path / "report.webp").read_bytes() == b"as it was"
    assert "kept docs/images/report.webp: no chromium here" in capsys.readouterr().out
