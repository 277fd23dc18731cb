"""Result of `classify`: one or several classifiers on the same items, as tables for people and programs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, overload

from germane.errors import GermaneError, did_you_mean
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells, Label, Normalise, Rows
from germane.tables.decisions.confusion_tables import CELLS, READABLE_CLASSES, cell_rows, confusions_table, matrix_table
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.threshold_text import exact_text
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.results.classifier_comparison import ClassifierComparison
from germane.tables.results.columns import Column, F, Kind, Table, plain, table
from germane.tables.results.performance import Estimate, Performance
from germane.tables.results.result import Inputs, Result, attributes, reach
from germane.tables.results.slice_differences import differences_table

ESTIMATES = (
    F("classifier", "name", people="several"),
    F("slice", "name", people="filled", flat="sliced", empty="all"),
    F("class", "name", people="filled"),
    F("measure", "name"),
    F("value", "value"),
    *F("low", "value", people="filled", empty="").also("high"),
    F("interval", "text", people="filled", drop=2),
    F("remark", "text", "alias or remark", people="filled", drop=3),
)
CLASS_COLUMNS = ("TPR", "PPV", "F1", "MCC", "AUC", "AP", "ECE")
"""Rates and areas in the tables by class; JSON and CSV have all rates."""
MOST_SLICE_COLUMNS = 5
"""Maximum number of measures in the table by slice where none is asked for or compared."""
CALLED = {"regression": "predictions", "clusters": "clusterings", "densities": "density estimates"}
"""What several results of a task are called; others are classifiers."""
OF_THE_WHOLE = ("ACC", "ERR", "BA", "kappa")
"""Measures of all classes together, whose value by class has another meaning."""


@dataclass(frozen=True, eq=False)
class Performances(Result):
    """One or several classifiers, with a comparison where there are several.

    ``found["AUC"]`` is an estimate of the only classifier, ``found[0]`` the first one, ``found.classifier("new")`` a
    result with that one alone; a loop goes over all of them.
    """

    performances: tuple[Performance, ...]
    comparison: ClassifierComparison | None = None
    inputs: Inputs | None = field(default=None, compare=False, repr=False)
    schema: ClassVar[str] = "classify/1"

    def __iter__(self) -> Iterator[Performance]:
        return iter(self.performances)

    def __len__(self) -> int:
        return len(self.performances)

    @overload
    def __getitem__(self, which: int) -> Performance: ...
    @overload
    def __getitem__(self, which: str | tuple[str, Label]) -> Estimate: ...
    def __getitem__(self, which: int | str | tuple[str, Label]) -> Performance | Estimate:
        """Return a classifier by its index, or an estimate of the only one, as in `Performance`."""
        return self.performances[which] if isinstance(which, int) else self.only[which]

    @property
    def only(self) -> Performance:
        """The only classifier; an error where there are several."""
        if len(self) > 1:
            names = ", ".join(each.name for each in self)
            hint = f"choose one: .classifier({self.performances[0].name!r})"
            raise GermaneError(f"expected one classifier, found {len(self)}: {names}", hint=hint)
        return self.performances[0]

    def classifier(self, name: str) -> Performances:
        """Return the result of one classifier alone."""
        names = [each.name for each in self]
        if name not in names:
            hint = f"choose from {', '.join(names)}"
            raise GermaneError(f"unknown classifier {name!r}{did_you_mean(name, names)}", hint=hint)
        return replace(self, performances=(self.performances[names.index(name)],), comparison=None)

    def __repr__(self) -> str:
        return f"<Performances: {', '.join(each.name for each in self)}>"

    @property
    def notes(self) -> tuple[Note, ...]:  # type: ignore[override]
        """Notes on all classifiers once, other notes with the name of their classifier."""
        first, *others = self.performances
        shared = [note for note in first.notes if all(note in each.notes for each in others)]
        own = [replace(note, run=each.name) for each in self for note in each.notes if note not in shared]
        compared = () if self.comparison is None else self.comparison.notes
        return (*shared, *own, *compared) if others else first.notes

    def tables(self, **_: object) -> Iterator[Table]:
        """Yield one row per estimate; the cells of the matrices; the differences between classifiers."""
        rows = [row for each in self for row in _estimate_rows(each)]
        sliced = any(each.slices for each in self)
        yield table("estimates", ESTIMATES, rows, when={"several": len(self) > 1, "sliced": sliced})
        cells = [row for each in self if each.confusion is not None for row in cell_rows(each.confusion, each.name)]
        if cells:
            yield table("confusion", CELLS, cells, when={"several": len(self) > 1})
        yield from slice_differences(self)
        if self.comparison is not None:
            yield from self.comparison.tables()

    def shown(
        self, *, digits: int = 4, rows: Rows = "truth", normalise: Normalise | None = None, reorder: bool = False
    ) -> Iterator[Table | str]:
        """Yield the matrix and the classes of each classifier, and the measures of all side by side."""
        first, several = self.performances[0], len(self) > 1
        columns = ", ".join(f"{role} in {name!r}" for role, name in first.columns.items())
        who = f"{len(self)} {CALLED.get(first.task, 'classifiers')}" if several else first.name
        yield f"{who}: {counted(first.num_rows, 'row')}{f'; {columns}' if columns else ''}\n"
        for each in self:
            if each.confusion is not None:
                yield _named(_matrix(each, rows, normalise, reorder), each, several)
        for title, names in _sections(self.performances):
            yield _side_by_side(self.performances, names, title, digits) if several else _section(first, names, title)
        for each in self:
            if each.by_class and each.positive is None:
                yield from (_named(table, each, several) for table in _classes(each, digits))
        for each in self:
            if each.slices:
                yield _named(slices_table(each, digits), each, several)
        yield from slice_differences(self)
        yield from (f"{each.slice_differences.verdict}\n" for each in self if each.slice_differences is not None)
        if self.comparison is not None:
            yield from self.comparison.shown(digits=digits)

    def document(self, **_: object) -> dict[str, Any]:
        """Return each classifier, and the comparison."""
        found: dict[str, Any] = {"classifiers": [_document(each) for each in self]}
        return found if self.comparison is None else {**found, "comparison": self.comparison.document()}


def _document(performance: Performance) -> dict[str, Any]:
    found = {
        **attributes(performance, "name task num_rows"),
        "columns": dict(performance.columns),
        **attributes(performance, "positive threshold level seed resamples"),
        "overall": estimates_as_dict(performance.overall),
        "by_class": [
            {"label": name, "measures": estimates_as_dict(rates)} for name, rates in performance.by_class.items()
        ],
        "averages": {name: estimates_as_dict(rates) for name, rates in performance.averages.items()},
        "clusters": [list(block) for block in performance.clusters],
        **reach("performance_curves")(performance),
        "notes": [note.to_dict() for note in performance.notes],
    }
    if performance.confusion is not None:
        counts = performance.confusion.counts.tolist()
        found["confusion"] = {"labels": list(performance.confusion.labels), "rows": "truth", "counts": counts}
    if performance.slices:
        found["slices"] = [{"slice": name, **_document(each)} for name, each in performance.slices.items()]
    if performance.slice_differences is not None:
        found["slice_differences"] = performance.slice_differences.document()
    return found


def estimates_as_dict(estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    """Return each estimate with its interval, and its remark if it has one."""
    return {
        name: {key: value for key, value in vars(estimate).items() if key != "remark" or value}
        for name, estimate in estimates.items()
    }


def _groups(performance: Performance) -> list[tuple[str, Mapping[str, Estimate]]]:
    """Return the estimates of each class, and of each average, whose name is in brackets."""
    classes = [(str(label), rates) for label, rates in performance.by_class.items()]
    return classes + [(f"({average})", rates) for average, rates in performance.averages.items()]


def _estimate_rows(performance: Performance, in_slice: str = "") -> Iterator[dict[str, Any]]:
    """Yield the estimates overall, by class and averaged, then of each slice; with chosen measures, those shown."""
    apart = _groups(performance)
    if performance.asked is not None:
        kept = _class_columns(performance) if performance.by_class and performance.positive is None else []
        apart = [(name, {rate: table[rate] for rate in kept if rate in table}) for name, table in apart]
    for group, estimates in [("", performance.overall), *apart]:
        for name, e in estimates.items():
            yield _row(name, e, e.remark, classifier=performance.name) | {"class": group, "slice": in_slice}
    for name, each in performance.slices.items():
        yield from _estimate_rows(each, name)


def _row(name: str, estimate: Estimate, remark: str, **more: str) -> dict[str, Any]:
    method = estimate.method if estimate.method != "none" else ""
    return {"measure": name, **vars(estimate), "interval": method, "remark": remark, **more}


def _named(table: Table, performance: Performance, several: bool) -> Table:
    """Return the table with the name of its classifier in the title, where there are several."""
    title = f"{performance.name}: {table.title[0].lower()}{table.title[1:]}" if several else table.title
    return replace(table, title=title)


def _matrix(performance: Performance, rows: Rows, normalise: Normalise | None, reorder: bool) -> Table:
    confusion = performance.confusion
    assert confusion is not None
    if len(confusion) > READABLE_CLASSES:
        return confusions_table(confusion, f"Most frequent confusions among {len(confusion)} classes")
    threshold = performance.threshold
    at = "" if threshold is None else f" at threshold {exact_text(threshold)} (positive: score at or above it)"
    shares = {None: "", "truth": ", shares of the true class", "prediction": ", shares of the predicted class"}
    other = "prediction" if rows == "truth" else "truth"
    title = f"Confusion matrix{at}; rows: {rows}, columns: {other}"
    confused = [", ".join(map(str, block)) for block in performance.clusters if len(block) > 1]
    marked = ", grouped above" if reorder else ""
    below = [f"Confused with each other{marked}: {'; '.join(confused)}"] if confused else []
    title += shares.get(normalise, ", shares of all items")
    clusters = performance.clusters if reorder else ()
    return matrix_table(confusion, title, below, rows=rows, normalise=normalise, clusters=clusters)


def _sections(performances: Sequence[Performance]) -> list[tuple[str, list[str]]]:
    """Return the overall measures by kind: of decisions, of scores, of probabilities."""
    performance = performances[0]
    of = "" if performance.positive is None else f" of class {performance.positive}"
    titles = {
        "": f"Measures{of}",
        "scores": "Score quality",
        "probabilities": "Probability quality",
        "groups": "Measures of classes and averages",
    }
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for each in performances for name in each.overall):
        found.setdefault(performance.about(name)[0], []).append(name)
    level = f", with {performance.level * 100:g}% intervals"

    def has_intervals(names: Sequence[str]) -> bool:
        return any(each.overall[name].has_interval for each in performances for name in names if name in each.overall)

    return [(titles[kind] + level * has_intervals(names), names) for kind, names in found.items()]


def _section(performance: Performance, names: Sequence[str], title: str) -> Table:
    estimates = [(name, performance.overall[name]) for name in names]
    rows = [_row(name, e, e.remark or performance.about(name)[1]) | {"class": ""} for name, e in estimates]
    return table("estimates", ESTIMATES[2:], rows, title=title)


def _side_by_side(performances: Sequence[Performance], names: Sequence[str], title: str, digits: int) -> Table:
    """Return a column for each classifier, the interval's method, and the remark if it is the same for all."""
    cells = [[_text(each.overall.get(name), digits) for name in names] for each in performances]
    rows = [[each.overall[name] for each in performances if name in each.overall] for name in names]
    methods = [" / ".join(dict.fromkeys(e.method for e in row if e.method != "none")) for row in rows]
    remarks = [row[0].remark if len({e.remark for e in row}) == 1 else "" for row in rows]
    columns = [
        Column("measure", "name", names),
        *(Column(each.name, "value", texts, empty="") for each, texts in zip(performances, cells, strict=True)),
        Column("interval", "text", methods, drop=2),
        Column("remark", "text", remarks, people=any(remarks), drop=3),
    ]
    return Table("estimates", tuple(columns), title)


def _classes(performance: Performance, digits: int) -> Iterator[Table]:
    """Yield one row per class, then the averages: values and intervals of the main rates, and of scores."""
    shown = _class_columns(performance)
    of_scores = [name for name in shown if performance.about(name)[0]]
    level = f"with {performance.level * 100:g}% intervals"
    for title, names in (
        (f"Each class against the rest, and averages, {level}", [name for name in shown if name not in of_scores]),
        (f"Scores of each class against the rest, and averages, {level}", of_scores),
    ):
        if names:
            yield _table_of_classes(performance, names, title, digits)


def _table_of_classes(performance: Performance, names: Sequence[str], title: str, digits: int) -> Table:
    confusion = performance.confusion
    support = dict(performance.support)
    if confusion is not None:
        support = dict(zip(confusion.labels, confusion.support.tolist(), strict=True))
    kept = [(name, rates) for name, rates in _groups(performance) if any(name in rates for name in names)]
    items = [support.get(label) for label in performance.by_class]
    items += [None] * (len(kept) - len(items))
    columns = [
        Column("class", "name", [name for name, _ in kept]),
        Column("items", "count", items, people=bool(support), empty=""),
        *(Column(name, "value", [_text(rates.get(name), digits) for _, rates in kept], empty="") for name in names),
    ]
    return Table("classes", tuple(columns), title)


def slice_differences(performances: Performances) -> Iterator[Table]:
    """Yield the differences between slices of all classifiers as one table."""
    found = {each.name: each.slice_differences for each in performances if each.slice_differences is not None}
    if found:
        yield differences_table(found, several=len(performances) > 1)


def slices_table(performance: Performance, digits: int) -> Table:
    """Return one row per slice, after all items: values and intervals of the measures compared or asked for."""
    rows = {"(all)": performance, **performance.slices}
    shown = _slice_columns(performance)
    columns = [
        Column("slice", "name", list(rows)),
        Column("items", "count", [each.num_rows for each in rows.values()]),
        *(Column(n, "value", [_text(_estimate(each, n), digits) for each in rows.values()]) for n in shown),
    ]
    title = f"Slices, with {performance.level * 100:g}% intervals"
    return Table("slices", tuple(columns), title)


def _estimate(performance: Performance, name: str) -> Estimate | None:
    """Return a measure, which may be of a class or an average such as ``F1[macro]``; None if there is none."""
    if name in performance.overall:
        return performance.overall[name]
    measure, bracket, group = name.removesuffix("]").partition("[")
    tables = {str(key): table for key, table in (*performance.by_class.items(), *performance.averages.items())}
    return tables.get(group, {}).get(measure) if bracket else None


def _slice_columns(performance: Performance) -> list[str]:
    """Return the measures of the table by slice."""
    differences = performance.slice_differences
    compared = [] if differences is None else list(dict.fromkeys(pair.measure for pair in differences.pairs))
    names = compared if performance.asked is None else performance.asked
    there = [name for name in dict.fromkeys(names) if _estimate(performance, name) is not None]
    return there or list(performance.overall)[:MOST_SLICE_COLUMNS]


def _class_columns(performance: Performance) -> list[str]:
    """Return the measures of the tables by class: those asked for, or the main ones."""
    asked = CLASS_COLUMNS if performance.asked is None else performance.asked
    there = next(iter(performance.by_class.values()))
    # Measures of all classes together, such as ACC, have another meaning by class.
    return [name for name in asked if name in there and (name in CLASS_COLUMNS or name not in OF_THE_WHOLE)]


def _text(estimate: Estimate | None, digits: int) -> str:
    """Return a value with its interval as text."""
    if estimate is None:
        return ""
    number = reach("number_text")
    ends = f" [{number(estimate.low, digits)}, {number(estimate.high, digits)}]" if estimate.has_interval else ""
    return f"{number(estimate.value, digits)}{ends}"


@dataclass(frozen=True, eq=False)
class AtThresholds(Result):
    """Counts and rates at every threshold, or at those in `places`; text may show only some `rates`."""

    columns: Mapping[str, FloatArray]
    decisions: Decisions
    places: Sequence[int] | None = None
    rates: Collection[str] | None = None
    notes: tuple[Note, ...] = ()
    schema: ClassVar[str] = "classify-at-thresholds/1"

    def tables(self, **_: object) -> Iterator[Table]:
        """Yield one row per threshold."""
        yield Table("thresholds", tuple(self._columns()))

    def shown(self, **_: object) -> Iterator[Table]:
        """Yield the table with each threshold as the shortest decimal that gives the same decisions."""
        threshold, *rest = self._columns()
        seen = self.decisions
        texts = [seen.text(value) for value in threshold.values]
        rows = f"{seen.num_rows:,} rows, {seen.num_positive:,} positive and {seen.num_negative:,} negative"
        columns = (replace(threshold, values=texts), *rest)
        yield Table("thresholds", columns, f"{rows}; {len(seen):,} different scores", left_out=len(seen) - len(texts))

    def _columns(self) -> Iterator[Column]:
        for name, values in self.columns.items():
            kind: Kind = "count" if name in Cells._fields else "value"
            kept = values if self.places is None else values[self.places]
            people = self.rates is None or kind == "count" or name in ("threshold", *self.rates)
            yield Column(name, kind, [plain(value) for value in kept.tolist()], people=people)
