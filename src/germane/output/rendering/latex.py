"""Tables as LaTeX: booktabs, the best in bold, marks raised."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module

from germane.output.rendering.cells import Cells, cells_of
from germane.tables.results.columns import Table
from germane.tables.results.result import Result

PAPERS = {"compare/1": "germane.output.texts.comparison_latex"}
"""By schema, the module whose `paper` sets a result as papers do."""
SPECIAL = {
    **{character: f"\\{character}" for character in "&%_#${}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "×": r"$\times$",
}


def escape_latex(text: str) -> str:
    """Text as LaTeX sets it; two hyphens do not become a dash.

    >>> escape_latex("50% --task –")
    '50\\\\% -{}-task --'
    """
    parts = re.split("(?<=-)(?=-)", text)
    return "{}".join("".join(SPECIAL.get(character, character) for character in part) for part in parts)


def paper(result: Result, digits: int) -> str | None:
    """A result as its type is set in papers; None where it has no such form."""
    home = PAPERS.get(result.schema)
    made: str | None = import_module(home).paper(result, digits) if home else None
    return made


def render(shown: Iterable[Table | str], digits: int) -> str:
    """One tabular a table, its title above as a comment; lines of text are comments too."""
    return "\n".join(_comment(each) if isinstance(each, str) else _tabular(each, digits) for each in shown)


def _comment(text: str) -> str:
    return "".join(f"% {line}\n" if line else "\n" for line in text.splitlines())


def _tabular(table: Table, digits: int) -> str:
    cells = cells_of(table, digits)
    rows = [[_cell(each, row) for each in cells] for row in range(len(table))]
    lines = [
        *([f"% {table.title}"] if table.title else []),
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{''.join('r' if each.right else 'l' for each in cells)}}}",
        r"\toprule",
        rf"{' & '.join(escape_latex(each.label) for each in cells)} \\",
        r"\midrule",
        *(rf"{' & '.join(row)} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        *(f"% {line}" for line in table.below),
    ]
    return "\n".join(lines) + "\n"


def _cell(cells: Cells, row: int) -> str:
    text = escape_latex(cells.texts[row])
    text = rf"\textbf{{{text}}}" if row in cells.best else text
    return f"{text}$^{{{escape_latex(cells.mark(row))}}}$" if cells.mark(row) else text
