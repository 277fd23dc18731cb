"""Tables of a confusion matrix: for people, one row per cell, and the largest confusions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from germane.tables.decisions.confusion import Confusion, Label, Normalise, Rows
from germane.tables.results.columns import Column, F, Kind, Table, table

READABLE_CLASSES = 40
"""Maximum number of classes of a matrix shown as text; above it, the largest confusions are listed instead."""
SHOWN_CONFUSIONS = 20
CELLS = (F("classifier", "name", people="several"), F("truth", "name"), F("predicted", "name"), F("count", "count"))
CONFUSIONS = (F("truth", "name"), F("predicted", "name"), F("items", "count"), F("share", "share", "of the true class"))


def cell_rows(confusion: Confusion, classifier: str = "") -> Iterator[dict[str, Any]]:
    """Yield one row per cell of the matrix."""
    for truth, row in zip(confusion.labels, confusion.counts.tolist(), strict=True):
        for predicted, count in zip(confusion.labels, row, strict=True):
            yield {"classifier": classifier, "truth": truth, "predicted": predicted, "count": count}


def matrix_table(
    confusion: Confusion,
    title: str = "",
    below: Sequence[str] = (),
    *,
    rows: Rows = "truth",
    normalise: Normalise | None = None,
    clusters: Sequence[Sequence[Label]] = (),
) -> Table:
    """Return the matrix with totals; `clusters` gives the order of the classes, with an empty line between groups."""
    if clusters:
        confusion = confusion.reordered([label for block in clusters for label in block])
    names = [str(label) for label in confusion.labels]
    if normalise is None:
        names.append("total")
        shown = np.vstack([confusion.counts, confusion.counts.sum(axis=0)])
        shown = np.hstack([shown, shown.sum(axis=1, keepdims=True)])
    else:
        shown = confusion.normalised(normalise)
    lines: list[list[Any]] = [
        # Sums of weights are not integers, and get the digits that they need.
        [name, *(row if normalise else (f"{count:.10g}" for count in row))]
        for name, row in zip(names, (shown if rows == "truth" else shown.T).tolist(), strict=True)
    ]
    if len(clusters) > 1:
        for end in reversed([*accumulate(map(len, clusters))]):
            lines.insert(end, [" "] * len(lines[0]))
    corner = "truth \\ predicted" if rows == "truth" else "predicted \\ truth"
    kind: Kind = "count" if normalise is None else "value"
    first, *cells = zip(*lines, strict=True)
    columns = (Column(name, kind, values) for name, values in zip(names, cells, strict=True))
    return Table("matrix", (Column(corner, "name", first), *columns), title, tuple(below))


def confusions_table(confusion: Confusion, title: str = "") -> Table:
    """Return the pairs of classes that are confused most often, largest first."""
    counts = confusion.counts.copy()
    np.fill_diagonal(counts, 0)
    largest = np.argsort(-counts, axis=None, kind="stable")[:SHOWN_CONFUSIONS]
    names, support = [str(label) for label in confusion.labels], confusion.support
    rows = [
        {"truth": names[i], "predicted": names[j], "items": counts[i, j], "share": counts[i, j] / support[i]}
        for i, j in zip(*np.unravel_index(largest, counts.shape), strict=True)
        if counts[i, j]
    ]
    return table("confusions", CONFUSIONS, rows, title=title)
