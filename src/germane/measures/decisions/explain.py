"""Breakdown of a classification measure: threshold by threshold, or its formula with the numbers filled in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from germane.measures.decisions.breakdowns.by_threshold import breakdown_of
from germane.measures.decisions.names import canonical_name
from germane.measures.decisions.rates import RATES, Rate
from germane.measures.decisions.requests import chosen_measure, kind_of
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.threshold_text import threshold_text
from germane.tables.notes.note import Note
from germane.tables.results.columns import Table, table_of_columns
from germane.tables.results.result import Result

TABLED = ("AUC", "AP", "EER")
"""Measures of scores whose breakdown exercises ask for."""
COUNTS = (*Cells._fields, "items", "predicted", "correct", "corner", "within")
"""Columns of counts."""


@dataclass(frozen=True)
class DecisionExplanation(Result):
    """Breakdown of a value: a table with one row per threshold, class, bin or matrix, and lines ending in the value.

    `term` names the column that adds up to the value; it is empty if the value comes from one row or a formula.
    """

    measure: str
    columns: dict[str, list[Any]]
    lines: tuple[str, ...]
    value: float
    term: str = ""
    notes: tuple[Note, ...] = ()

    schema: ClassVar[str] = "explain-decisions/1"
    fact_names: ClassVar[str] = "measure value term lines"

    def tables(self, **_: object) -> Iterator[Table]:
        """Yield the table with one row per threshold, class or bin, or a single row for one confusion matrix."""
        yield table_of_columns("rows", self.columns, counts=COUNTS)

    def shown(self, *, most: int | None = None, digits: int = 4) -> Iterator[Table | str]:
        """Yield the `most` highest thresholds, with enough digits to tell them apart, and the lines."""
        found = self.table()
        if "score" not in self.columns and self.columns.keys() & {"class", "items", "label"}:
            yield found
        elif "item" in self.columns:
            rows = range(len(found))[:most]
            more = f"… and {len(found) - len(rows):,} more items (--show {len(found)} shows all)"
            yield replace(found.chosen(rows), below=(more,) if len(rows) < len(found) else ())
        elif "score" in self.columns:
            rows = range(len(found))[:most]
            left_out = len(found) - len(rows)
            more = f"… and {left_out:,} more rows (--show {len(found)} shows all)"
            scores = np.asarray(self.columns["score"], dtype=np.float64)
            shortest = [threshold_text(score, scores) for score in scores[: len(rows)].tolist()]
            columns = (replace(c, values=shortest) if c.key == "score" else c for c in found.chosen(rows).columns)
            yield replace(found, columns=tuple(columns), below=(more,) if left_out else ())
        yield "".join(f"{line}\n" for line in self.lines)


def explain_cells(measure: str, cells: Cells) -> DecisionExplanation:
    """Break down a rate of one confusion matrix: its formula, the numbers filled in, the value.

    >>> print(explain_cells("recall", Cells(20, 180, 10, 1820)))
    TPR = TP / (TP + FN)
        = 20 / (20 + 10)
        = 0.6667
    """
    chosen = RATES.parse(measure)
    name, value = str(chosen), chosen(cells).item()
    filled_in = chosen.expression.filled_in(**cells._asdict(), **chosen.filled())
    indent = " " * len(name)
    lines = (f"{name} = {chosen.formula}", f"{indent} = {filled_in}", f"{indent} = {value:.4f}")
    columns = {cell: [count] for cell, count in cells._asdict().items()}
    return DecisionExplanation(name, {**columns, name: [value]}, lines, value)


def explain_scores(measure: str, decisions: Decisions) -> DecisionExplanation:
    """Break down a measure of scores, or a rate at every threshold: the table of lecture 001, section 2.6.

    >>> print(explain_scores("AUC", Decisions.of([True, False, True], [0.9, 0.5, 0.4])))
    class  score  TP  FP  FN  TN     TPR     FPR     ACC    area
    P        0.9   1   0   1   1  0.5000  0.0000  0.6667  0.0000
    N        0.5   1   1   1   0  0.5000  1.0000  0.3333  0.5000
    P        0.4   2   1   0   0  1.0000  1.0000  0.6667  0.0000
    <BLANKLINE>
    AUC = sum of the areas = 0.5000
    """
    cells = decisions.cells
    rates = {name: RATES[name](cells) for name in ("TPR", "FPR", "ACC")}
    columns: dict[str, Any] = {"class": _classes(decisions), "score": decisions.thresholds.tolist()}
    columns |= {name: column.tolist() for name, column in {**cells._asdict(), **rates}.items()}
    if needs_scores(measure):
        return _of_all_thresholds(measure, decisions, columns)
    return _best_threshold(RATES.parse(measure), decisions, columns)


def needs_scores(measure: str) -> bool:
    """Return whether a measure is computed from scores and not from predicted labels.

    >>> needs_scores("AUC"), needs_scores("recall")
    (True, False)
    """
    return kind_of(canonical_name(measure)) in ("scores", "probabilities")


def _best_threshold(chosen: Rate, decisions: Decisions, columns: dict[str, Any]) -> DecisionExplanation:
    """Break down a rate at every threshold, and state where it is best."""
    name, values = str(chosen), chosen(decisions.cells)
    columns[name] = values.tolist()
    if np.isnan(values).all():
        return DecisionExplanation(name, columns, (f"{name} is undefined at every threshold",), float("nan"))
    best, word = (np.nanargmin(values), "lowest") if chosen.better == "lower" else (np.nanargmax(values), "highest")
    line = f"{name} is {word} at {decisions.text(decisions.thresholds[best].item())}: {values[best]:.4f}"
    return DecisionExplanation(name, columns, (line,), values[best].item())


def _of_all_thresholds(measure: str, decisions: Decisions, columns: dict[str, Any]) -> DecisionExplanation:
    """Break down a measure of scores at every threshold; one that is not known here by its formula alone."""
    name = canonical_name(measure)
    chosen = chosen_measure(name)
    value = chosen(decisions)
    found = breakdown_of(chosen, decisions)
    if found is None:
        lines = (f"{name}: {chosen.sections.get('Formula', chosen.summary)}", f"{name} = {value:.4f}")
        return DecisionExplanation(name, columns, lines, value)
    columns |= {key: column.tolist() for key, column in found.columns.items()}
    return DecisionExplanation(name, columns, (f"{name} = {found.line} = {value:.4f}",), value, found.term)


def _classes(decisions: Decisions) -> list[str]:
    """Return the number of positives and negatives at each threshold, as text."""
    pairs = list(zip(decisions.positives_at.tolist(), decisions.negatives_at.tolist(), strict=True))
    if all(p + n == 1 for p, n in pairs):
        return ["P" if p else "N" for p, _ in pairs]
    return [" ".join(f"{count:g} {letter}" for count, letter in ((p, "P"), (n, "N")) if count) for p, n in pairs]
