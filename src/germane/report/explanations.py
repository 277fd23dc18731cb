"""A worked table as text, Markdown or JSON."""

from __future__ import annotations

import json
import math
import textwrap
from typing import Any

from germane.measures.deciding.explain import DecisionExplanation
from germane.measures.explain import Explanation
from germane.report.grids import render_grid

STYLES = ("table", "markdown", "json")
WIDTH = 100


def render_explanation(explanation: Explanation, style: str, *, digits: int = 4) -> str:
    """Write the formula, the table and its last line."""
    if style == "json":
        return json.dumps(explanation_as_dict(explanation), indent=1) + "\n"
    title = f"{explanation.measure} of {explanation.run} for query {explanation.query}"
    header = list(explanation.columns)
    rows = [[_cell(value, digits) for value in row] for row in zip(*explanation.columns.values(), strict=True)]
    grid = render_grid(header, rows, style) if rows else "(no rank contributes)\n"
    notes = "".join(f"note: {note}\n" for note in explanation.notes)
    formula, last = explanation.formula, explanation.last_line
    if style == "markdown":
        heading = f"**{title}**" + (f"\n\n`{formula}`" if formula else "")
        return f"{heading}\n\n{grid}\n`{last}`\n{notes}"
    heading = "\n".join([title, *textwrap.wrap(formula, WIDTH, subsequent_indent="  ")])
    return f"{heading}\n\n{grid}\n{last}\n{notes}"


def explanation_as_dict(explanation: Explanation) -> dict[str, Any]:
    """The same for programs, every number in full."""
    return {
        "measure": str(explanation.measure),
        "run": explanation.run,
        "query": explanation.query,
        "value": None if math.isnan(explanation.value) else explanation.value,
        "formula": explanation.formula,
        "rows": [
            dict(zip(explanation.columns, row, strict=True)) for row in zip(*explanation.columns.values(), strict=True)
        ],
        "base": explanation.base,
        "over": explanation.over,
        "over_is": explanation.over_is,
        "last_line": explanation.last_line,
        "notes": list(explanation.notes),
    }


def render_decision_explanation(
    explanation: DecisionExplanation, style: str, *, digits: int = 4, most: int | None = None
) -> str:
    """Write the table by threshold, if there is one, and the lines that end in the value.

    With `most`, a longer table shows only so many rows, and says how many it leaves out; JSON has all.
    """
    columns = explanation.columns
    if style == "json":
        rows = zip(*columns.values(), strict=True)
        found = {
            "measure": explanation.measure,
            "value": None if math.isnan(explanation.value) else explanation.value,
            "rows": [dict(zip(columns, map(_known, row), strict=True)) for row in rows],
            "term": explanation.term,
            "lines": list(explanation.lines),
        }
        return json.dumps(found, indent=1) + "\n"
    cells = explanation.rows(digits, most)
    there = max(map(len, columns.values()), default=0)
    left_out = there - len(cells)
    more = f"… and {left_out:,} more rows (--show {there} shows all)\n" if left_out else ""
    grid = f"{render_grid(list(columns), cells, style)}{more}\n" if there else ""
    lines = "".join(f"{line}\n" for line in explanation.lines)
    return grid + (f"```text\n{lines}```\n" if style == "markdown" else lines)


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return f"{value:g}" if value == int(value) and abs(value) < 1e6 else f"{value:.{digits}f}"
    return str(value)
