"""Tables as aligned text, fitted to the width of a terminal: columns are dropped or folded, words never break."""

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
"""Minimum length of a shortened id, in characters."""
NARROWEST_TEXT = 20
"""Minimum width of a column of sentences, in characters."""
PROSE = 100
"""Characters per line of prose without a terminal to fit."""
BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
LOOKS = {"name": BOLD, "hit": "\x1b[1;33m"}
"""Escape codes of pieces of text on a terminal with colours."""
ACTING = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
"""Characters that move the cursor, change the title of the terminal or reverse the direction of text, and bytes that
are not characters; without tab and newline."""
LIST_ITEM = re.compile(r"\s*(?:\S+ {2,})?")
"""Start of a line up to its text: the indent and, in a list, the name with at least two spaces behind it."""


@dataclass(frozen=True)
class Strip:
    """A printed column: its heading, its texts, and the escape codes of each on a terminal with colours."""

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
    r"""Return text that is safe for a terminal: control characters are escaped.

    >>> printable("red\x1b[2J wine\r")
    'red⟦U+001B⟧[2J wine⟦U+000D⟧'
    """
    return text if text.isprintable() else re.sub(ACTING, lambda found: f"⟦U+{ord(found[0]):04X}⟧", text)


def wants_color(choice: str, *, is_terminal: bool) -> bool:
    """Whether to print in colour: as chosen; else never with NO_COLOR, always with FORCE_COLOR or on a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal


def render(shown: Iterable[Table | str], digits: int, *, width: int | None = None, color: bool = False) -> str:
    """Render tables under their titles, and lines of text, separated by empty lines."""
    return "\n".join(
        _text(each, width, color) if isinstance(each, str) else _titled(each, digits, width, color) for each in shown
    )


def _text(text: str, width: int | None, color: bool) -> str:
    """Render lines of text, wrapped before escape codes are inserted, which have no width."""
    width = width or (PROSE if isinstance(text, Prose) else None)
    if not (color and isinstance(text, Pieces)):
        return wrapped(printable(text), width)
    opened = {look: chr(place) for place, look in enumerate(LOOKS, start=1)}
    inside = "".join(f"{opened[look]}{printable(t)}\0" if look else printable(t) for t, look in text.pieces)
    made = wrapped(inside, width).replace("\0", PLAIN)
    for look, mark in opened.items():
        made = made.replace(mark, LOOKS[look])
    return made


def _titled(table: Table, digits: int, width: int | None, color: bool) -> str:
    strips, dropped = fitted(strips_of(table, digits), width)
    title = wrapped(f"{table.title}\n", width) + "\n" if table.title else ""
    title = f"{BOLD}{title.rstrip()}{PLAIN}\n\n" if title and color else title
    blocks = "\n".join("".join(_with_gap(table, _lines(block, color))) for block in _blocks(strips, width))
    missing = f"columns not shown: {', '.join(dropped)} (use --format csv for all)\n" if dropped else ""
    below = "".join(f"{line}\n" for line in table.below)
    return title + blocks + wrapped(missing + below, width)


def strips_of(table: Table, digits: int) -> list[Strip]:
    """Return the columns for people, at full width."""
    made = []
    for cells in cells_of(table, digits):
        dim = [DIM if row < len(table.dim) and table.dim[row] else "" for row in range(len(table))]
        looks = tuple(BOLD if row in cells.best else dim[row] for row in range(len(table)))
        column = cells.column
        texts = tuple(map(printable, cells.aligned()))
        made.append(Strip(cells.label, texts, cells.right, column.kind, column.drop, looks))
    return made


def width_of(text: str) -> int:
    """Return the width of a text in terminal columns: wide characters take two, combining ones none.

    >>> width_of("bm25"), width_of("検索")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def _lines(strips: Sequence[Strip], color: bool) -> Iterator[str]:
    """Yield the lines of one block; a folded text takes several."""
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
    """Insert a line in the middle that counts the omitted rows."""
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
    """Return the columns that fit and the headings of those that were dropped: drop optional ones, then shorten ids."""
    dropped = []
    while width is not None and _total(strips) > width and any(strip.drop for strip in strips):
        highest = max(strip.drop for strip in strips)
        dropped += [strip.label for strip in strips if strip.drop == highest]
        strips = [strip for strip in strips if strip.drop != highest]
    if width is not None and _total(strips) > width:
        strips = _with_short_names(strips, width)
    return strips, dropped


def _with_short_names(strips: list[Strip], width: int) -> list[Strip]:
    """Shorten ids to the same length: as short as necessary, but still distinct."""
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
    """Shorten each id to `limit` characters: cut the middle or, where several would become equal, keep what differs.

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
    """Return the length of the common prefix."""
    return sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False)))


def shortened(text: str, limit: int) -> str:
    """Cut the middle of a text so that it has at most `limit` characters.

    >>> shortened("bm25-tuned-on-robust04", 12)
    'bm25-t…ust04'
    """
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]}…{text[len(text) - (limit - limit // 2 - 1) :]}"


def _blocks(strips: list[Strip], width: int | None) -> Iterator[list[Strip]]:
    """Yield blocks of columns to print below each other, each starting with the columns that identify a row."""
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
    """Fold sentences that are too long for one line."""
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
    """Wrap one line; continuation lines are indented as its text is, also after the name of a list item.

    >>> print("\\n".join(_wrap("  AP  average precision", 18)))
      AP  average
          precision
    """
    found = LIST_ITEM.match(text)
    assert found is not None  # it matches the empty text
    indent = " " * found.end() if found.end() <= width // 2 else text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""]


def wrapped(text: str, width: int | None) -> str:
    """Wrap each line of a text that is longer than `width`."""
    if width is None:
        return text
    return "".join("\n".join(_wrap(line, width)) + "\n" for line in text.splitlines())
