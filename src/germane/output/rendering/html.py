"""Tables as an HTML fragment for notebooks, web pages and emails: no script, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from germane.output.rendering.cells import Cells, cells_of
from germane.output.rendering.notes import notes_in_words
from germane.tables.notes.note import Note
from germane.tables.results.columns import Prose, Table

STYLE = """
.germane-result{overflow-x:auto;max-width:100%;line-height:1.35}
.germane-result table{border-collapse:collapse;border:0;margin:.3em 0 .9em;font-size:.92em;width:auto}
.germane-result caption{text-align:left;font-weight:600;padding:.5em 0 .2em;caption-side:top;color:inherit}
.germane-result th,.germane-result td{padding:.15em 1em .15em 0;border:0;white-space:nowrap;\
color:inherit;background:none;font-weight:normal}
.germane-result table tr .text,.germane-result table tr.gap td{text-align:left}
.germane-result table tr .number{text-align:right;font-variant-numeric:tabular-nums}
.germane-result thead th{border-bottom:1px solid;font-weight:600;vertical-align:bottom;white-space:normal}
.germane-result .gap,.germane-result .notes{opacity:75%}
.germane-result p{margin:.5em 0 .2em}
.germane-result pre{margin:.3em 0;padding:0;font-size:.85em;background:none;color:inherit;white-space:pre-wrap}
.germane-result ul{margin:.2em 0 .6em;padding-left:1.2em}
.germane-result img{background:#fff;padding:8px;border-radius:4px;max-width:100%}
"""
"""CSS of a result. Colours are inherited from the notebook, light or dark; only images have a white background.

JupyterLab aligns all cells to the right, so alignment here uses selectors of higher specificity."""


def render(shown: Iterable[Table | str], digits: int, notes: Sequence[Note | str] = ()) -> str:
    """Render tables and lines in one block, with notes below."""
    parts = [lines_as_html(each) if isinstance(each, str) else table_as_html(each, digits) for each in shown]
    text = framed(*parts, notes_as_html(notes_in_words(notes)))
    # The fragment may be pasted into a page of any encoding, so escape everything that is not ASCII.
    return text.encode("ascii", "xmlcharrefreplace").decode() + "\n"


def framed(*parts: str) -> str:
    """Wrap parts of HTML in one block with its CSS."""
    inner = "\n".join(part for part in parts if part)
    return f'<div class="germane-result"><style>{STYLE}</style>\n{inner}\n</div>'


def notes_as_html(lines: Sequence[str]) -> str:
    """Render notes as a list; an empty text without notes."""
    items = "".join(f"<li>note: {escape(line)}</li>" for line in lines)
    return f'<ul class="notes">{items}</ul>' if items else ""


def lines_as_html(text: str) -> str:
    """Render lines of text as preformatted, prose as a paragraph."""
    if isinstance(text, Prose):
        return f"<p>{escape(text.rstrip())}</p>"
    return f"<pre>{escape(text.rstrip())}</pre>"


def table_as_html(table: Table, digits: int) -> str:
    """Render a table under its title; a line in the middle counts omitted rows."""
    columns = cells_of(table, digits)
    texts = [each.marked() for each in columns]
    body = [
        _row((each, text[row], row in each.best) for each, text in zip(columns, texts, strict=True))
        for row in range(len(table))
    ]
    if table.left_out:
        gap = f'<tr class="gap"><td colspan="{len(columns)}">… {table.left_out:,} more rows …</td></tr>'
        body.insert(len(body) - len(body) // 2, gap)
    head = "".join(f'<th scope="col" class="{_side(each)}">{escape(each.label)}</th>' for each in columns)
    title = f"<caption>{escape(table.title)}</caption>\n" if table.title else ""
    lines = "\n".join(body)
    below = "".join(f"\n<p>{escape(line)}</p>" for line in table.below)
    return f"<table>\n{title}<thead><tr>{head}</tr></thead>\n<tbody>\n{lines}\n</tbody>\n</table>{below}"


def _row(row: Iterable[tuple[Cells, str, bool]]) -> str:
    cells = (
        f'<td class="{_side(each)}">{f"<b>{escape(text)}</b>" if best else escape(text)}</td>'
        for each, text, best in row
    )
    return f"<tr>{''.join(cells)}</tr>"


def _side(cells: Cells) -> str:
    return "number" if cells.right else "text"
