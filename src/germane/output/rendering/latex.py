"""Tables as LaTeX: booktabs rules, best values in bold, marks as superscripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import import_module

from germane.output.rendering.cells import Cells, cells_of
from germane.tables.results.columns import Table
from germane.tables.results.result import Result

PAPERS = {"compare/1": "germane.output.texts.comparison_latex"}
"""Modules, by schema, whose `paper` sets a result as papers do."""
SPECIAL = {
    **{character: f"\\{character}" for character in "&%_#${}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "·": r"\textperiodcentered{}",
    **{
        character: f"${command}$"
        for character, command in {
            "×": r"\times",
            "−": "-",
            "±": r"\pm",
            "≤": r"\leq",
            "≥": r"\geq",
            "≠": r"\neq",
            "∞": r"\infty",
            "→": r"\rightarrow",
            "α": r"\alpha",
            "β": r"\beta",
            "Δ": r"\Delta",
            "κ": r"\kappa",
            "λ": r"\lambda",
            "μ": r"\mu",
            "ρ": r"\rho",
            "τ": r"\tau",
        }.items()
    },
}
LAST_OF_PDFLATEX = "\u017f"
"""Last character of Latin Extended-A: pdflatex sets what comes up to here without further packages."""
COLUMN, PAGE = 229, 469
"""Widths of a column and of a page in points: those of LaTeX's own article class, and narrower than most."""
GAPS = (6, 3)
"""Half the gap between two columns in points, as LaTeX has it and as tables are squeezed."""


def escape_latex(text: str) -> str:
    """Text as LaTeX sets it; two hyphens do not become a dash, and `[` or `*` after a line break stay text.

    >>> escape_latex("50% --task –")
    '50\\\\% -{}-task --'
    """
    plain = "".join(character if character.isprintable() else " " for character in text)
    parts = re.split("(?<=-)(?=-)", plain)
    set_as = "{}".join("".join(SPECIAL.get(character, character) for character in part) for part in parts)
    return f"{{}}{set_as}" if set_as.startswith(("[", "*")) else set_as


def requirements(texts: Iterable[str]) -> str:
    """Return a comment that names the package and, for characters beyond pdflatex, the engines a table requires."""
    beyond = sorted(
        {c for text in texts for c in text if c > LAST_OF_PDFLATEX and c not in SPECIAL and c.isprintable()}
    )
    engines = f"; compile with XeLaTeX or LuaLaTeX, for {beyond[0]}" if beyond else ""
    return rf"% requires \usepackage{{booktabs}}{engines}"


def points_of(columns: Iterable[Sequence[str]], gap: float) -> float:
    """Estimate the width of a table of 10 pt in points, from the text of its columns as it is printed."""
    return sum(max(map(_points, column), default=0) + 2 * gap for column in columns)


def _points(text: str) -> float:
    wide = sum(7.5 if c.isupper() or c in "mw@%&" else 10 if c > LAST_OF_PDFLATEX else 5.3 for c in text)
    return wide - 2.3 * sum(c in ".,:;|'!ijl" for c in text)


def gap_for(columns: Sequence[Sequence[str]]) -> float | None:
    """Return the gap at which a table fits a column of a paper; None where none does."""
    return next((gap for gap in GAPS if points_of(columns, gap) <= COLUMN), None)


def too_wide(columns: Sequence[Sequence[str]]) -> str:
    """Return a comment on a table that does not fit a column: how wide it is, and what to do."""
    width = points_of(columns, GAPS[0])
    wide = f"% about {width:.0f} pt wide, more than a"
    if width <= PAGE:
        return f"{wide} column of {COLUMN} pt: use table* (both columns), or fewer measures or digits"
    return f"{wide} page of {PAGE} pt: use fewer measures or digits, or shorter names"


def paper(result: Result, digits: int) -> str | None:
    """Set a result as papers do; None where its type has no such form."""
    home = PAPERS.get(result.schema)
    made: str | None = import_module(home).paper(result, digits) if home else None
    return made


def render(shown: Iterable[Table | str], digits: int) -> str:
    """One tabular per table, its title above as a comment; lines of text are comments too."""
    return "\n".join(_comment(each) if isinstance(each, str) else _tabular(each, digits) for each in shown)


def _comment(text: str) -> str:
    return "".join(f"% {line}\n" if line else "\n" for line in text.splitlines())


def _tabular(table: Table, digits: int) -> str:
    cells = cells_of(table, digits)
    rows = [[_cell(each, row) for each in cells] for row in range(len(table))]
    texts = [[each.label, *each.marked()] for each in cells]
    lines = [
        *([f"% {table.title}"] if table.title else []),
        requirements(text for column in texts for text in column),
        *([] if gap_for(texts) else [too_wide(texts)]),
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
