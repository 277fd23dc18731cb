"""Everything that is wrong with a file or, where nothing is, what is in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from germane.errors import InputError
from germane.formats.column_names import Kind
from germane.formats.columns import Columns, rank_problem
from germane.formats.detect import Detected, detect
from germane.formats.joined_parts import in_its_part
from germane.formats.registry import FORMATS
from germane.formats.sources import source_name
from germane.formats.text import RowError, TextRow
from germane.tables.counted import counted


@dataclass
class Checked:
    """What a check found. `counts` has the number of problems of each kind, `examples` the first of each."""

    source: str
    path: str | Path
    detected: Detected | None = None
    counts: Counter[str] = field(default_factory=Counter)
    examples: list[InputError] = field(default_factory=list)
    summary: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def num_problems(self) -> int:
        """How many problems there are, shown or not."""
        return self.counts.total()

    def add(self, problem: InputError, kind: str, max_examples: int) -> None:
        """Count a problem, and keep it while it is among the first of its kind."""
        self.counts[kind] += 1
        if self.counts[kind] <= max_examples:
            self.examples.append(in_its_part(problem, self.path))


def check(
    path: str | Path,
    kind: Kind | None = None,
    format: str | None = None,  # noqa: A002
    *,
    max_examples: int = 5,
) -> Checked:
    """Read a file to its end and gather what is wrong with it."""
    checked = Checked(source_name(path), path)
    rows: list[TextRow] = []
    try:
        with detect(path, kind, format) as detected:
            checked.detected = detected
            rows = list(_good_rows(FORMATS[detected.format].scan(detected), checked, max_examples))
    except InputError as error:
        neither = checked.detected is None and error.line is not None and kind is None and format is None
        checked.add(_of_another_file(error) if neither else error, "file", max_examples)
    if checked.detected is not None and not checked.num_problems and rows:
        _summarise(rows, checked, checked.detected)
    return checked


def _of_another_file(error: InputError) -> InputError:
    """What is neither a run nor judgments may be right as something else."""
    other = "`check` is for runs and judgments; `germane FILE` says what any file is, `germane classify` takes labels"
    return InputError(error.source, error.line, error.problem, hint="; ".join(filter(None, [error.hint, other])))


def _good_rows(rows: Iterable[TextRow | RowError], checked: Checked, max_examples: int) -> Iterator[TextRow]:
    for row in rows:
        problem = row if isinstance(row, RowError) else rank_problem(row, checked.source)
        if problem is not None:
            checked.add(problem, problem.kind, max_examples)
        elif isinstance(row, TextRow):
            yield row


def _summarise(rows: list[TextRow], checked: Checked, detected: Detected) -> None:
    columns = Columns.from_rows(rows, checked.source, detected.left_out)
    try:
        if detected.kind == "run":
            _summarise_run(columns, checked)
        else:
            _summarise_qrels(columns, checked)
    except InputError as error:  # what only shows in the table as a whole
        checked.add(error, "table", 1)
    checked.notes.extend(f"not used: {thing}" for thing in columns.left_out)


def _summarise_run(columns: Columns, checked: Checked) -> None:
    query, score, rank = columns.query, columns.value, columns.rank
    found = (
        f"{counted(len(columns.queries), 'query')}, {len(score)} documents, scores {score.min():g} to {score.max():g}"
    )
    order = np.lexsort((score, query))
    same = (np.diff(score[order]) == 0) & (np.diff(query[order]) == 0)
    tied = int((np.concatenate(([False], same)) | np.concatenate((same, [False]))).sum())
    checked.summary.append(f"{found}, {tied or 'none'} of them tied with another of the same query")
    if len(columns.tags) > 1:
        checked.notes.append(f"lines have {len(columns.tags)} different tags: {_few(columns.tags)}")
    if rank is not None:
        by_score = np.lexsort((rank, -score, query))
        backwards = (np.diff(rank[by_score]) < 0) & (np.diff(query[by_score]) == 0)
        if wrong := len(np.unique(query[by_score[1:][backwards]])):
            checked.notes.append(f"queries whose ranks disagree with their scores (the scores count): {wrong}")
    if int((np.diff(query) != 0).sum()) >= len(columns.queries):
        checked.notes.append("the lines of some queries are not together, which makes evaluating slower")


def _summarise_qrels(columns: Columns, checked: Checked) -> None:
    qrels = columns.to_qrels(checked.source)
    grades = [f"{count} of grade {grade:g}" for grade, count in sorted(Counter(qrels.grade.tolist()).items())]
    checked.summary.append(
        f"{counted(len(columns.queries), 'query')}, {len(qrels.docs)} judged documents, {_few(grades)}"
    )
    if qrels.groups is not None:
        checked.summary.append(f"{len(qrels.groups.labels)} groups: {_few(list(qrels.groups.labels))}")
    if without := int((qrels.num_relevant() == 0).sum()):
        checked.notes.append(f"queries without a document of grade 1 or more: {without}")


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
