"""Correlations as a table for people, or as JSON for programs; and the coefficients, each with what it is."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from typing import Any

from germane.report.grids import render_grid
from germane.report.notes import note_as_dict
from germane.stats.agreement_of_rankings import MeasureCorrelations
from germane.stats.coefficients import Coefficient
from germane.stats.correlations import NOUNS, Correlations

STYLES = ("table", "markdown", "csv", "json")
KEYS = {"runs": "queries", "leaderboards": "measures"}
"""What JSON calls the rows."""


def render_correlations(
    found: Correlations | MeasureCorrelations, style: str, *, per_query: bool = False, digits: int = 4
) -> str:
    """Write correlations in one of the styles."""
    if style == "json":
        as_dict = matrix_as_dict(found) if isinstance(found, MeasureCorrelations) else correlations_as_dict(found)
        return json.dumps(as_dict, indent=1) + "\n"
    if isinstance(found, MeasureCorrelations):
        header, rows = _matrix(found, digits)
    elif found.kind == "runs":
        header, rows = _of_runs(found, per_query, digits)
    else:
        header, rows = _of_leaderboards(found, digits)
    return render_grid(header, rows, style)


def _of_runs(found: Correlations, per_query: bool, digits: int) -> tuple[list[str], list[list[str]]]:
    header = ["first", "second", *(["query", "documents"] if per_query else []), "queries", *found.coefficients]
    rows = []
    if per_query:
        for row, items, values in zip(found.rows, found.num_items.tolist(), found.values.tolist(), strict=True):
            rows.append([*found.names, row, str(items), "", *_cells(values, digits)])
    label = ["mean", ""] if per_query else []
    rows.append([*found.names, *label, str(len(found.rows)), *_cells(list(found.mean().values()), digits)])
    return header, rows


def _of_leaderboards(found: Correlations, digits: int) -> tuple[list[str], list[list[str]]]:
    header = ["first", "second", "measure", "systems", "common", *found.coefficients]
    counts = zip(found.num_items.tolist(), found.in_common.tolist(), strict=True)
    rows = [
        [*found.names, row, *map(str, count), *_cells(values, digits)]
        for row, count, values in zip(found.rows, counts, found.values.tolist(), strict=True)
    ]
    return header, rows


def _matrix(found: MeasureCorrelations, digits: int) -> tuple[list[str], list[list[str]]]:
    header = ["coefficient", "measure", "systems", *found.measures]
    rows = [
        [name, measure, str(len(found.systems)), *_cells(values, digits)]
        for name, matrix in zip(found.coefficients, found.values.tolist(), strict=True)
        for measure, values in zip(found.measures, matrix, strict=True)
    ]
    return header, rows


def _cells(values: Sequence[float], digits: int) -> list[str]:
    return [f"{value:.{digits}f}" for value in values]


def correlations_as_dict(found: Correlations) -> dict[str, Any]:
    """The contract for other programs: stable, every number in full, NaN as null."""
    noun, items = NOUNS[found.kind]
    counts = zip(found.num_items.tolist(), found.in_common.tolist(), strict=True)
    mean = {"mean": _numbers(found.mean())} if noun == "query" else {}
    return {
        **_head(found.kind, found),
        "first": found.names[0],
        "second": found.names[1],
        "missing": found.missing,
        "coefficients": list(found.coefficients),
        f"num_{KEYS[found.kind]}": len(found.rows),
        **mean,
        KEYS[found.kind]: {
            row: {f"num_{items}": count, "num_common": common, **_numbers(found[row])}
            for row, (count, common) in zip(found.rows, counts, strict=True)
        },
        "notes": [note_as_dict(note) for note in found.notes],
    }


def matrix_as_dict(found: MeasureCorrelations) -> dict[str, Any]:
    """The contract for other programs: by coefficient, first measure and second measure."""
    return {
        **_head("measures", found),
        "systems": list(found.systems),
        "measures": list(found.measures),
        "coefficients": list(found.coefficients),
        "correlations": {
            name: {
                measure: _numbers(dict(zip(found.measures, row, strict=True)))
                for measure, row in zip(found.measures, matrix, strict=True)
            }
            for name, matrix in zip(found.coefficients, found.values.tolist(), strict=True)
        },
        "notes": [note_as_dict(note) for note in found.notes],
    }


def _head(kind: str, found: Correlations | MeasureCorrelations) -> dict[str, Any]:
    from germane import __version__

    return {"germane": __version__, "between": kind, "p": found.p, "depth": found.depth}


def _numbers(values: dict[str, float]) -> dict[str, float | None]:
    """JSON knows no NaN."""
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def coefficient_list(coefficients: Sequence[Coefficient]) -> str:
    """All about every coefficient."""
    return "\n".join(map(_coefficient_page, coefficients))


def _coefficient_page(entry: Coefficient) -> str:
    low, high = entry.bounds
    facts = {
        **entry.sections,
        "Range": f"{low:g} to {high:g}",
        "Symmetric": "yes" if entry.symmetric else "no, the first ranking is the truth",
    }
    lines = (
        textwrap.fill(text, width=100, initial_indent=f"  {title + ':':<11} ", subsequent_indent=" " * 14)
        for title, text in facts.items()
    )
    return f"{entry.name}: {entry.summary}\n" + "".join(f"{line}\n" for line in lines)
