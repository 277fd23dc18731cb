"""Rows with a truth and what was decided about them: predictions, scores, weights. Whatever they are read from."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from germane.errors import InputError
from germane.formats.confusion_file import looks_like_matrix
from germane.formats.labelled_columns import Asked, Chosen, Name, Names
from germane.formats.labelled_text import Part
from germane.formats.labelled_values import LabelKind, is_arrow, is_label_number, numbers, typed_labels, weights
from germane.tables.confusion import Label
from germane.tables.ids import FloatArray


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
    truth: Name | None = None,
    predicted: Names = (),
    score: Names = (),
    weight: Name | None = None,
    id: Name | None = None,  # noqa: A002
    probabilities: Names = (),
    format: str | None = None,  # noqa: A002
) -> LabelledRows:
    """Read a CSV, TSV, JSONL, Parquet or Arrow file (``-`` is standard input), compressed or not.

    Columns are given by name, several for `predicted` and `score`; what is not given is guessed from the names.
    `probabilities` takes the beginning of names: ``"p"`` reads ``p_cat`` and ``p_dog`` as the probabilities of cat and
    dog, and so does the score ``"p_*"``. In a text file without a header, columns are given by number, from 1.
    """
    from germane.formats.labelled_stream import labelled_parts

    asked = Asked.of(truth, predicted, score, weight, id, probabilities)
    try:
        with closing(labelled_parts(path, asked, format, None)) as parts:
            return rows_of(*next(parts), LabelKind())
    except InputError as problem:
        if truth is None and looks_like_matrix(path):
            hint = "this looks like a confusion matrix: add `matrix=True`"
            raise InputError(problem.source, problem.line, problem.problem, hint=hint) from None
        raise


def labelled_from(
    data: object,
    *,
    truth: Name | None = None,
    predicted: Names = (),
    score: Names = (),
    weight: Name | None = None,
    id: Name | None = None,  # noqa: A002
    probabilities: Names = (),
    name: str = "data",
) -> LabelledRows:
    """The same from what is in memory: a dict of columns, a list of dicts, a structured array, a data frame."""
    from germane.formats.labelled_objects import object_part

    if isinstance(data, LabelledRows):
        return data
    chosen, part = object_part(data, Asked.of(truth, predicted, score, weight, id, probabilities), name)
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
        labels = {name: typed_labels(columns[name], name, where) for name in names}
    truth = labels[chosen.truth]
    probabilities: dict[Label, FloatArray] = {
        _as_label(text, truth): numbers(columns[name], name, "probability", where)
        for text, name in chosen.probabilities.items()
    }
    return LabelledRows(
        truth=truth,
        predicted={name: labels[name] for name in chosen.predicted},
        scores={name: numbers(columns[name], name, "score", where) for name in chosen.score},
        probabilities=probabilities or None,
        weight=None if chosen.weight is None else weights(columns[chosen.weight], chosen.weight, where),
        ids=None if chosen.id is None else _ids(part, chosen.id),
        source=where.source,
        columns=chosen.roles,
        guessed=chosen.guessed,
        num_rows=part.num_rows,
    )


def _ids(part: Part, name: str) -> Any:
    column = part.columns[name]
    return typed_labels([field.strip() for field in column] if part.is_text else column, name, part.where)


def _as_label(text: str, truth: Any) -> Label:
    """The label that the name of a column ends with, as the truth would have it."""
    first = truth[0].as_py() if is_arrow(truth) else next(iter(truth))
    if isinstance(first, str | bytes):
        return text
    if str(first) in ("True", "False"):
        return {"true": True, "false": False, "1": True, "0": False}.get(text.lower(), text)
    if not is_label_number(text):
        return text
    return int(text) if text.lstrip("+-").isdecimal() else float(text)
