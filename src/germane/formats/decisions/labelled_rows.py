"""Rows with true labels, predictions, scores and weights, read from files or in-memory tables."""

# ruff: noqa: A002 - what a file is in is called its format everywhere
from __future__ import annotations

import reprlib
from collections.abc import Generator, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Unpack

import numpy as np

from germane.errors import GermaneError, InputError, did_you_mean
from germane.formats.decisions import labelled_values as values
from germane.formats.decisions.confusion_file import looks_like_matrix
from germane.formats.decisions.label_kinds import LabelKind, is_label_number
from germane.formats.decisions.labelled_columns import NUMERIC_LABELS, Asked, Chosen, choose_columns
from germane.formats.decisions.labelled_text import DELIMITERS, Part, delimited_parts, delimiter_of, jsonl_parts
from germane.formats.decisions.labelled_values import Where
from germane.formats.decisions.reading import Reading, TableOptions, reading_and_columns, without_rows
from germane.formats.files.arrow_tables import TITLES, ColumnAt, frame_columns
from germane.formats.files.part_folders import naming_parts
from germane.formats.files.part_tables import open_table
from germane.formats.files.sources import open_start, peek, source_name
from germane.formats.rankings.detect import HEAD, binary_format, reject_binary
from germane.formats.rows.text import BOM, show
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import FloatArray
from germane.tables.columns.one_column import one_column
from germane.tables.decisions.confusion import Label
from germane.tables.notes.note import Note

FORMATS = ("csv", "tsv", "jsonl", "parquet", "orc", "arrow")
ARROW_FORMATS = ("parquet", "orc", "arrow")
BATCH_ROWS = 1 << 19


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Checked columns of equal length without missing values; labels are not encoded yet.

    A column of labels is a list, a NumPy array or an Arrow array. `probabilities` has the columns of each prefix by
    label. `columns` maps each role to the columns of the source, `guessed` describes those that were inferred.

    >>> rows = labelled_from({"truth": ["cat", "dog"], "prediction": ["cat", "cat"]})
    >>> rows.truth, rows.predicted
    (['cat', 'dog'], {'prediction': ['cat', 'cat']})
    >>> rows.guessed[1]
    "using column 'prediction' as predictions (change with --predicted)"
    """

    truth: Any
    predicted: Mapping[str, Any]
    scores: Mapping[str, FloatArray]
    probabilities: Mapping[str, Mapping[Label, FloatArray]]
    weight: FloatArray | None
    ids: Any
    source: str
    columns: Mapping[str, tuple[str, ...]]
    guessed: tuple[str, ...]
    num_rows: int
    reading: Reading
    """The reading that these rows are of; its other parts may still follow."""
    vectors: Mapping[str, FloatArray] | None = None
    cluster: Any = None
    slices: Mapping[str, Any] = field(default_factory=dict)
    like_ids: tuple[str, ...] = ()
    """Unused columns whose names are usual for ids."""

    def __len__(self) -> int:
        return self.num_rows

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on excluded rows and on labels; of a file read in parts, on all rows read so far."""
        return self.reading.notes(several=len(self.predicted) > 1 or len(self.scores) > 1)


def read_labelled(path: str | Path, *, format: str | None = None, **options: Unpack[TableOptions]) -> LabelledRows:
    """Read items from a CSV, TSV, JSONL, Parquet or Arrow file (``-`` for standard input), compressed or not.

    Columns are given by name, several for `predicted` and `score`; the others are inferred from their names.
    `probabilities` is a prefix: ``"p"`` reads ``p_cat`` and ``p_dog`` as the probabilities of cat and dog, and so does
    the score ``"p_*"``; several prefixes are several classifiers. In a text file without a header, columns are given by
    number, from 1.

    Rows with missing values are an error, or with ``missing="exclude"`` left out and counted in `notes`. `decimal` is
    the decimal separator of a text file, `encoding` its encoding where it is not UTF-8.
    """
    reading, columns = reading_and_columns(options)
    return read_asked(path, Asked.of(**columns), reading, format=format)


def read_asked(path: str | Path, asked: Asked, reading: Reading, *, format: str | None = None) -> LabelledRows:
    """Read items with the columns asked for, all at once."""
    try:
        with closing(labelled_parts(path, asked, format, None, reading)) as parts:
            rows = rows_of(*next(parts), reading)
            with naming_parts(path):
                reading.missing.require_handled(source_name(path))
            assert rows is not None, "incomplete rows were refused"
            return rows
    except InputError as problem:
        if asked.truth is None and looks_like_matrix(path):
            hint = "this looks like a confusion matrix; add `matrix=True`"
            raise InputError(problem.source, problem.line, problem.problem, hint=hint) from None
        raise


def stream_labelled(
    path: str | Path, *, format: str | None = None, batch_rows: int = BATCH_ROWS, **options: Unpack[TableOptions]
) -> Iterator[LabelledRows]:
    """Read items as `read_labelled` does, in batches of about `batch_rows` rows; only needed columns are read.

    The first batch decides whether the labels of a text file are numbers, or true and false; other text in a later
    batch is then an error. The error about missing values comes at the end, since it counts them.
    """
    reading, columns = reading_and_columns(options)
    with closing(labelled_parts(path, Asked.of(**columns), format, batch_rows, reading)) as parts:
        for chosen, part in parts:
            rows = rows_of(chosen, part, reading)
            if rows is not None:
                yield rows
            del rows
        with naming_parts(path):
            reading.missing.require_handled(source_name(path))


def labelled_parts(
    path: str | Path, asked: Asked, format: str | None, batch_rows: int | None, reading: Reading
) -> Generator[tuple[Chosen, Part], None, None]:
    """Yield the column assignment and the rows of a file in batches; without `batch_rows`, all at once."""
    source = source_name(path)
    if format is not None and format not in FORMATS:
        problem = f"unknown format {format!r}{did_you_mean(format, FORMATS)}"
        raise GermaneError(problem, hint=f"choose from {', '.join(FORMATS)}")
    with naming_parts(path), ExitStack() as opened:
        head, stream = peek(opened.enter_context(open_start(path)), HEAD)
        opened.callback(stream.close)
        if (name := binary_format(head)) is None and format not in ARROW_FORMATS:
            head, stream = reading.in_utf8(head, stream, source)
            opened.callback(stream.close)
        name = format or name or _format_of(head, source)
        if name in ARROW_FORMATS:
            reading.refuse_beside(source, f"{TITLES[name]} files")
            parts = _arrow_parts(path, stream, name, asked, source, batch_rows)
        elif name == "jsonl":
            reading.refuse_beside(source, "JSONL files", "decimal")
            parts = jsonl_parts(stream, asked, source, batch_rows)
        else:
            delimiter = DELIMITERS[format] if format else delimiter_of(head)
            parts = delimited_parts(stream, delimiter, asked, source, batch_rows, reading.decimal)
        opened.callback(parts.close)
        first = next(parts, None)
        if first is None:
            raise InputError(source, None, "expected rows, found none", hint="check that this is the right file")
        yield first
        del first  # free the memory before reading the next part
        yield from parts


def _format_of(head: bytes, source: str) -> str:
    """Detect the format of a file from its first bytes."""
    if not head.strip():
        found = "only blank lines" if head else "an empty file"
        raise InputError(source, None, f"expected data, found {found}", hint="check that this is the right file")
    reject_binary(head, enumerate(head.split(b"\n"), start=1), source)
    start = head.removeprefix(BOM).lstrip()
    if start.startswith(b"["):
        problem = f"expected one JSON object per line, found {show(start.splitlines()[0])}"
        raise InputError(source, 1, problem, hint="convert a JSON list with `jq -c '.[]'`")
    return "jsonl" if start.startswith(b"{") else "delimited"


def _arrow_parts(
    path: str | Path, stream: BinaryIO, name: str, asked: Asked, source: str, batch_rows: int | None
) -> Generator[tuple[Chosen, Part], None, None]:
    """Yield the rows of a Parquet, ORC or Arrow table."""
    with open_table(path, stream, name, source) as file:
        chosen = choose_columns(file.schema.names, asked, source)
        rows_before = 0
        for table in file.batches(chosen.needed, batch_rows):
            table.validate(full=True)  # a damaged file may have offsets that point anywhere
            if table.num_rows:
                columns = {name: table.column(name) for name in chosen.needed}
                yield chosen, Part(columns, Where(source, None, rows_before), table.num_rows)
                rows_before += table.num_rows


def labelled_from(
    data: object,
    *,
    name: str = "data",
    **options: Unpack[TableOptions],
) -> LabelledRows:
    """Build items from a dict of columns, a list of dicts, a structured array or a data frame.

    `missing` is that of `read_labelled`; `decimal` and `encoding` are for text files, and an error here.
    """
    reading, columns = reading_and_columns(options)
    reading.refuse_beside(name, "a table in memory")
    return data if isinstance(data, LabelledRows) else asked_from(data, Asked.of(**columns), reading, name=name)


def asked_from(data: object, asked: Asked, reading: Reading, *, name: str = "data") -> LabelledRows:
    """Build items from an in-memory table with the columns asked for."""
    reading.refuse_beside(name, "a table in memory")
    chosen, part = _object_part(data, asked, name)
    if not part.num_rows:
        raise InputError(name, None, "expected rows, found none")
    rows = rows_of(chosen, part, reading)
    reading.missing.require_handled(name)
    assert rows is not None, "incomplete rows were refused"
    return rows


def _object_part(data: object, asked: Asked, source: str) -> tuple[Chosen, Part]:
    """Return the column assignment and the columns of an in-memory table."""
    names, column_at = _named_columns(data, source)
    chosen = choose_columns(names, asked, source)
    columns = {name: plain_column(column_at(names.index(name)), name, source) for name in chosen.needed}
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{size} in {name!r}" for name, size in sizes.items())
        raise InputError(source, None, f"expected columns of equal length, found {found}")
    return chosen, Part(columns, Where(source), next(iter(sizes.values())))


def _named_columns(data: Any, source: str) -> tuple[list[str], ColumnAt]:
    """Return the column names, and a function that returns a column by its index."""
    if isinstance(data, Mapping):
        for name, array in data.items():
            if not hasattr(array, "__len__") or isinstance(array, str | bytes | Set):
                problem = f"expected a list or an array as column {name!r}, found {type(array).__name__}"
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
    hint = "use read_labelled(path) to read a file" if isinstance(data, str | bytes | Path) else None
    expected = "a dict of columns, a list of dicts, a structured NumPy array or a data frame"
    raise InputError(source, None, f"expected {expected}, found {type(data).__name__}", hint=hint)


def _row_columns(rows: Sequence[Any], source: str) -> tuple[list[str], ColumnAt]:
    if not rows:
        raise InputError(source, None, "expected rows, found none")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            problem = f"expected a list of dicts, found {reprlib.repr(row)} as row {number}"
            raise InputError(
                source, None, problem, hint="pass arrays by name, as in {'truth': y_true, 'score': y_score}"
            )
    names = list(rows[0])

    def column(place: int) -> list[Any]:
        try:
            return [row[names[place]] for row in rows]
        except KeyError:
            number = next(number for number, row in enumerate(rows, start=1) if names[place] not in row)
            problem = f"expected {names[place]!r} in every row, found none in row {number}"
            raise InputError(source, None, problem) from None

    return [str(name) for name in names], column


def plain_column(given: Any, name: str, source: str) -> Any:
    """Return a column as a list, a NumPy or Arrow array, or a pandas categorical one."""
    column = one_column(given, repr(name), source)
    if isinstance(column, np.ndarray | list | tuple) or values.is_arrow(column) or values.is_categorical(column):
        return column
    return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)


def rows_of(chosen: Chosen, part: Part, reading: Reading) -> LabelledRows | None:
    """Check the columns of a part, and leave out its incomplete rows, or all once such a row is an error.

    `reading` carries the type of the labels of a file from one part to the next, and counts the missing values.
    """
    columns, where, kind = part.columns, part.where, reading.kind
    named = {name: columns[name] for name in chosen.labels}
    labels, absent = kind.of_text(named, where) if part.is_text else kind.of_values(named, where)
    names = [name for name in (chosen.id, chosen.cluster, *chosen.slices) if name is not None]
    ids: dict[str, Any] = {name: columns[name] for name in names}
    if part.is_text:
        ids = {name: _stripped(column) for name, column in ids.items()}
    ids, ids_absent = LabelKind(kind="words").of_values(ids, where)
    scores = {name: values.numbers(columns[name], name, "score", where) for name in chosen.score}
    weights = {name: values.weights(columns[name], name, where) for name in filter(None, [chosen.weight])}
    claimed = [name for by_label in chosen.probabilities.values() for name in by_label.values()]
    probabilities = {name: values.numbers(columns[name], name, "probability", where) for name in claimed}
    vectors = {name: values.numbers(columns[name], name, "component", where) for name in chosen.vectors}
    true_numbers = _numeric_labels(chosen, columns, where)
    numeric = {**scores, **weights, **probabilities, **vectors, **true_numbers}
    absent |= ids_absent | {name: np.isnan(column) for name, column in numeric.items()}
    complete = reading.missing.complete(absent, part.num_rows, where)
    if reading.missing.num_incomplete and not reading.missing.exclude:
        return None
    num_rows = part.num_rows if complete is None else int(complete.sum())
    if complete is not None and not num_rows:
        return None
    labels, ids, scores, weights, probabilities, vectors = (
        without_rows(found, complete)
        for found in ({**labels, **true_numbers}, ids, scores, weights, probabilities, vectors)
    )
    truth = labels[chosen.truth] if chosen.truth else None
    return LabelledRows(
        truth=truth,
        predicted={name: labels[name] for name in chosen.predicted},
        scores=scores,
        probabilities={
            prefix: {_as_label(text, truth): probabilities[name] for text, name in by_label.items()}
            for prefix, by_label in chosen.probabilities.items()
        },
        weight=next(iter(weights.values()), None),
        ids=None if chosen.id is None else ids[chosen.id],
        source=where.source,
        columns=chosen.roles,
        guessed=chosen.guessed,
        num_rows=num_rows,
        reading=reading,
        vectors=vectors or None,
        cluster=None if chosen.cluster is None else ids[chosen.cluster],
        slices={name: ids[name] for name in chosen.slices},
        like_ids=chosen.like_ids,
    )


def _stripped(column: Any) -> Any:
    """Return fields of text without white space around them; a column that is read as numbers has none."""
    return column if isinstance(column, np.ndarray) else [field.strip() for field in column]


def _numeric_labels(chosen: Chosen, columns: Mapping[str, Any], where: Where) -> dict[str, FloatArray]:
    """Return the truth and the predictions as numbers, where that is what they are."""
    if chosen.contents != "numbers":
        return {}
    named = ((name, called) for role, called in NUMERIC_LABELS.items() for name in chosen.roles.get(role, ()))
    return {name: values.numbers(columns[name], name, called, where) for name, called in named}


def _as_label(text: str, truth: Any) -> Label:
    """Convert the label at the end of a column name to the type of the true labels."""
    first = truth[0].as_py() if values.is_arrow(truth) else next(iter(truth))
    if isinstance(first, str | bytes):
        return text
    if str(first) in ("True", "False"):
        return {"true": True, "false": False, "1": True, "0": False}.get(text.lower(), text)
    if not is_label_number(text):
        return text
    return int(text) if text.lstrip("+-").isdecimal() else float(text)
