"""The worked table behind one number: the terms that add up to it, read from the same arrays as the value."""

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
    """A table with one row per rank that contributes, and a last line that evaluates to the value."""

    measure: Measure
    run: str
    query: str
    columns: dict[str, list[Any]]
    value: float
    numerator: str
    """The column whose sum (or whose last entry, if `running`) is the numerator."""
    base: float = 0.0
    denominator: float = 1.0
    denominator_is: str = ""
    running: bool = False
    formula: str = ""
    """How the measure is defined."""
    notes: tuple[str, ...] = ()

    schema: ClassVar[str] = "explain/1"
    fact_names: ClassVar[str] = "measure run query value formula base denominator denominator_is last_line"

    def tables(self) -> Iterator[Table]:
        """One row per rank that contributes."""
        yield table_of_columns("rows", self.columns, counts=self.columns)  # 1, not 1.0000, among numbers with decimals

    def shown(self, *, digits: int = 4) -> Iterator[Table | str]:
        """How the measure is defined, the table, and its last line."""
        yield Prose(f"{self.measure} of {self.run} for query {self.query}\n")
        if self.formula:
            yield Prose(f"{self.formula}\n")
        rows = self.table()
        yield rows if len(rows) else "(no rank contributes)\n"
        yield f"{self.last_line}\n"

    def evaluate(self) -> float:
        """The last line, computed from what the table shows."""
        column = list(map(float, self.columns[self.numerator]))
        above = (column[-1] if column else 0.0) if self.running else float(np.cumsum([self.base, *column])[-1])
        return above / self.denominator if self.denominator else self.value

    @property
    def last_line(self) -> str:
        """The sum written out.

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
    """Terms as a sum; those that repeat after a `start`, or are more than one each, as a product.

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
    """Work out one measure for one query and show how."""
    index = run.qrels.queries.find(query)
    if index is None:
        known = list(run.qrels.queries)
        if not query:
            hint = f"name one: `query=…`; {run.qrels.name} has {_some(known)}"
            raise GermaneError("which query is to be explained?", hint=hint)
        near = did_you_mean(query, known)
        raise GermaneError(f"no query {query!r} in {run.qrels.name}{near}", hint=f"it has: {_some(known)}")
    definition, worked = MEASURES[measure], work(measure, run)
    defaults = {name: parameter.default for name, parameter in definition.parameters.items()}
    given = {**defaults, **given_to(measure)}
    shared: dict[str, Any] = {"measure": measure, "run": run.name, "query": query, "denominator_is": worked.over_is}
    shared |= {"value": float(worked.value[index]), "denominator": float(worked.denominator[index])}
    shared |= {"formula": _formula(definition, measure, given), "notes": _notes(worked, index)}
    # With expected ties a document stands at several ranks at once: there is no row for each rank.
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
    """How the measure is defined, and the numbers that the formula names. Another choice is another formula.

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
    """The values of the parameters that a formula names, "" where it names none.

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
    """Whether a formula says what a parameter does.

    A number is named by its letter or word. A word is named only as in `to = between`: `over` is also plain English.
    """
    sign = "" if isinstance(value, int | float) else r" = "
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w){sign}", formula) is not None


def _notes(worked: Worked, query: int) -> tuple[str, ...]:
    hits, run = worked.hits, worked.hits.run
    if not run.in_run[query]:
        return ("the run has no documents for this query: an empty ranking",)
    groups = dict.fromkeys(_tied_ranks(hits, np.flatnonzero(hits.query == query)))
    tied = [f"{first}–{last}" for first, last in groups if first < last]
    if not tied:
        return ()
    how = "the mean over all orders" if run.ties == "expected" else f"ordered by ties={run.ties}"
    return (f"documents of equal score at ranks {_some(tied)}: {how}",)


def _tied_ranks(hits: Hits, places: IntArray) -> Iterator[tuple[int, int]]:
    """The first and the last rank over which the ties of some hits stretch."""
    own = hits.index[places]
    return zip(hits.run.first[own].tolist(), hits.run.last[own].tolist(), strict=True)


def _some(names: list[str]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
