"""Reading back what results were written as: the cells of every format as text, with their headers."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from typing import Any

from germane.output.rendering.latex import SPECIAL
from germane.tables.results.columns import Column

Grid = tuple[list[str], list[list[str]]]
"""A header and its rows."""


def read_delimited(text: str, style: str) -> Grid:
    """The cells of CSV or TSV."""
    header, *rows = csv.reader(io.StringIO(text), delimiter="\t" if style == "tsv" else ",")
    return header, rows


def read_markdown(text: str) -> Grid:
    """The cells of the one table in Markdown."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [
        [cell.strip().replace("\\|", "|").replace("\\<", "<") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in lines
    ]
    return cells[0], cells[2:]


def read_latex(text: str) -> Grid:
    """The cells of the one tabular, without bold, with marks behind a space."""
    inside = text.partition("\\toprule\n")[2].partition("\\bottomrule")[0]
    lines = [line.removesuffix(" \\\\") for line in inside.splitlines() if line != "\\midrule"]
    cells = [[_from_latex(cell) for cell in re.split(r" (?<!\\)& ", f"{line}")] for line in lines]
    return cells[0], cells[1:]


def _from_latex(cell: str) -> str:
    cell = re.sub(r"\$\^\{(.*)\}\$$", r" \1", cell.strip())
    cell = re.sub(r"\\textbf\{([^{}]*)\}", r"\1", cell)
    for character, written in sorted(SPECIAL.items(), key=lambda pair: -len(pair[1])):
        cell = cell.replace(written, character)
    return cell.replace("-{}", "-")


class _Html(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in ("th", "td")

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def read_html(text: str) -> Grid:
    """The cells of the one table in HTML."""
    header, *rows = _Html(text).rows
    return header, rows


def found_at(record: Any, column: Column) -> Any:
    """What a record of JSON has of a column; None where it has not the key."""
    for step in column.path or (column.key,):
        record = record[step] if isinstance(step, int) else record.get(step) if record is not None else None
    return record
