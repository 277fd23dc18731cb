"""The blocks of a result that is shown in a notebook: read from its Markdown, written as HTML or as text.

Reading what the Markdown says, and not making the tables anew, keeps one set of columns and one rounding everywhere.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from germane.tables.grid import aligned

MOST_ROWS = 30
"""A longer table shows its first and last rows, and says how many there are between."""


@dataclass(frozen=True)
class Title:
    """The line over a table."""

    text: str


@dataclass(frozen=True)
class Lines:
    """Lines of text as they stand."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table; `right` marks the columns of numbers, and `left_out` rows lie in its middle."""

    header: tuple[str, ...]
    right: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0

    def shortened(self, most: int = MOST_ROWS) -> Table:
        """The same with its first and last rows only, if it is longer."""
        if len(self.rows) <= most:
            return self
        first, last = most - most // 2, most // 2
        return replace(
            self, rows=self.rows[:first] + self.rows[len(self.rows) - last :], left_out=len(self.rows) - most
        )

    def with_columns(self, names: Sequence[str]) -> Table:
        """Only these columns, in their order here."""
        kept = [i for i, name in enumerate(self.header) if name in names]
        header, *rows = (tuple(row[i] for i in kept) for row in (self.header, *self.rows))
        return replace(self, header=header, right=tuple(self.right[i] for i in kept), rows=tuple(rows))


Block = Title | Lines | Table


def read_markdown(text: str) -> list[Block]:
    """The blocks of Markdown that germane wrote.

    >>> read_markdown("**Means**\\n\\n| run |   AP |\\n| --- | ---: |\\n| a\\\\|b | 0.50 |\\n")[1].rows
    (('a|b', '0.50'),)
    """
    return list(_blocks(text.splitlines()))


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    place = 0
    while place < len(lines):
        line, start = lines[place], place
        place += 1
        if line.startswith("| "):
            while place < len(lines) and lines[place].startswith("| "):
                place += 1
            header, rule, *rows = (_cells(row) for row in lines[start:place])
            yield Table(header, tuple(cell.endswith(":") for cell in rule), tuple(rows))
        elif line.startswith("```"):
            place = lines.index("```", place)
            yield Lines(tuple(lines[start + 1 : place]))
            place += 1
        elif line.startswith("**"):
            yield Title(line.removeprefix("**").removesuffix("**"))
        elif line:
            while place < len(lines) and lines[place]:
                place += 1
            yield Lines(tuple(re.sub("^`(.*)`$", r"\1", each) for each in lines[start:place]))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip().replace("\\|", "|") for cell in line.removeprefix("| ").removesuffix(" |").split(" | "))


STYLE = """
.germane-result{overflow-x:auto;max-width:100%;line-height:1.35}
.germane-result table{border-collapse:collapse;border:0;margin:.3em 0 .9em;font-size:.92em;width:auto}
.germane-result th,.germane-result td{padding:.15em 1em .15em 0;border:0;white-space:nowrap;\
color:inherit;background:none;font-weight:normal}
.germane-result table tr .text,.germane-result table tr.gap td{text-align:left}
.germane-result table tr .number{text-align:right;font-variant-numeric:tabular-nums}
.germane-result thead th{border-bottom:1px solid;font-weight:600;vertical-align:bottom;white-space:normal}
.germane-result .gap,.germane-result .notes{opacity:.75}
.germane-result p{margin:.5em 0 .2em}
.germane-result pre{margin:.3em 0;padding:0;font-size:.85em;background:none;color:inherit;white-space:pre-wrap}
.germane-result ul{margin:.2em 0 .6em;padding-left:1.2em}
.germane-result img{background:#fff;padding:8px;border-radius:4px;max-width:100%}
"""
"""Colours are those of the notebook, light or dark; only a picture brings its own paper.

JupyterLab sets all cells to the right by a rule of its own, so that sides are told by a stronger one."""


def as_html(blocks: Iterable[Block]) -> str:
    """The blocks as HTML, with everything escaped."""
    return "\n".join(_block_as_html(block) for block in blocks)


def framed(*parts: str) -> str:
    """One result: parts of HTML with their style, and no script."""
    inner = "\n".join(part for part in parts if part)
    return f'<div class="germane-result"><style>{STYLE}</style>\n{inner}\n</div>'


def _block_as_html(block: Block) -> str:
    if isinstance(block, Title):
        return f"<p><strong>{html.escape(block.text)}</strong></p>"
    if isinstance(block, Lines):
        return f"<pre>{html.escape(chr(10).join(block.lines))}</pre>"
    shown = [_row_as_html(row, block.right) for row in block.rows]
    if block.left_out:
        gap = f'<tr class="gap"><td colspan="{len(block.header)}">{_gap(block)}</td></tr>'
        shown.insert(len(shown) - len(shown) // 2, gap)
    head = _row_as_html(block.header, block.right, tag="th")
    return f"<table>\n<thead>{head}</thead>\n<tbody>\n" + "\n".join(shown) + "\n</tbody>\n</table>"


def _row_as_html(row: Sequence[str], right: Sequence[bool], tag: str = "td") -> str:
    scope = ' scope="col"' if tag == "th" else ""
    kinds = ("number" if number else "text" for number in right)
    cells = (f'<{tag}{scope} class="{kind}">{html.escape(cell)}</{tag}>' for cell, kind in zip(row, kinds, strict=True))
    return f"<tr>{''.join(cells)}</tr>"


def _gap(table: Table) -> str:
    return f"… {table.left_out:,} more rows …"


def as_text(blocks: Iterable[Block]) -> str:
    """The blocks as a terminal has them."""
    return "\n".join(_block_as_text(block) for block in blocks)


def _block_as_text(block: Block) -> str:
    if isinstance(block, Title):
        return f"{block.text}\n"
    if isinstance(block, Lines):
        return "".join(f"{line}\n" for line in block.lines)
    lines = aligned(block.header, block.rows).splitlines(keepends=True)
    if block.left_out:
        lines.insert(len(lines) - len(block.rows) // 2, f"{_gap(block)}\n")
    return "".join(lines)
