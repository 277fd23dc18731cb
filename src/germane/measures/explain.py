"""Breakdown of one value: the terms that add up to it, read from the same arrays as the value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from germane.errors import GermaneError, did_you_mean
from germane.measures.definition import MEASURES, Definition, given_to, work
from germane.tables.columns.ids import IntArray
from germane.tables.rankings.judged_run import Hits, JudgedRun, Worked
from germane.tables.rankings.measure import Measure
from germane.tables.results.columns import Prose, Table, table_of_columns
from germane.tables.results.result import Result

MANY_TERMS = 12


@dataclass(frozen=True)
class Explanation(Result):
    """Breakdown of a value: one row per contributing rank, and a last line that evaluates to the value."""

    measure: Measure
    run: str
    query: str
    columns: dict[str, list[Any]]
    value: float
    numerator: str
    """Name of the column whose sum (or last entry, if `running`) is the numerator."""
    base: float = 0.0
    denominator: float = 1.0
    denominator_is: str = ""
    running: bool = False
    formula: str = ""
    """Formula of the measure."""
    notes: tuple[str, ...] = ()

    schema: ClassVar[str] = "explain/1"
    fact_names: ClassVar[str] = "measure run query value formula base denominator denominator_is last_line"

    def tables(self) -> Iterator[Table]:
        """Yield the table with one row per contributing rank."""
        yield table_of_columns("rows", self.columns, counts=self.columns)  # 1, not 1.0000, among numbers with decimals

    def shown(self, *, digits: int = 4) -> Iterator[Table | str]:
        """Yield the formula, the table and the last line."""
        yield Prose(f"{self.measure} of {self.run} for query {self.query}\n")
        if self.formula:
            yield Prose(f"{self.formula}\n")
        rows = self.table()
        yield rows if len(rows) else "(no rank contributes)\n"
        yield f"{self.last_line}\n"

    def evaluate(self) -> float:
        """Evaluate the last line from the numbers in the table."""
        column = list(map(float, self.columns[self.numerator]))
        above = (column[-1] if column else 0.0) if self.running else float(np.cumsum([self.base, *column])[-1])
        return above / self.denominator if self.denominator else self.value

    @property
    def last_line(self) -> str:
        """The calculation in one line.

        >>> from germane.measures.definition import MEASURES
        >>> explain(MEASURES.parse("AP"), judged("0 1 0 0 1 0 0 1", unretrieved="1"), "q0").last_line
        'AP = (0.5 + 0.4 + 0.375) / 4 = 0.3187, with R = 4'
        """
        column = [float(x) for x in self.columns[self.numerator]]
        terms = [column[-1]] if self.running and column else [t for t in column if t]
        if self.base or not terms:
            terms.insert(0, self.base)
        if len(terms) > MANY_TERMS:
            written = f"sum of {len(terms)} terms, {_short(float(np.cumsum(terms)[-1]))}"
            terms = terms[:1]
        else:
            written = _as_sum(terms, start=bool(self.base))
        if self.denominator == 0:
            return f"{self.measure} = {_short(self.value)}, since {self.denominator_is or 'the divisor'} = 0"
        if self.denominator == 1 and not self.denominator_is:
            return f"{self.measure} = {f'{written} = ' if len(terms) > 1 else ''}{self.value:.4f}"
        brackets = f"({written})" if len(terms) > 1 else written
        with_name = f", with {self.denominator_is} = {_short(self.denominator)}" if self.denominator_is else ""
        return f"{self.measure} = {brackets} / {_short(self.denominator)} = {self.value:.4f}{with_name}"


def _as_sum(terms: list[float], *, start: bool) -> str:
    """Write terms as a sum; repeated terms after a `start`, or above 1, are written as a product.

    >>> _as_sum([1, 1, 1], start=False), _as_sum([5, 5, 5], start=False), _as_sum([13, -1, -1, -1], start=True)
    ('1 + 1 + 1', '3 * 5', '13 - 3')
    """
    first, repeated = terms[: int(start)], terms[int(start) :]
    if len(repeated) > 1 and len(set(repeated)) == 1 and (start or repeated[0] > 1):
        count, size = len(repeated), abs(repeated[0])
        product = str(count) if size == 1 else f"{count} * {_short(size)}"
        signs = " - " if repeated[0] < 0 else " + "
        return signs.join([*map(_short, first), product])
    return " + ".join(map(_short, terms)).replace("+ -", "- ")


def _short(number: float) -> str:
    return f"{number:.4g}"


def explain(measure: Measure, run: JudgedRun, query: str) -> Explanation:
    """Break down the value of one measure for one query."""
    index = run.qrels.queries.find(query)
    if index is None:
        known = list(run.qrels.queries)
        if not query:
            hint = f"pass `query=…`; {run.qrels.name} has {_some(known)}"
            raise GermaneError("missing query to explain", hint=hint)
        near = did_you_mean(query, known)
        raise GermaneError(f"unknown query {query!r}{near}", hint=f"choose from {_some(known)}")
    definition, worked = MEASURES[measure], work(measure, run)
    defaults = {name: parameter.default for name, parameter in definition.parameters.items()}
    given = {**defaults, **given_to(measure)}
    shared: dict[str, Any] = {"measure": measure, "run": run.name, "query": query, "denominator_is": worked.over_is}
    shared |= {"value": float(worked.value[index]), "denominator": float(worked.denominator[index])}
    shared |= {"formula": _formula(definition, measure, given), "notes": _notes(worked, index)}
    # With ties=expected a document occupies several ranks at once, so there is no row per rank.
    if definition.table is not None and run.ties != "expected":
        columns = dict(definition.table(worked, index, given))
        return Explanation(**shared, columns=columns, numerator="DCG", running=True)
    base = float(np.broadcast_to(np.asarray(worked.base, dtype=np.float64), (run.num_queries,))[index])
    return Explanation(**shared, columns=_rows(worked, index), numerator="term", base=base)


def _rows(worked: Worked, query: int) -> dict[str, list[Any]]:
    hits, docs = worked.hits, worked.hits.run.qrels.docs
    mine = np.flatnonzero(hits.query == query)
    ranks: list[Any] = hits.rank[mine].tolist()
    if hits.run.ties == "expected":
        ranks = [str(a) if a == b else f"{a}–{b}" for a, b in _tied_ranks(hits, mine)]
    return {
        "rank": ranks,
        "document": [docs[int(doc)] for doc in hits.doc[mine]],
        "grade": hits.grade[mine].tolist(),
        **{title: np.asarray(column)[mine].tolist() for title, column in worked.columns.items()},
        "term": worked.term[mine].tolist(),
    }


def _formula(definition: Definition, measure: Measure, given: Mapping[str, Any]) -> str:
    """Return the formula and the values of the parameters in it; "" if another choice means another formula.

    >>> from germane.measures.definition import MEASURES
    >>> measure = MEASURES.parse("RBP(p=0.5)")
    >>> _formula(MEASURES[measure], measure, {"p": 0.5, "by": "scale"})
    '(1 - p) * sum of g_i * p^(i - 1), g_i = grade / highest grade of the scale; p = 0.5'
    """
    formula = definition.sections.get("Formula", "")
    for name, value in measure.parameters:
        if isinstance(value, str) and value != definition.parameters[name].default and not names(formula, name, value):
            return ""
    values = values_named(formula, {name: value for name, value in given.items() if name != definition.at})
    return f"{formula}; {values}" if values else formula


def values_named(formula: str, values: Mapping[str, Any]) -> str:
    """Return the values of the parameters that occur in a formula, "" if none does.

    >>> values_named("E = 1 - (b^2 + 1) / (b^2 / R + 1 / P)", {"b": 1, "rel": 1})
    'b = 1'
    >>> values_named("max of P(r) over r >= level; with to = between, less", {"to": "beyond", "over": "R"})
    'to = beyond'
    """
    named = {name: value for name, value in values.items() if value is not None and names(formula, name, value)}
    return ", ".join(
        f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}" for name, value in named.items()
    )


def names(formula: str, name: str, value: Any) -> bool:
    """Return whether a parameter occurs in a formula.

    A numeric parameter occurs by its name. A choice occurs only as in `to = between`, since `over` is also a word.
    """
    sign = "" if isinstance(value, int | float) else r" = "
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w){sign}", formula) is not None


def _notes(worked: Worked, query: int) -> tuple[str, ...]:
    hits, run = worked.hits, worked.hits.run
    if not run.in_run[query]:
        return ("query missing from the run; scored as an empty ranking",)
    groups = dict.fromkeys(_tied_ranks(hits, np.flatnonzero(hits.query == query)))
    tied = [f"{first}–{last}" for first, last in groups if first < last]
    if not tied:
        return ()
    how = "averaged over all orders" if run.ties == "expected" else f"broken by {run.ties}"
    return (f"tied scores at ranks {_some(tied)}, {how}",)


def _tied_ranks(hits: Hits, places: IntArray) -> Iterator[tuple[int, int]]:
    """Yield the first and the last rank of the tie group of each hit."""
    own = hits.index[places]
    return zip(hits.run.first[own].tolist(), hits.run.last[own].tolist(), strict=True)


def _some(names: list[str]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
