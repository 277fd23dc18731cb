"""A table as a data frame of pandas, polars, pyarrow or Spark, which are imported only when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from germane.distributed.session import frame_of_arrow
from germane.errors import GermaneError, unknown
from germane.tables.results.columns import Column, Table

BACKENDS = ("pandas", "polars", "pyarrow", "spark")
_TYPES: dict[str, tuple[tuple[str, str], str | None, str | None]] = {
    # kind of value: pandas (no value missing, some missing), polars, pyarrow; None where the library infers the type
    "text": (("object", "object"), "String", "string"),
    "flag": (("bool", "boolean"), "Boolean", "bool_"),
    "whole": (("int64", "Int64"), "Int64", "int64"),
    "number": (("float64", "float64"), "Float64", "float64"),
    "list": (("object", "object"), None, None),
}


def frame_of_columns(columns: Mapping[str, Any], backend: str) -> Any:
    """Make a data frame or an Arrow table from columns that already have types, such as arrays."""
    if backend == "spark":
        return frame_of_arrow(frame_of_columns(columns, "pyarrow"))
    library = _library(backend)
    return library.table(columns) if backend == "pyarrow" else library.DataFrame(columns)


def _library(backend: str) -> Any:
    if backend not in BACKENDS:
        raise unknown("backend", backend, BACKENDS)
    try:
        return import_module(backend)
    except ImportError:
        raise GermaneError(f"{backend} is not installed", hint=f"pip install {backend}") from None


def frame(table: Table, backend: str) -> Any:
    """Return the columns for programs as a data frame of pandas, polars or Spark, or as an Arrow table."""
    if backend == "spark":
        return frame_of_arrow(frame(table, "pyarrow"))
    library = _library(backend)
    values = table.flat()
    types = {column.key: _TYPES[_type(column, values[column.key])] for column in table.columns if column.flat}
    if backend == "pandas":
        made = {
            key: library.Series(each, dtype=types[key][0][any(value is None for value in each)])
            for key, each in values.items()
        }
        return library.DataFrame(made)
    if backend == "polars":
        schema = {key: name and getattr(library, name) for key, (_, name, _) in types.items()}
        return library.DataFrame(values, schema=schema)
    kinds = {key: name and getattr(library, name)() for key, (_, _, name) in types.items()}
    return library.table({key: library.array(each, kinds[key]) for key, each in values.items()})


def _type(column: Column, values: list[Any]) -> str:
    kinds = {type(value) for value in values} - {type(None)}
    if kinds and kinds <= {bool}:
        return "flag"
    if kinds and kinds <= {int}:
        return "whole"
    if kinds & {list, tuple}:
        return "list"
    if kinds and not kinds <= {int, float}:
        values[:] = [value if value is None else str(value) for value in values]
        return "text"
    return "whole" if column.kind == "count" and not kinds else "number" if column.is_number or kinds else "text"
