"""A confusion matrix as a table: labelled axes, totals, shares, clusters of confusion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from germane.report.grids import render_grid
from germane.tables.confusion import Confusion, Label, Normalise, Rows

READABLE_CLASSES = 40
"""A matrix of more classes than this is not readable as text: the largest confusions are listed instead."""
SHOWN_CONFUSIONS = 20


def render_matrix(
    confusion: Confusion,
    style: str,
    *,
    rows: Rows = "truth",
    normalise: Normalise | None = None,
    clusters: Sequence[Sequence[Label]] = (),
    digits: int = 4,
) -> str:
    """The matrix with its totals; `clusters` gives the order of the classes, with a line between two groups.

    >>> people = Confusion.of_matrix([[13, 2, 5], [4, 15, 1], [2, 1, 57]], ["woman", "man", "child"])
    >>> print(render_matrix(people, "table", rows="prediction"), end="")
    predicted \\ truth  woman  man  child  total
    woman                 13    4      2     19
    man                    2   15      1     18
    child                  5    1     57     63
    total                 20   20     60    100
    """
    if clusters:
        confusion = confusion.reordered([label for block in clusters for label in block])
    corner = "truth \\ predicted" if rows == "truth" else "predicted \\ truth"
    if normalise is None:
        shown = np.vstack([confusion.counts, confusion.counts.sum(axis=0)])
        shown = np.hstack([shown, shown.sum(axis=1, keepdims=True)])
        header = [*map(str, confusion.labels), "total"]
        text = [[f"{value:.10g}" for value in row] for row in (shown if rows == "truth" else shown.T).tolist()]
    else:
        shares = confusion.normalised(normalise)
        header = [str(label) for label in confusion.labels]
        text = [
            ["–" if np.isnan(value) else f"{value:.{digits}f}" for value in row]
            for row in (shares if rows == "truth" else shares.T).tolist()
        ]
    lines = [[name, *row] for name, row in zip(header, text, strict=True)]
    return render_grid([corner, *header], _with_breaks(lines, clusters), style)


def _with_breaks(lines: list[list[str]], clusters: Sequence[Sequence[Label]]) -> list[list[str]]:
    """An empty line after each group of classes."""
    if len(clusters) < 2:
        return lines
    found, done = [], 0
    for block in clusters:
        found += [*lines[done : done + len(block)], [""] * len(lines[0])]
        done += len(block)
    return found + lines[done:]


def render_confusions(confusion: Confusion, style: str) -> str:
    """The pairs of classes that are taken for each other most often, largest first."""
    counts = confusion.counts.copy()
    np.fill_diagonal(counts, 0)
    largest = np.argsort(-counts, axis=None, kind="stable")[:SHOWN_CONFUSIONS]
    names, support = [str(label) for label in confusion.labels], confusion.support
    rows = [
        [names[i], names[j], f"{counts[i, j]:.10g}", f"{counts[i, j] / support[i]:.1%}"]
        for i, j in zip(*np.unravel_index(largest, counts.shape), strict=True)
        if counts[i, j]
    ]
    return render_grid(["truth", "predicted", "items", "of the true class"], rows, style)


def matrix_as_dict(confusion: Confusion) -> dict[str, Any]:
    """What other programs read: rows are the truth."""
    return {"labels": list(confusion.labels), "rows": "truth", "counts": confusion.counts.tolist()}
