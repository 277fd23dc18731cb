"""The base of every result: a type declares its tables, and all formats and verbs follow from them.

Tables are independent of HTML and files: `germane` registers the function that finds renderers when first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast, overload

from germane.errors import unknown
from germane.tables.results.columns import Table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from pyspark.sql import DataFrame as SparkFrame

    from germane.tables.notes.note import Note
    from germane.types import AnyFrame, Explained, Figure

MimeBundle = dict[str, Any]
"""The same content by media type; each program shows the one it supports best."""
File = str | Path
Backend = Literal["pandas", "polars", "pyarrow", "spark"]
Style = Literal["table", "markdown", "latex", "html", "csv", "tsv", "json", "jsonl"]

_finders: list[Callable[[str], Any]] = []


def show_results_by(find: Callable[[str], Any]) -> None:
    """Register the function that finds renderers and verbs by name; `germane` itself does this."""
    _finders[:] = [find]


def reach(name: str) -> Any:
    """Return the renderer or verb of this name, from a layer that tables may not import."""
    (find,) = _finders
    return find(name)


def attributes(thing: object, names: str) -> dict[str, Any]:
    """Return some attributes of an object by name; `names` are separated by spaces."""
    return {name: getattr(thing, name) for name in names.split()}


@dataclass(frozen=True, eq=False)
class Inputs:
    """Inputs of a verb, to read them again: paths, or references to objects, never copies.

    Objects live as long as the result does. A pickled result keeps paths, and nothing else.
    """

    given: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        parts = [part for value in self.given for part in (value if isinstance(value, list) else [value])]
        kept = all(isinstance(part, str | Path) for part in parts)
        return (Inputs, (self.given, self.options)) if kept else (type(None), ())


class Displayed:
    """Base of objects that Jupyter, VS Code, marimo and IPython show as tables, by their protocols."""

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> MimeBundle:
        return cast("MimeBundle", reach("mime_bundle")(self))

    def _repr_html_(self) -> str:
        return cast("str", self._repr_mimebundle_()["text/html"])


class Result(Displayed):
    """Base of all results: named tables of typed columns, the facts behind them, and notes.

    A type defines `schema`, the name and version of its JSON, and `tables`, of which the first is the main one; the
    keywords of `tables` are the type's views, and every method that writes the result takes them. `facts` are the
    settings behind the numbers: the attributes named in `fact_names`, or what the type returns as `facts`. A type
    defines `shown` if people should read other tables, or lines between them, `at_terminal` if a terminal should show
    something else, and `document` if its JSON nests by names from the data.
    """

    schema: ClassVar[str]
    fact_names: ClassVar[str] = ""
    notes_in_titles: ClassVar[tuple[str, ...]] = ()
    notes: Sequence[Note | str] = ()

    # With * and ** mypy lets each type say which views it has.
    def tables(self, *_: Any, **view: Any) -> Iterable[Table]:
        """Yield the tables, the main one first; a generator is best, since often only the first one is used."""
        raise NotImplementedError

    def shown(self, *_: Any, **view: Any) -> Iterable[Table | str]:
        """Yield the tables and lines of text for people; numbers in lines have `digits` decimals."""
        return self.tables(**{key: value for key, value in view.items() if key != "digits"})

    def at_terminal(self, *_: Any, **view: Any) -> Iterable[Table | str]:
        """Yield the tables and lines for a terminal, if they differ from those of `shown`."""
        return self.shown(**view)

    def facts(self) -> dict[str, Any]:
        """Return the settings behind the numbers, for programs."""
        return attributes(self, self.fact_names)

    def document(self, *_: Any, **view: Any) -> dict[str, Any]:
        """Return the JSON between header and notes: the facts, and the records of every table by name."""
        return {**self.facts(), **{table.name: table.records() for table in self.tables(**view)}}

    def table(self, name: str | None = None, **view: object) -> Table:
        """Return the table of this name; the main one without a name."""
        names = []
        for table in self.tables(**view):
            if name is None or table.name == name:
                return table
            names.append(table.name)
        raise unknown("table", name, names)

    def to_dict(self, **view: object) -> dict[str, Any]:
        """Return the result for other programs: stable names, numbers in full precision, None where undefined."""
        return cast("dict[str, Any]", reach("as_dict")(self, view))

    def to_json(self, path: File | None = None, **view: object) -> str:
        """Return `to_dict` as JSON text, and write it to `path` if given."""
        return self._write("json", path, **view)

    def to_csv(
        self, path: File | None = None, *, table: str | None = None, digits: int | None = None, **view: object
    ) -> str:
        """Return one table as CSV, by default the main one; numbers in full precision unless `digits` is given."""
        return self._write("csv", path, table=table, digits=digits, **view)

    def to_markdown(
        self, path: File | None = None, *, table: str | None = None, digits: int = 4, **view: object
    ) -> str:
        """Return the tables and text for people as Markdown."""
        return self._write("markdown", path, table=table, digits=digits, **view)

    def to_latex(self, path: File | None = None, *, table: str | None = None, digits: int = 4, **view: object) -> str:
        """Return the tables for people as LaTeX for a paper; it needs the package booktabs."""
        return self._write("latex", path, table=table, digits=digits, **view)

    def to_html(self, path: File | None = None, *, table: str | None = None, digits: int = 4, **view: object) -> str:
        """Return the tables and text for people, with the notes below, as an HTML fragment."""
        return self._write("html", path, table=table, digits=digits, **view)

    @overload
    def to_frame(
        self, table: str | None = ..., *, backend: Literal["pandas"] = ..., **view: object
    ) -> pd.DataFrame: ...
    @overload
    def to_frame(self, table: str | None = ..., *, backend: Literal["polars"], **view: object) -> pl.DataFrame: ...
    @overload
    def to_frame(self, table: str | None = ..., *, backend: Literal["pyarrow"], **view: object) -> pa.Table: ...
    @overload
    def to_frame(self, table: str | None = ..., *, backend: Literal["spark"], **view: object) -> SparkFrame: ...
    @overload
    def to_frame(self, table: str | None = ..., *, backend: Backend = ..., **view: object) -> AnyFrame: ...
    def to_frame(self, table: str | None = None, *, backend: Backend = "pandas", **view: object) -> object:
        """Return one table, by default the main one, as a data frame of pandas or polars, or an Arrow table.

        ``backend="spark"`` makes a data frame of the active Spark session.
        """
        return reach("frame")(self.table(table, **view), backend)

    def to_frames(self, *, backend: Backend = "pandas", **view: object) -> dict[str, Any]:
        """Return all tables by name as data frames."""
        return {table.name: reach("frame")(table, backend) for table in self.tables(**view)}

    def explain(self, measure: str, **which: object) -> Explained:
        """Explain a number of this result; see `germane.explain`."""
        return cast("Explained", reach("explain")(self, measure, **which))

    def plot(self, kind: str, output: File | None = None, **options: object) -> Figure:
        """Draw a figure of this result; see `germane.plot`."""
        return cast("Figure", reach("plot")(kind, self, output=output, **options))

    def report(self, output: File, **options: object) -> None:
        """Write an HTML report on this result; see `germane.report`."""
        reach("report")(self, output, **options)

    def __str__(self) -> str:
        """Return the tables and text for people."""
        return self._write("table", None).rstrip("\n")

    def _write(self, style: Style, path: str | Path | None, **how: Any) -> str:
        text: str = reach("render")(self, style, **how)
        if path is not None:
            reach("write")(text, path)
        return text
