"""A grid of cells written as text, for what is not a result yet: aligned columns, Markdown, LaTeX, CSV, TSV."""

from __future__ import annotations

from collections.abc import Sequence

from germane.output.rendering import delimited, latex, markdown, terminal
from germane.tables.results.columns import table_of_texts


def render_grid(header: Sequence[str], rows: Sequence[Sequence[str]], style: str) -> str:
    """Write a grid in one of the styles.

    >>> print(render_grid(["run", "AP"], [["a", "0.5000"]], "table"), end="")
    run      AP
    a    0.5000
    """
    if style in ("csv", "tsv"):
        return delimited.write_rows([header, *rows], style)
    render = {"table": terminal.render, "markdown": markdown.render, "latex": latex.render}[style]
    return render([table_of_texts(header, rows)], 0)
