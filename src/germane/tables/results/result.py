"""The base of every result: a type declares its tables, and all formats and verbs follow from them.

Tables know nothing of HTML or files: `germane` gives the function that finds what writes them, when it is first needed.
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

    from germane.tables.notes.note import Note
    from germane.types import AnyFrame, Explained, Figure

MimeBundle = dict[str, Any]
"""By media type, the same thing in different forms; each program takes the one that it can show best."""
File = str | Path
Backend = Literal["pandas", "polars", "pyarrow"]
Style = Literal["table", "markdown", "latex", "html", "csv", "tsv", "json", "jsonl"]

_finders: list[Callable[[str], Any]] = []


def show_results_by(find: Callable[[str], Any]) -> None:
    """Give the function that finds renderers and verbs by name; `germane` itself does."""
    _finders[:] = [find]


def reach(name: str) -> Any:
    """The renderer or verb of this name, from a layer that tables may not import."""
    (find,) = _finders
    return find(name)


def attributes(thing: object, names: str) -> dict[str, Any]:
    """Some attributes of a thing by their names, which blanks divide."""
    return {name: getattr(thing, name) for name in names.split()}


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a verb was given, to read it again: paths, or references to objects, never copies.

    Objects live as long as the result does. A pickled result keeps paths, and nothing else.
    """

    given: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        parts = [part for value in self.given for part in (value if isinstance(value, list) else [value])]
        kept = all(isinstance(part, str | Path) for part in parts)
        return (Inputs, (self.given, self.options)) if kept else (type(None), ())


class Displayed:
    """What Jupyter, VS Code, marimo and IPython show as tables, by their protocols."""

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> MimeBundle:
        return cast("MimeBundle", reach("mime_bundle")(self))

    def _repr_html_(self) -> str:
        return cast("str", self._repr_mimebundle_()["text/html"])


class Result(Displayed):
    """What a verb returns: named tables of typed columns, the facts under which they hold, and notes.

    A type gives `schema`, the name and version of its JSON, and `tables`, of which the first is the main one; the
    keywords of `tables` are the type's views, and every method that writes the result takes them. `facts` are the rules
    under which the numbers were made: the attributes named in `fact_names`, or what the type gives as `facts`. Where
    people should read other tables, or lines between them, the type gives `shown`, and `at_terminal` if it should
    be something else there; where JSON nests by names from the data, `document`.
    """

    schema: ClassVar[str]
    fact_names: ClassVar[str] = ""
    notes: Sequence[Note | str] = ()

    # With * and ** mypy lets each type say which views it has.
    def tables(self, *_: Any, **view: Any) -> Iterable[Table]:
        """The tables, the main one first; best a generator, since often only that one is used."""
        raise NotImplementedError

    def shown(self, *_: Any, **view: Any) -> Iterable[Table | str]:
        """What people read: tables, and lines of text between them, whose numbers have so many `digits`."""
        return self.tables(**{key: value for key, value in view.items() if key != "digits"})

    def at_terminal(self, *_: Any, **view: Any) -> Iterable[Table | str]:
        """What people read at a terminal, if that is not what they read on paper."""
        return self.shown(**view)

    def facts(self) -> dict[str, Any]:
        """The rules under which the numbers were made, for programs."""
        return attributes(self, self.fact_names)

    def document(self, *_: Any, **view: Any) -> dict[str, Any]:
        """What JSON has between its header and the notes: the facts, and the records of every table by its name."""
        return {**self.facts(), **{table.name: table.records() for table in self.tables(**view)}}

    def table(self, name: str | None = None, **view: object) -> Table:
        """The table of this name; the main one without a name."""
        names = []
        for table in self.tables(**view):
            if name is None or table.name == name:
                return table
            names.append(table.name)
        raise unknown("table", name, names)

    def to_dict(self, **view: object) -> dict[str, Any]:
        """The contract for other programs: stable names, every number in full, None where one is not defined."""
        return cast("dict[str, Any]", reach("as_dict")(self, view))

    def to_json(self, path: File | None = None, **view: object) -> str:
        """The same as JSON text, also written to `path` if one is given."""
        return self._write("json", path, **view)

    def to_csv(
        self, path: File | None = None, *, table: str | None = None, digits: int | None = None, **view: object
    ) -> str:
        """One table as CSV, the main one unless named; every number in full unless `digits` says how many decimals."""
        return self._write("csv", path, table=table, digits=digits, **view)

    def to_markdown(
        self, path: File | None = None, *, table: str | None = None, digits: int = 4, **view: object
    ) -> str:
        """What people read, as Markdown."""
        return self._write("markdown", path, table=table, digits=digits, **view)

    def to_latex(self, path: File | None = None, *, table: str | None = None, digits: int = 4, **view: object) -> str:
        """What people read, as LaTeX for a paper; it needs the package booktabs."""
        return self._write("latex", path, table=table, digits=digits, **view)

    def to_html(self, path: File | None = None, *, table: str | None = None, digits: int = 4, **view: object) -> str:
        """What people read, and the notes below it, as a piece of HTML."""
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
    def to_frame(self, table: str | None = ..., *, backend: Backend = ..., **view: object) -> AnyFrame: ...
    def to_frame(self, table: str | None = None, *, backend: Backend = "pandas", **view: object) -> object:
        """One table, the main one unless named, as a data frame of pandas or polars, or an Arrow table."""
        return reach("frame")(self.table(table, **view), backend)

    def to_frames(self, *, backend: Backend = "pandas", **view: object) -> dict[str, Any]:
        """All tables by name as data frames."""
        return {table.name: reach("frame")(table, backend) for table in self.tables(**view)}

    def explain(self, measure: str, **which: object) -> Explained:
        """Explain a number of this result; see `germane.explain`."""
        return cast("Explained", reach("explain")(self, measure, **which))

    def plot(self, kind: str, output: File | None = None, **options: object) -> Figure:
        """Draw a figure of this result; see `germane.plot`."""
        return cast("Figure", reach("plot")(kind, self, output=output, **options))

    def report(self, output: File, **options: object) -> None:
        """Write a page on this result; see `germane.report`."""
        reach("report")(self, output, **options)

    def __str__(self) -> str:
        """What people read, as text."""
        return self._write("table", None).rstrip("\n")

    def _write(self, style: Style, path: str | Path | None, **how: Any) -> str:
        text: str = reach("render")(self, style, **how)
        if path is not None:
            reach("write")(text, path)
        return text
