"""A grid of cells written as text: aligned columns, Markdown, LaTeX, CSV, TSV."""

from __future__ import annotations

import re
from collections.abc import Sequence

Row = Sequence[str]
GRID_STYLES = ("table", "markdown", "latex", "csv", "tsv")


def render_grid(header: Row, rows: Sequence[Row], style: str) -> str:
    """Write a grid in one of the styles.

    >>> print(render_grid(["run", "AP"], [["a", "0.5000"]], "table"), end="")
    run      AP
    a    0.5000
    """
    return {"table": _aligned, "markdown": _markdown, "latex": _latex, "csv": _csv, "tsv": _tsv}[style](header, rows)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[\d.]+%?|nan|–?|\[.*\]", text) is not None


def _widths(header: Row, rows: Sequence[Row]) -> list[int]:
    return [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]


def _numeric(header: Row, rows: Sequence[Row]) -> list[bool]:
    return [bool(rows) and all(_is_number(row[i]) for row in rows) for i in range(len(header))]


def _aligned(header: Row, rows: Sequence[Row]) -> str:
    widths, numeric = _widths(header, rows), _numeric(header, rows)
    return "".join(
        "  ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric, strict=True)).rstrip() + "\n"
        for row in [header, *rows]
    )


def _markdown(header: Row, rows: Sequence[Row]) -> str:
    widths, numeric = [max(w, 3) for w in _widths(header, rows)], _numeric(header, rows)

    def line(row: Row) -> str:
        cells = (c.replace("|", "\\|") for c in row)
        return (
            "| "
            + " | ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in zip(cells, widths, numeric, strict=True))
            + " |\n"
        )

    rule = (
        "| " + " | ".join("-" * (w - 1) + ":" if n else "-" * w for w, n in zip(widths, numeric, strict=True)) + " |\n"
    )
    return line(header) + rule + "".join(map(line, rows))


_LATEX_SPECIAL = {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "–": "--"}


def _latex(header: Row, rows: Sequence[Row]) -> str:
    columns = "".join("r" if n else "l" for n in _numeric(header, rows))
    head, *body = (
        " & ".join("".join(_LATEX_SPECIAL.get(c, c) for c in cell) for cell in row) for row in [header, *rows]
    )
    lines = [
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
