"""A grid of cells written as text: aligned columns, Markdown, LaTeX, CSV, TSV."""

from __future__ import annotations

from collections.abc import Sequence

from germane.tables.grid import Row, aligned, numeric, widths

GRID_STYLES = ("table", "markdown", "latex", "csv", "tsv")


def render_grid(header: Row, rows: Sequence[Row], style: str) -> str:
    """Write a grid in one of the styles.

    >>> print(render_grid(["run", "AP"], [["a", "0.5000"]], "table"), end="")
    run      AP
    a    0.5000
    """
    return {"table": aligned, "markdown": _markdown, "latex": _latex, "csv": _csv, "tsv": _tsv}[style](header, rows)


def _markdown(header: Row, rows: Sequence[Row]) -> str:
    columns = [(max(w, 3), right) for w, right in zip(widths(header, rows), numeric(header, rows), strict=True)]

    def line(row: Row) -> str:
        cells = (cell.replace("|", "\\|") for cell in row)
        padded = (c.rjust(w) if right else c.ljust(w) for c, (w, right) in zip(cells, columns, strict=True))
        return f"| {' | '.join(padded)} |\n"

    rule = [f"{'-' * (width - 1)}:" if right else "-" * width for width, right in columns]
    return line(header) + f"| {' | '.join(rule)} |\n" + "".join(map(line, rows))


_LATEX_SPECIAL = {
    **{character: f"\\{character}" for character in "&%_#${}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
}


def escape_latex(text: str) -> str:
    """Text as LaTeX sets it."""
    return "".join(_LATEX_SPECIAL.get(character, character) for character in text)


def _latex(header: Row, rows: Sequence[Row]) -> str:
    columns = "".join("r" if n else "l" for n in numeric(header, rows))
    head, *body = (" & ".join(map(escape_latex, row)) for row in [header, *rows])
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        rf"{head} \\",
        r"\midrule",
        *(rf"{row} \\" for row in body),
    ]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _csv(header: Row, rows: Sequence[Row]) -> str:
    import csv
    import io

    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *rows])
    return out.getvalue()


def _tsv(header: Row, rows: Sequence[Row]) -> str:
    return "".join("\t".join(row) + "\n" for row in [header, *rows])
