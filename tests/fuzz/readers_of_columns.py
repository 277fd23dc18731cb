"""What is in memory, or in files of columns: frames, arrays, dicts and rows, with types right and wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from pyarrow import lib as arrow

from germane.api.vectors.inputs import read_ids
from germane.formats.decisions.labelled_rows import labelled_from, read_labelled
from germane.formats.rankings.ranking_files import read_qrels, read_run
from germane.formats.rows.memory import columns_from, from_named_arrays, qrels_from, run_from
from germane.tables.columns.array_columns import as_numbers
from germane.tables.decisions.labels import encode_labels
from germane.tables.decisions.weights import as_weights
from tests.fuzz.made_tables import WRAPPINGS, Made, as_table, made
from tests.fuzz.readers import Reader, add
from tests.fuzz.readers_of_runs import arrow_bytes, parquet_bytes

Roles = Sequence[tuple[str, str, Sequence[str]]]
RUN: Roles = (
    ("query", "text", ("qid", "query_id", "query")),
    ("document", "text", ("docno", "doc_id", "docid")),
    ("score", "number", ("score",)),
)
QRELS: Roles = (*RUN[:2], ("grade", "number", ("relevance", "label", "rel")))
LABELLED: Roles = (
    ("truth", "text", ("label", "truth", "y_true")),
    ("predicted", "text", ("predicted", "pred")),
    ("score", "number", ("score", "probability")),
    ("weight", "number", ("weight",)),
)
FILES = ("parquet", "arrow")


@dataclass(frozen=True, eq=False)
class ColumnsReader(Reader):
    """Its cases are tables; a table that cannot be made of such columns at all is no case, and is left out."""

    roles: Roles = ()
    wrappings: Sequence[str] = ()
    read_file: Callable[[Path], object] | None = None

    def case(self, chance: Random) -> Made:
        return made(self.roles, self.wrappings, chance)

    def deliver(self, case: Made, folder: Path) -> Any:
        try:
            if case.wrapping not in FILES:
                return WRAPPINGS[case.wrapping](case)
            table = as_table(case)
            data = parquet_bytes(table) if case.wrapping == "parquet" else arrow_bytes(table)
        except IMPOSSIBLE:
            return None
        path = folder / f"table.{case.wrapping}"
        path.write_bytes(data)
        return path


IMPOSSIBLE = (
    arrow.ArrowException,
    NotImplementedError,
    TypeError,
    ValueError,
    OverflowError,
    AttributeError,
    BaseExceptionGroup,
)
"""What the libraries say of a table that they cannot make."""


def reading(
    from_memory: Callable[[Any], object], from_file: Callable[[Path], object] | None
) -> Callable[[Any], object]:
    """Reads a file if it is given a path."""

    def read(given: Any) -> object:
        if given is None:
            return None
        return from_file(given) if from_file is not None and isinstance(given, Path) else from_memory(given)

    return read


def columns_reader(
    name: str, roles: Roles, in_memory: Callable[[Any], object], in_file: Any, covers: Any, share: float
) -> None:
    wrappings = (*WRAPPINGS, *(FILES if in_file else ()))
    reader = ColumnsReader(
        name,
        reading(in_memory, in_file),
        tuple,
        covers=covers,
        share=share,
        names_source=False,
        roles=roles,
        wrappings=wrappings,
    )
    add(reader)


def one_column(read: Callable[[Any], object]) -> Callable[[Any], object]:
    """The first column of a table of one."""

    def first(given: Any) -> object:
        return read(next(iter(given.values()))) if isinstance(given, dict) and given else None

    return first


columns_reader("run_columns", RUN, run_from, read_run, (run_from, columns_from, from_named_arrays), 1.0)
columns_reader("qrels_columns", QRELS, qrels_from, read_qrels, (qrels_from,), 1.0)
columns_reader("labelled_columns", LABELLED, labelled_from, read_labelled, (labelled_from,), 1.0)
for _name, _read, _roles in (
    ("label_column", lambda column: encode_labels(column, "label", "labels"), LABELLED[:1]),
    ("id_column", lambda column: read_ids(column, "document"), RUN[1:2]),
    ("number_column", lambda column: as_numbers(column, "score", "scores"), RUN[2:]),
    ("weight_column", lambda column: as_weights(column, len(column), "weights"), LABELLED[3:]),
):
    add(
        ColumnsReader(
            _name,
            one_column(_read),
            tuple,
            covers=(encode_labels, as_weights, as_numbers),
            share=0.4,
            names_source=False,
            roles=_roles,
            wrappings=("lists", "arrays", "objects"),
        )
    )
