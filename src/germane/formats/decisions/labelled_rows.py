"""Rows with a truth and what was decided about them: predictions, scores, weights. Whatever they are read from."""

# ruff: noqa: A002 - what a file is in is called its format everywhere
from __future__ import annotations

import io
import reprlib
from collections.abc import Generator, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Unpack

import numpy as np

from germane.errors import GermaneError, InputError, did_you_mean
from germane.formats.decisions import labelled_values as values
from germane.formats.decisions.confusion_file import looks_like_matrix
from germane.formats.decisions.labelled_columns import Asked, Chosen, ColumnNames, choose_columns
from germane.formats.decisions.labelled_text import DELIMITERS, Part, delimited_parts, delimiter_of, jsonl_parts
from germane.formats.decisions.labelled_values import LabelKind, Where
from germane.formats.files.arrow_tables import ColumnAt, frame_columns, open_arrow
from germane.formats.files.part_folders import naming_parts
from germane.formats.files.sources import is_plain_file, open_source, peek, source_name
from germane.formats.rankings.detect import HEAD, binary_format, reject_binary
from germane.formats.rows.text import BOM, show
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import FloatArray
from germane.tables.columns.one_column import one_column
from germane.tables.decisions.confusion import Label

FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow")
BATCH_ROWS = 1 << 20


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Columns of one length, each value there and checked; labels are not numbered yet.

    A column of labels is a list, a NumPy array or an Arrow array. `columns` says which column of the source serves
    which role, `guessed` says in words which of them were guessed.

    >>> rows = labelled_from({"truth": ["cat", "dog"], "prediction": ["cat", "cat"]})
    >>> rows.truth, rows.predicted
    (['cat', 'dog'], {'prediction': ['cat', 'cat']})
    >>> rows.guessed
    ("column 'truth' was taken for the truth", "column 'prediction' was taken for a prediction")
    """

    truth: Any
    predicted: Mapping[str, Any]
    scores: Mapping[str, FloatArray]
    probabilities: Mapping[Label, FloatArray] | None
    weight: FloatArray | None
    ids: Any
    source: str
    columns: Mapping[str, tuple[str, ...]]
    guessed: tuple[str, ...]
    num_rows: int

    def __len__(self) -> int:
        return self.num_rows


def read_labelled(path: str | Path, *, format: str | None = None, **columns: Unpack[ColumnNames]) -> LabelledRows:
    """Read a CSV, TSV, JSONL, Parquet or Arrow file (``-`` is standard input), compressed or not.

    Columns are given by name, several for `predicted` and `score`; what is not given is guessed from the names.
    `probabilities` takes the beginning of names: ``"p"`` reads ``p_cat`` and ``p_dog`` as the probabilities of cat and
    dog, and so does the score ``"p_*"``. In a text file without a header, columns are given by number, from 1.
    """
    try:
        with closing(labelled_parts(path, Asked.of(**columns), format, None)) as parts:
            return rows_of(*next(parts), LabelKind())
    except InputError as problem:
        if columns.get("truth") is None and looks_like_matrix(path):
            hint = "this looks like a confusion matrix: add `matrix=True`"
            raise InputError(problem.source, problem.line, problem.problem, hint=hint) from None
        raise


def stream_labelled(
    path: str | Path, *, format: str | None = None, batch_rows: int = BATCH_ROWS, **columns: Unpack[ColumnNames]
) -> Iterator[LabelledRows]:
    """What `read_labelled` reads, in parts of about `batch_rows` rows; only the columns that are needed are read.

    Whether the labels of a text file are numbers is settled by the first part; a word in a later part is an error then.
    """
    kind = LabelKind()
    with closing(labelled_parts(path, Asked.of(**columns), format, batch_rows)) as parts:
        for chosen, part in parts:
            yield rows_of(chosen, part, kind)


def labelled_parts(
    path: str | Path, asked: Asked, format: str | None, batch_rows: int | None
) -> Generator[tuple[Chosen, Part], None, None]:
    """Which column is what, and the rows of a file in parts; without `batch_rows`, all in one."""
    source = source_name(path)
    if format is not None and format not in FORMATS:
        problem = f"unknown format {format!r}{did_you_mean(format, FORMATS)}"
        raise GermaneError(problem, hint=f"choose from {', '.join(FORMATS)}")
    with naming_parts(path), ExitStack() as opened:
        head, stream = peek(opened.enter_context(open_source(path)), HEAD)
        opened.callback(stream.close)
        name = format or _format_of(head, source)
        if name in ("parquet", "arrow"):
            parts = _arrow_parts(path if is_plain_file(path) else None, stream, name, asked, source, batch_rows)
        elif name == "jsonl":
            parts = jsonl_parts(stream, asked, source, batch_rows)
        else:
            delimiter = DELIMITERS[format] if format else delimiter_of(head)
            parts = delimited_parts(stream, delimiter, asked, source, batch_rows)
        opened.callback(parts.close)
        first = next(parts, None)
        if first is None:
            raise InputError(source, None, "expected rows, found none", hint="is this the right file?")
        yield first
        del first  # the next part may need the room
        yield from parts


def _format_of(head: bytes, source: str) -> str:
    """What a file is, from its first bytes."""
    if not head.strip():
        found = "only blank lines" if head else "an empty file"
        raise InputError(source, None, f"expected data, found {found}", hint="is this the right file?")
    if (name := binary_format(head)) is not None:
        return name
    reject_binary(head, enumerate(head.split(b"\n"), start=1), source)
    start = head.removeprefix(BOM).lstrip()
    if start.startswith(b"["):
        problem = f"expected a JSON object per line, found {show(start.splitlines()[0])}"
        raise InputError(source, 1, problem, hint="`jq -c '.[]'` writes the objects of a list one to a line")
    return "jsonl" if start.startswith(b"{") else "delimited"


def _arrow_parts(
    path: str | Path | None, stream: BinaryIO, name: str, asked: Asked, source: str, batch_rows: int | None
) -> Generator[tuple[Chosen, Part], None, None]:
    """The rows of a Parquet or Arrow file. Without a path (of a plain file) it is read from the stream, all at once."""
    with open_arrow(io.BytesIO(stream.read()) if path is None else str(path), name, source) as file:
        chosen = choose_columns(file.schema.names, asked, source)
        rows_before = 0
        for table in file.batches(chosen.needed, batch_rows):
            table.validate(full=True)  # a damaged file may have offsets that point anywhere
            if table.num_rows:
                columns = {name: table.column(name) for name in chosen.needed}
                yield chosen, Part(columns, Where(source, None, rows_before), table.num_rows)
                rows_before += table.num_rows


def labelled_from(data: object, *, name: str = "data", **columns: Unpack[ColumnNames]) -> LabelledRows:
    """The same from what is in memory: a dict of columns, a list of dicts, a structured array, a data frame."""
    if isinstance(data, LabelledRows):
        return data
    chosen, part = _object_part(data, Asked.of(**columns), name)
    if not part.num_rows:
        raise InputError(name, None, "expected rows, found none")
    return rows_of(chosen, part, LabelKind())


def _object_part(data: object, asked: Asked, source: str) -> tuple[Chosen, Part]:
    """The columns of whatever is in memory."""
    names, column_at = _named_columns(data, source)
    chosen = choose_columns(names, asked, source)
    columns = {name: _plain_column(column_at(names.index(name)), name, source) for name in chosen.needed}
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{size} in {name!r}" for name, size in sizes.items())
        raise InputError(source, None, f"expected columns of one length, found {found}")
    return chosen, Part(columns, Where(source), sizes[chosen.truth])


def _named_columns(data: Any, source: str) -> tuple[list[str], ColumnAt]:
    """The names of the columns, and how to get one by its place."""
    if isinstance(data, Mapping):
        for name, array in data.items():
            if not hasattr(array, "__len__") or isinstance(array, str | bytes | Set):
                problem = f"expected a dict of columns, found {type(array).__name__} in {name!r}"
                raise InputError(source, None, problem)
        arrays = list(aligned_columns({repr(name): array for name, array in data.items()}, source).values())
        return [str(name) for name in data], arrays.__getitem__
    if hasattr(data, "__arrow_c_stream__"):
        return frame_columns(data, source)
    if isinstance(data, np.ndarray) and data.dtype.names:
        fields = list(data.dtype.names)
        return fields, lambda place: data[fields[place]]
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _row_columns(data, source)
    hint = "read_labelled(path) reads a file" if isinstance(data, str | bytes | Path) else None
    expected = "a dict of columns, a list of dicts, a structured NumPy array or a data frame"
    raise InputError(source, None, f"expected {expected}, found {type(data).__name__}", hint=hint)


def _row_columns(rows: Sequence[Any], source: str) -> tuple[list[str], ColumnAt]:
    if not rows:
        raise InputError(source, None, "expected rows, found none")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            problem = f"expected a list of dicts, found {reprlib.repr(row)} as row {number}"
            raise InputError(source, None, problem, hint="arrays go in by name: {'truth': y_true, 'score': y_score}")
    names = list(rows[0])

    def column(place: int) -> list[Any]:
        try:
            return [row[names[place]] for row in rows]
        except KeyError:
            number = next(number for number, row in enumerate(rows, start=1) if names[place] not in row)
            problem = f"expected {names[place]!r} in every row, not found in row {number}"
            raise InputError(source, None, problem) from None

    return [str(name) for name in names], column


def _plain_column(given: Any, name: str, source: str) -> Any:
    column = one_column(given, repr(name), source)
    if isinstance(column, np.ndarray | list | tuple) or values.is_arrow(column) or values.is_categorical(column):
        return column
    return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)


def rows_of(chosen: Chosen, part: Part, kind: LabelKind) -> LabelledRows:
    """Check the columns of a part. `kind` remembers, from part to part of a text file, what labels are."""
    columns, where = part.columns, part.where
    names = dict.fromkeys((chosen.truth, *chosen.predicted))
    if part.is_text:
        labels = kind.convert({name: columns[name] for name in names}, where)
    else:
        labels = {name: values.typed_labels(columns[name], name, where) for name in names}
    truth = labels[chosen.truth]
    probabilities = {
        _as_label(text, truth): values.numbers(columns[name], name, "probability", where)
        for text, name in chosen.probabilities.items()
    }
    ids = None
    if chosen.id is not None:
        column = columns[chosen.id]
        ids = [field.strip() for field in column] if part.is_text else column
        ids = values.typed_labels(ids, chosen.id, where)
    return LabelledRows(
        truth=truth,
        predicted={name: labels[name] for name in chosen.predicted},
        scores={name: values.numbers(columns[name], name, "score", where) for name in chosen.score},
        probabilities=probabilities or None,
        weight=None if chosen.weight is None else values.weights(columns[chosen.weight], chosen.weight, where),
        ids=ids,
        source=where.source,
        columns=chosen.roles,
        guessed=chosen.guessed,
        num_rows=part.num_rows,
    )


def _as_label(text: str, truth: Any) -> Label:
    """The label that the name of a column ends with, as the truth would have it."""
    first = truth[0].as_py() if values.is_arrow(truth) else next(iter(truth))
    if isinstance(first, str | bytes):
        return text
    if str(first) in ("True", "False"):
        return {"true": True, "false": False, "1": True, "0": False}.get(text.lower(), text)
    if not values.is_label_number(text):
        return text
    return int(text) if text.lstrip("+-").isdecimal() else float(text)
