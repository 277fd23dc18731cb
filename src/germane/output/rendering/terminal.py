"""Tables as aligned text, fitted to a terminal's width: columns go or fold, words never break."""

from __future__ import annotations

import os
import re
import textwrap
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from germane.output.rendering.cells import cells_of
from germane.tables.results.columns import Pieces, Prose, Table

GAP = "  "
SHORTEST = 8
"""Ids are not shortened below so many characters."""
NARROWEST_TEXT = 20
"""Sentences in a column are not folded below so many characters."""
PROSE = 100
"""Characters of a line of prose where there is no terminal to fit."""
BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
LOOKS = {"name": BOLD, "hit": "\x1b[1;33m"}
"""How pieces of text look on a terminal with colours."""
ACTING = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
"""Characters that move a terminal's cursor, change its title or turn the direction of what follows, and bytes that are
not characters; not tab and new line."""


@dataclass(frozen=True)
class Strip:
    """A column as it is printed: its heading, its texts, and how each looks on a terminal with colours."""

    label: str
    texts: tuple[str, ...]
    right: bool
    kind: str
    drop: int
    looks: tuple[str, ...]

    @property
    def width(self) -> int:
        return max(width_of(line) for text in (self.label, *self.texts) for line in text.split("\n"))


def printable(text: str) -> str:
    r"""Text from data as a terminal may get it: characters that would act are written out.

    >>> printable("red\x1b[2J wine\r")
    'red⟦U+001B⟧[2J wine⟦U+000D⟧'
    """
    return text if text.isprintable() else re.sub(ACTING, lambda found: f"⟦U+{ord(found[0]):04X}⟧", text)


def wants_color(choice: str, *, is_terminal: bool) -> bool:
    """Whether to colour: as asked for; else never with NO_COLOR, always with FORCE_COLOR, and on a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal


def render(shown: Iterable[Table | str], digits: int, *, width: int | None = None, color: bool = False) -> str:
    """Tables under their titles, and lines of text, with an empty line between."""
    return "\n".join(
        _text(each, width, color) if isinstance(each, str) else _titled(each, digits, width, color) for each in shown
    )


def _text(text: str, width: int | None, color: bool) -> str:
    """Lines of text; on several each that is too long, which is seen before invisible codes are put into it."""
    width = width or (PROSE if isinstance(text, Prose) else None)
    if not (color and isinstance(text, Pieces)):
        return _wrapped(printable(text), width)
    opened = {look: chr(place) for place, look in enumerate(LOOKS, start=1)}
    inside = "".join(f"{opened[look]}{printable(t)}\0" if look else printable(t) for t, look in text.pieces)
    made = _wrapped(inside, width).replace("\0", PLAIN)
    for look, mark in opened.items():
        made = made.replace(mark, LOOKS[look])
    return made


def _titled(table: Table, digits: int, width: int | None, color: bool) -> str:
    strips, dropped = fitted(strips_of(table, digits), width)
    title = _wrapped(f"{table.title}\n", width) + "\n" if table.title else ""
    title = f"{BOLD}{title.rstrip()}{PLAIN}\n\n" if title and color else title
    blocks = "\n".join("".join(_with_gap(table, _lines(block, color))) for block in _blocks(strips, width))
    missing = f"not shown: {', '.join(dropped)} (--format csv has all)\n" if dropped else ""
    below = "".join(f"{line}\n" for line in table.below)
    return title + blocks + _wrapped(missing + below, width)


def strips_of(table: Table, digits: int) -> list[Strip]:
    """The columns that people see, as they are printed where there is room."""
    made = []
    for cells in cells_of(table, digits):
        dim = [DIM if row < len(table.dim) and table.dim[row] else "" for row in range(len(table))]
        looks = tuple(BOLD if row in cells.best else dim[row] for row in range(len(table)))
        column = cells.column
        texts = tuple(map(printable, cells.aligned()))
        made.append(Strip(cells.label, texts, cells.right, column.kind, column.drop, looks))
    return made


def width_of(text: str) -> int:
    """The columns of a terminal that a text takes: wide letters two, combining ones none.

    >>> width_of("bm25"), width_of("検索")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def _lines(strips: Sequence[Strip], color: bool) -> Iterator[str]:
    """The lines of one block; a text that was folded takes several."""
    widths = [strip.width for strip in strips]
    for row in range(-1, len(strips[0].texts)):
        cells = [(strip.label if row < 0 else strip.texts[row]).split("\n") for strip in strips]
        for line in range(max(map(len, cells))):
            parts = [cell[line] if line < len(cell) else "" for cell in cells]
            padded = [_padded(p, w, strip.right) for p, w, strip in zip(parts, widths, strips, strict=True)]
            padded[-1] = padded[-1].rstrip() if not strips[-1].right else padded[-1]
            if color:
                looks = [BOLD if row < 0 else strip.looks[row] for strip in strips]
                padded = [f"{look}{cell}{PLAIN}" if look else cell for look, cell in zip(looks, padded, strict=True)]
            yield GAP.join(padded).rstrip() + "\n"


def _with_gap(table: Table, lines: Iterable[str]) -> list[str]:
    """The lines with one in their middle for the rows that are not among them."""
    given = list(lines)
    if table.left_out:
        given.insert(len(given) - len(table) // 2, f"… {table.left_out:,} more rows …\n")
    return given


def _padded(text: str, width: int, right: bool) -> str:
    space = " " * (width - width_of(text))
    return space + text if right else text + space


def _total(strips: Sequence[Strip]) -> int:
    return sum(strip.width for strip in strips) + len(GAP) * (len(strips) - 1)


def fitted(strips: list[Strip], width: int | None) -> tuple[list[Strip], list[str]]:
    """The columns that fit, or nearly so, and the headings of those that went: optional ones go, then ids shrink."""
    dropped = []
    while width is not None and _total(strips) > width and any(strip.drop for strip in strips):
        highest = max(strip.drop for strip in strips)
        dropped += [strip.label for strip in strips if strip.drop == highest]
        strips = [strip for strip in strips if strip.drop != highest]
    if width is not None and _total(strips) > width:
        strips = _with_short_names(strips, width)
    return strips, dropped


def _with_short_names(strips: list[Strip], width: int) -> list[Strip]:
    """Ids cut to the same length, as short as it takes and no shorter than they stay different."""
    there = {text for strip in strips if strip.kind == "name" for text in strip.texts}
    best = strips
    for limit in range(max(map(width_of, there), default=0) - 1, SHORTEST - 1, -1):
        short = short_ids(there, limit)
        if len(set(short.values())) == len(there):
            best = [replace(s, texts=tuple(short[t] for t in s.texts)) if s.kind == "name" else s for s in strips]
            if _total(best) <= width:
                break
    return best


def short_ids(ids: Collection[str], limit: int) -> dict[str, str]:
    """Each id in at most so many characters: cut in its middle, or, where several would become one, to what differs.

    >>> sorted(short_ids({"bm25-tuned-on-trec8", "bm25-tuned-by-trec8"}, 8).values())
    ['…-by-…', '…-on-…']
    """
    short = {text: shortened(text, limit) for text in ids}
    alike: dict[str, list[str]] = {}
    for text, cut in short.items():
        alike.setdefault(cut, []).append(text)
    for texts in alike.values():
        if len(texts) > 1:
            first = max(0, _num_common(texts) - 1)
            last = max(0, _num_common([text[::-1] for text in texts]) - 1)
            for text in texts:
                middle = text[first : max(first, len(text) - last)]
                short[text] = f"{'…' * (first > 0)}{shortened(middle, limit - 2)}{'…' * (last > 0)}"
    return short


def _num_common(texts: Sequence[str]) -> int:
    """How many letters all of them begin with."""
    return sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False)))


def shortened(text: str, limit: int) -> str:
    """A text of at most so many characters, cut in the middle.

    >>> shortened("bm25-tuned-on-robust04", 12)
    'bm25-t…ust04'
    """
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]}…{text[len(text) - (limit - limit // 2 - 1) :]}"


def _blocks(strips: list[Strip], width: int | None) -> Iterator[list[Strip]]:
    """Blocks of columns below each other; each begins with the columns that say what a row is."""
    if width is None or _total(strips) <= width:
        yield strips
        return
    names = [place + 1 for place, strip in enumerate(strips) if strip.kind == "name"]
    number = max(1, next((place for place, strip in enumerate(strips) if strip.right), len(strips)))
    last = max([number, *names])
    last = number if _total(strips[:last]) > width else last
    keys, rest = strips[:last], strips[last:]
    if not rest:
        yield _with_folded_text(keys, width)
    while rest:
        block = [*keys, rest.pop(0)]
        while rest and _total([*block, rest[0]]) <= width:
            block.append(rest.pop(0))
        yield _with_folded_text(block, width)


def _with_folded_text(block: list[Strip], width: int) -> list[Strip]:
    """Sentences on several lines where they are too long for one."""
    over = _total(block) - width
    if over <= 0:
        return block
    widest = max((s for s in block if s.kind in ("text", "list")), key=lambda s: s.width, default=None)
    if widest is None:
        return block
    room = max(NARROWEST_TEXT, widest.width - over)
    texts = tuple("\n".join(_wrap(text, room)) for text in widest.texts)
    return [replace(strip, texts=texts) if strip is widest else strip for strip in block]


def _wrap(text: str, width: int) -> list[str]:
    indent = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""]


def _wrapped(text: str, width: int | None) -> str:
    """Lines of text, those that are too long on several."""
    if width is None:
        return text
    return "".join("\n".join(_wrap(line, width)) + "\n" for line in text.splitlines())
