"""Make the pictures of the documentation: one row of the table in ``docs/reference/gallery.md`` is one picture.

A row names the picture, the page that shows it, the data, and the command. The data are ``page``, the files that the
examples of the page leave behind; a tutorial (``germane demo --tutorial NAME``); or ``demo``, for ``germane demo``.
The extension of the picture and its command say how it is made:

- ``.svg``, and the command writes a file of that name: the figure that the command draws;
- ``.svg`` otherwise: a terminal with the command and what it prints;
- ``.webp``: a screenshot of the page that the command writes or serves (``docs/screenshots.py``).

``make docs`` renews them. ``python -m docs.pictures NAME…`` takes the named screenshots again, whatever they show.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from html import unescape
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

from docs import examples, screenshots

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
GALLERY = ROOT / "docs" / "reference" / "gallery.md"
OF_THE_PAGE = "page"
ROW = re.compile(
    r"^\| !\[[^\]]+\]\(\.\./images/(?P<name>[\w.-]+)\) \| \[[^\]]+\]\((?P<page>[^)]+)\) \| (?P<data>\w+) "
    r"\| `(?P<command>[^`]+)` \|$",
    re.M,
)
TERMINAL = """<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font: {char_height}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }}
.{unique_id}-title {{ display: none; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""Rich's frame without the fonts that it would load from a network."""


@dataclass(frozen=True)
class Picture:
    """A row of the gallery."""

    name: str
    page: str
    data: str
    command: str

    @property
    def path(self) -> Path:
        """The file of the picture."""
        return IMAGES / self.name


def gallery(text: str | None = None) -> list[Picture]:
    """Return the rows of the gallery; `page` is a path from the root of the repository."""
    rows = ROW.finditer(GALLERY.read_text(encoding="utf-8") if text is None else text)
    return [
        Picture(
            row["name"],
            (GALLERY.parent / row["page"]).resolve().relative_to(ROOT).as_posix(),
            row["data"],
            row["command"],
        )
        for row in rows
    ]


def renew(pictures: Iterable[Picture], *, again: bool = False) -> None:
    """Make pictures from the files in the working folder, and say which have changed."""
    for picture in pictures:
        if picture.name.endswith(".webp"):
            screenshots.renew(picture.command, picture.path, again=again)
        else:
            svg = drawing(picture)
            if not picture.path.exists() or picture.path.read_text(encoding="utf-8") != svg:
                picture.path.write_text(svg, encoding="utf-8")
                print(f"wrote docs/images/{picture.name}")


def renew_of_page(page: str) -> None:
    """Make the pictures whose data are what the examples of this page left in the working folder."""
    renew(picture for picture in gallery() if picture.data == OF_THE_PAGE and picture.page == page)


def renew_others() -> None:
    """Make the pictures of the demonstration and the tutorials."""
    others = [picture for picture in gallery() if picture.data != OF_THE_PAGE]
    for data in sorted({picture.data for picture in others}):
        with folder_of(data):
            renew(picture for picture in others if picture.data == data)


@contextlib.contextmanager
def folder_of(data: str) -> Iterator[None]:
    """Work in a folder with the files of a tutorial or of the demonstration."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        examples.run_germane(["demo", *(() if data == "demo" else ("--tutorial", data)), "--output", "."])
        yield


def drawing(picture: Picture) -> str:
    """Return the figure that a command draws, or a terminal with what it prints."""
    _, *arguments = shlex.split(picture.command)
    if picture.name not in arguments:
        return terminal(picture.command, Path(picture.name).stem)
    printed, status = examples.run_germane(arguments)
    if status:
        raise RuntimeError(f"{picture.command}\n{printed}")
    return Path(picture.name).read_text(encoding="utf-8")


def terminal(command: str, name: str) -> str:
    """Return a terminal with a command and what it prints, as SVG. Lines are as long as the command makes them."""
    printed, _ = examples.run_germane([*shlex.split(command)[1:], "--color", "always"])
    text = Text.from_ansi(f"\x1b[1;32m$\x1b[0m \x1b[1m{command}\x1b[0m\n{printed}")
    width = max(line.cell_len for line in text.split())
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(text, soft_wrap=True)
    return console.export_svg(title="", theme=SVG_EXPORT_THEME, code_format=TERMINAL, unique_id=name)


def shown_words(svg: str) -> str:
    """Return the words of an SVG in the order in which they are drawn, without space."""
    return re.sub(r"\s+", "", unescape("".join(re.findall(r"<text[^>]*>(.*?)</text>", svg, flags=re.S))))


def renew_named(names: list[str]) -> None:
    """Make the named pictures, or all, whatever they show."""
    wanted = [picture for picture in gallery() if not names or picture.name in names]
    for data, page in sorted({(picture.data, picture.page * (picture.data == OF_THE_PAGE)) for picture in wanted}):
        here = [picture for picture in wanted if picture.data == data and page in ("", picture.page)]
        if page:
            examples.rerun((ROOT / page).read_text(encoding="utf-8"), page, after=partial(renew, here, again=True))
        else:
            with folder_of(data):
                renew(here, again=True)


if __name__ == "__main__":
    renew_named(sys.argv[1:])
