"""Read scores by query from other tools as `Scores`, ready for `compare`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from germane.arguments import checked
from germane.errors import GermaneError, InputError, MissingExtraError, did_you_mean
from germane.formats.files.addresses import place
from germane.formats.files.sources import STDIN, display_name
from germane.formats.rankings.score_table import Layout, ScoreTable, possible_layouts, read_score_table, table_of_rows
from germane.formats.rows.slices import read_slices
from germane.measures.definition import MEASURES
from germane.tables.rankings.measure import Measure
from germane.tables.results.scores import RunInfo, Scores
from germane.types import Topics

if TYPE_CHECKING:
    from germane.types import MeasuresLike, ScoreTablesLike, SlicesLike

MOST_NAMED = 8
"""Maximum number of measures or queries listed in an error message."""
Values = dict[str, dict[str, Mapping[str, float]]]
"""Values of each query, by system and measure."""


def is_score_table(path: str | Path) -> bool:
    """Whether a file holds scores by query, of any tool."""
    return str(path) != STDIN and place(path).is_file() and bool(possible_layouts(path, MEASURES.accepts))


@checked
def read_scores(
    tables: ScoreTablesLike,
    measures: MeasuresLike | None = None,
    *,
    layout: Layout | None = None,
    topics: Topics = "qrels",
    slices: SlicesLike | None = None,
) -> Scores:
    """Read scores by query from another tool: files, or data frames by the name of their system.

    A table has the layout of `trec_eval -q`, of ir_measures, or a header with a column for the query; `layout` decides
    where two layouts fit. By default, `measures` is the only measure that all tables have, or AP if there are several.
    All systems need the same queries, unless `topics` is ``"both"``, which keeps those that all have. `slices` are
    groups of queries, as for `evaluate`.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, value in (("old", 0.2), ("new", 0.3)):
    ...         _ = Path(folder, f"{name}.csv").write_text(f"query_id,AP,RR\\nq1,{value},1\\nq2,0.5,0.5\\n")
    ...     scores = read_scores([f"{folder}/old.csv", f"{folder}/new.csv"], "AP")
    >>> {name: means["AP"] for name, means in scores.mean().items()}
    {'old': 0.35, 'new': 0.4}
    """
    if topics not in ("qrels", "both"):
        raise GermaneError(f"expected topics to be qrels or both, found {topics!r}")
    values: Values = {}
    sources: dict[str, str | None] = {}
    for name, path, table in _tables(tables, layout):
        for system, by_measure in table.values.items():
            called = system if len(table.values) > 1 or system else name
            if called in values:
                raise GermaneError(f"duplicate system name {called!r}", hint="rename one of the files or systems")
            values[called] = dict(by_measure)
            sources[called] = path if len(table.values) == 1 else None
    asked = [measures] if isinstance(measures, str | Measure) else measures
    chosen = _chosen(values, None if asked is None else list(map(str, asked)))
    queries = _queries(values, chosen, topics)
    scores = _scores(values, sources, chosen, queries)
    return scores if slices is None else replace(scores, slices=read_slices(slices, queries))


def _tables(tables: Any, layout: Layout | None) -> Iterable[tuple[str, str | None, ScoreTable]]:
    """Yield each table with its name, that of its file or the one given, and its path."""
    if isinstance(tables, str | Path):
        tables = [tables]
    elif hasattr(tables, "__arrow_c_stream__"):
        tables = {"scores": tables}
    if isinstance(tables, Mapping):
        named = [(str(name), table) for name, table in tables.items()]
    elif isinstance(tables, Sequence) and all(isinstance(path, str | Path) for path in tables) and tables:
        named = [(display_name(str(path)), path) for path in tables]
    else:
        problem = f"expected paths of tables, or data frames by system, found {type(tables).__name__}"
        hint = 'for example read_scores(["old.csv", "new.csv"]) or read_scores({"old": frame, "new": frame})'
        raise GermaneError(problem, hint=hint)
    for name, table in named:
        if isinstance(table, str | Path):
            yield name, str(table), read_score_table(table, MEASURES.accepts, layout)
        else:
            yield name, None, table_of_rows(_rows_of_frame(table, name), name, MEASURES.accepts, layout)


def _rows_of_frame(frame: Any, name: str) -> list[tuple[int, list[str]]]:
    """Return a data frame as a header and rows of text, numbered like the lines of a file."""
    if hasattr(frame, "columns") and not hasattr(frame, "column_names"):  # pandas, polars
        labels = list(frame.columns)
        columns = [list(frame[label]) for label in labels]
    elif hasattr(frame, "__arrow_c_stream__"):
        try:
            import pyarrow as pa
        except ImportError:
            raise MissingExtraError("reading a data frame", "arrow") from None
        table = pa.RecordBatchReader.from_stream(frame).read_all()
        labels, columns = table.column_names, [column.to_pylist() for column in table.columns]
    else:
        raise InputError(name, None, f"expected a path or a data frame, found {type(frame).__name__}")
    rows = zip(*columns, strict=True)
    return [(1, [str(label) for label in labels]), *((i, [_text(x) for x in row]) for i, row in enumerate(rows, 2))]


def _text(value: Any) -> str:
    return "" if value is None else repr(float(value)) if isinstance(value, float | np.floating) else str(value)


def _chosen(values: Values, asked: Iterable[str] | None) -> list[str]:
    """Return the measures to read, as spelled in the tables."""
    shared = [name for name in next(iter(values.values())) if all(name in by_measure for by_measure in values.values())]
    every = list(dict.fromkeys(name for by_measure in values.values() for name in by_measure))
    if not shared:
        own = "; ".join(f"{system}: {', '.join(list(found)[:MOST_NAMED])}" for system, found in values.items())
        raise GermaneError(f"the tables share no measure: {own}", hint="use the same measure names in all tables")
    if asked is None:
        if len(shared) == 1:
            return shared
        return [_named("AP", shared, every, f"use -m MEASURE; choose from {', '.join(shared[:MOST_NAMED])}")]
    hint = f"choose from {', '.join(shared[:MOST_NAMED])}"
    return list(dict.fromkeys(_named(name, shared, every, hint) for text in asked for name in _asked(text, shared)))


def _asked(text: str, shared: Sequence[str]) -> list[str]:
    """Split text with several names, unless it is itself the name of a column."""
    return [text] if text in shared else text.replace(",", " ").split() if "(" not in text else text.split()


def _named(asked: str, shared: Sequence[str], every: Sequence[str], hint: str) -> str:
    """Return the column of this name; else the only one that means the same measure."""
    if asked in shared:
        return asked
    known = [name for name in shared if MEASURES.accepts(name)] if MEASURES.accepts(asked) else []
    same = [name for name in known if MEASURES.parse(name) == MEASURES.parse(asked)]
    if len(same) == 1:
        return same[0]
    if len(same) > 1:
        raise GermaneError(f"{asked} is ambiguous: {' or '.join(same)}", hint=f"use -m {' or -m '.join(same)}")
    where = "not every table has" if asked in every else "no table has"
    raise GermaneError(f"{where} the measure {asked!r}{did_you_mean(asked, shared)}", hint=hint)


def _queries(values: Values, chosen: Sequence[str], topics: str) -> list[str]:
    """Return the queries of all systems; with ``both``, those that every system has."""
    columns = {(system, name): by_measure[name] for system, by_measure in values.items() for name in chosen}
    every = sorted({query for column in columns.values() for query in column}, key=str.encode)
    shared = [query for query in every if all(query in column for column in columns.values())]
    if topics == "both":
        if not shared:
            raise GermaneError("the tables share no query", hint="check that they use the same query ids")
        return shared
    if len(shared) < len(every):
        (system, name), column = next((key, column) for key, column in columns.items() if len(column) < len(every))
        missing = [query for query in every if query not in column]
        shown = ", ".join(missing[:MOST_NAMED])
        hint = "use `topics='both'` to compare the queries that all systems have"
        raise GermaneError(f"{system} has no {name} for {len(missing)} of {len(every)} queries: {shown}", hint=hint)
    return every


def _scores(values: Values, sources: Mapping[str, str | None], chosen: Sequence[str], queries: Sequence[str]) -> Scores:
    table = np.asarray([[[of[name][query] for query in queries] for name in chosen] for of in values.values()])
    table = table.reshape(len(values), len(chosen), len(queries)).astype(np.float64)
    known = {name: MEASURES[MEASURES.parse(name)] for name in chosen if MEASURES.accepts(name)}
    return Scores(
        runs=tuple(RunInfo(system, sources[system]) for system in values),
        measures=tuple(Measure(name) for name in chosen),
        queries=tuple(queries),
        values=table,
        numerator=table,
        denominator=np.ones_like(table),
        scored=np.ones((len(values), len(queries)), dtype=bool),
        totals=np.asarray([bool(name in known and known[name].total) for name in chosen]),
        lower_better=frozenset(name for name, entry in known.items() if entry.better == "lower"),
        neutral=frozenset(name for name, entry in known.items() if entry.better == "neither"),
    )
