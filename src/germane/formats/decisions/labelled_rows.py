"""Rows with a truth and what was decided about them: predictions, scores, weights. Whatever they are read from."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from germane.errors import GermaneError, InputError, did_you_mean
from germane.formats.decisions import labelled_values as values
from germane.formats.decisions.confusion_file import looks_like_matrix
from germane.formats.decisions.labelled_columns import Asked, Chosen, ColumnNames
from germane.formats.decisions.labelled_text import Part, delimited_parts, jsonl_parts
from germane.formats.decisions.labelled_values import LabelKind
from germane.formats.files.part_folders import naming_parts
from germane.formats.files.sources import is_plain_file, open_source, peek, source_name
from germane.formats.rankings.detect import HEAD, binary_format, reject_binary
from germane.formats.rows.text import BOM, show
from germane.tables.columns.ids import FloatArray
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


def read_labelled(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    **columns: Unpack[ColumnNames],
) -> LabelledRows:
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
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    batch_rows: int = BATCH_ROWS,
    **columns: Unpack[ColumnNames],
) -> Iterator[LabelledRows]:
    """What `read_labelled` reads, in parts of about `batch_rows` rows; only the columns that are needed are read.

    Whether the labels of a text file are numbers is settled by the first part; a word in a later part is an error then.
    """
    kind = LabelKind()
    with closing(labelled_parts(path, Asked.of(**columns), format, batch_rows)) as parts:
        for chosen, part in parts:
            yield rows_of(chosen, part, kind)


def labelled_parts(
    path: str | Path,
    asked: Asked,
    format: str | None,  # noqa: A002
    batch_rows: int | None,
) -> Generator[tuple[Chosen, Part], None, None]:
    """Which column is what, and the rows of a file in parts; without `batch_rows`, all in one."""
    with naming_parts(path):
        yield from _parts(path, asked, format, batch_rows)


def _parts(
    path: str | Path,
    asked: Asked,
    format: str | None,  # noqa: A002
    batch_rows: int | None,
) -> Generator[tuple[Chosen, Part], None, None]:
    source = source_name(path)
    if format is not None and format not in FORMATS:
        problem = f"unknown format {format!r}{did_you_mean(format, FORMATS)}"
        raise GermaneError(problem, hint=f"choose from {', '.join(FORMATS)}")
    stream = open_source(path)
    try:
        head, stream = peek(stream, HEAD)
        name = format or _format_of(head, source)
        if name in ("parquet", "arrow"):
            from germane.formats.decisions.labelled_objects import arrow_parts

            parts = arrow_parts(path if is_plain_file(path) else None, stream, name, asked, source, batch_rows)
        elif name == "jsonl":
            parts = jsonl_parts(stream, asked, source, batch_rows)
        else:
            parts = delimited_parts(stream, head, asked, source, format, batch_rows)
        empty = True
        with closing(parts):
            for chosen, part in parts:
                empty = False
                yield chosen, part
        if empty:
            raise InputError(source, None, "expected rows, found none", hint="is this the right file?")
    finally:
        stream.close()


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


def labelled_from(data: object, *, name: str = "data", **columns: Unpack[ColumnNames]) -> LabelledRows:
    """The same from what is in memory: a dict of columns, a list of dicts, a structured array, a data frame."""
    from germane.formats.decisions.labelled_objects import object_part

    if isinstance(data, LabelledRows):
        return data
    chosen, part = object_part(data, Asked.of(**columns), name)
    if not part.num_rows:
        raise InputError(name, None, "expected rows, found none")
    return rows_of(chosen, part, LabelKind())


def rows_of(chosen: Chosen, part: Part, kind: LabelKind) -> LabelledRows:
    """Check the columns of a part. `kind` remembers, from part to part of a text file, what labels are."""
    columns, where = part.columns, part.where
    names = dict.fromkeys((chosen.truth, *chosen.predicted))
    if part.is_text:
        labels = kind.convert({name: columns[name] for name in names}, where)
    else:
        labels = {name: values.typed_labels(columns[name], name, where) for name in names}
    truth = labels[chosen.truth]
    probabilities: dict[Label, FloatArray] = {
        _as_label(text, truth): values.numbers(columns[name], name, "probability", where)
        for text, name in chosen.probabilities.items()
    }
    return LabelledRows(
        truth=truth,
        predicted={name: labels[name] for name in chosen.predicted},
        scores={name: values.numbers(columns[name], name, "score", where) for name in chosen.score},
        probabilities=probabilities or None,
        weight=None if chosen.weight is None else values.weights(columns[chosen.weight], chosen.weight, where),
        ids=None if chosen.id is None else _ids(part, chosen.id),
        source=where.source,
        columns=chosen.roles,
        guessed=chosen.guessed,
        num_rows=part.num_rows,
    )


def _ids(part: Part, name: str) -> Any:
    column = part.columns[name]
    return values.typed_labels([field.strip() for field in column] if part.is_text else column, name, part.where)


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
