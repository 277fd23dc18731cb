"""Check run and qrels files: report every problem or, if there is none, a summary of the content."""

# ruff: noqa: A002 - what a file is in is called its format everywhere
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from germane.errors import InputError
from germane.formats.files.part_folders import in_its_part
from germane.formats.files.sources import source_name
from germane.formats.rankings.detect import FORMATS, detect
from germane.formats.rankings.entry import Detected
from germane.formats.rows.column_names import Kind
from germane.formats.rows.columns import Columns, rank_problem
from germane.formats.rows.text import RowError, TextRow
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result

PROBLEMS = (
    F("file", "name"),
    F("line", "count", empty=""),
    F("kind", "text"),
    F("problem", "text"),
    F("hint", "text", people="filled"),
)
FILES = (
    F("file", "name"),
    F("content", "text"),
    F("num_problems", "count", "problems"),
    F("counts", "count", people=False),
    F("summary", "list"),
    F("remarks", "list"),
)


@dataclass
class Checked:
    """The result of checking one file: `counts` of problems by kind, and `examples`, the first ones of each kind.

    `content` describes the format and kind of the file; it is empty if unknown.
    """

    source: str
    path: str | Path
    content: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    examples: list[tuple[str, InputError]] = field(default_factory=list)
    summary: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def num_problems(self) -> int:
        """Number of problems, shown or not."""
        return self.counts.total()

    def add(self, problem: InputError, kind: str, max_examples: int) -> None:
        """Count a problem, and keep it if it is among the first of its kind."""
        self.counts[kind] += 1
        if self.counts[kind] <= max_examples:
            self.examples.append((kind, in_its_part(problem, self.path)))

    def lines(self) -> Iterator[str]:
        """Yield the lines of the text report."""
        if self.content:
            yield f"{self.source}: {self.content}"
        for _, problem in self.examples:
            yield f"  {problem}".replace("\n", "\n  ")
        for kind, count in (self.counts - Counter(kind for kind, _ in self.examples)).items():
            yield f"  … and {count} more of kind '{kind}'"
        if self.num_problems:
            yield f"  {counted(self.num_problems, 'problem')}"
        yield from (f"  {line}" for line in self.summary)
        yield from (f"  note: {remark}" for remark in self.remarks)


@dataclass(frozen=True, eq=False)
class FileCheck(Result):
    """The result of checking files: the first problems of each kind, and a summary of files without problems."""

    files: tuple[Checked, ...]
    notes: tuple[Note, ...] = ()

    schema: ClassVar[str] = "check/1"

    @property
    def num_wrong(self) -> int:
        """Number of files with problems."""
        return sum(bool(file.num_problems) for file in self.files)

    def tables(self) -> Iterator[Table]:
        """Yield the tables of problems and of files."""
        rows = [
            {"file": file.source, "kind": kind, "line": each.line, "problem": each.problem, "hint": each.hint}
            for file in self.files
            for kind, each in file.examples
        ]
        yield table("problems", PROBLEMS, rows)
        yield table("files", FILES, [{**vars(f), "file": f.source, "num_problems": f.num_problems} for f in self.files])

    def shown(self, *, digits: int = 4) -> Iterator[str]:
        """Yield the problems or the summary of each file, as text."""
        yield "".join(f"{line}\n" for file in self.files for line in file.lines())


def check(path: str | Path, kind: Kind | None = None, format: str | None = None, *, max_examples: int = 5) -> Checked:
    """Read a whole file and collect its problems."""
    checked = Checked(source_name(path), path)
    rows: list[TextRow] = []
    try:
        with detect(path, kind, format) as detected:
            checked.content = _in_words(detected, kind)
            rows = list(_good_rows(FORMATS[detected.format].scan(detected), checked, max_examples))
    except InputError as error:
        neither = not checked.content and error.line is not None and kind is None and format is None
        checked.add(_of_another_file(error) if neither else error, "file", max_examples)
    if checked.content and not checked.num_problems and rows:
        _summarise(rows, checked, detected)
    return checked


def _in_words(detected: Detected, kind: Kind | None) -> str:
    what = "a run" if detected.kind == "run" else "judgments"
    inferred = kind is None and not FORMATS[detected.format].has_fixed_fields
    override = "; kind inferred, change with --kind" if inferred else ""
    return f"{what} in {detected.format} format ({detected.why}){override}"


def _of_another_file(error: InputError) -> InputError:
    """Add a hint that a file which is neither a run nor judgments may be a valid file of another type."""
    other = "`check` is for runs and judgments; run `germane FILE` to identify a file, `germane classify` for labels"
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
        (_summarise_run if detected.kind == "run" else _summarise_qrels)(columns, checked)
    except InputError as error:  # errors visible only in the whole table
        checked.add(error, "table", 1)
    checked.remarks.extend(f"not used: {thing}" for thing in columns.left_out)


def _summarise_run(columns: Columns, checked: Checked) -> None:
    query, score, rank = columns.query, columns.value, columns.rank
    queries = counted(len(columns.queries), "query")
    found = f"{queries}, {counted(len(score), 'document')}, scores {score.min():g} to {score.max():g}"
    order = np.lexsort((score, query))
    same = (np.diff(score[order]) == 0) & (np.diff(query[order]) == 0)
    tied = int((np.concatenate(([False], same)) | np.concatenate((same, [False]))).sum())
    checked.summary.append(f"{found}, {tied or 'none'} tied with another document of the same query")
    if len(columns.tags) > 1:
        checked.remarks.append(f"lines have {len(columns.tags)} different tags, so none is used: {_few(columns.tags)}")
    if rank is not None:
        by_score = np.lexsort((rank, -score, query))
        backwards = (np.diff(rank[by_score]) < 0) & (np.diff(query[by_score]) == 0)
        if wrong := len(np.unique(query[by_score[1:][backwards]])):
            checked.remarks.append(f"{counted(wrong, 'query')} with ranks that contradict the scores; scores are used")
    if int((np.diff(query) != 0).sum()) >= len(columns.queries):
        checked.remarks.append("lines are not grouped by query, so evaluation is slower; germane convert groups them")


def _summarise_qrels(columns: Columns, checked: Checked) -> None:
    qrels = columns.to_qrels(checked.source)
    grades = [f"{count} of grade {grade:g}" for grade, count in sorted(Counter(qrels.grade.tolist()).items())]
    queries = counted(len(columns.queries), "query")
    checked.summary.append(f"{queries}, {len(qrels.docs)} judged documents, {_few(grades)}")
    if qrels.groups is not None:
        checked.summary.append(f"{len(qrels.groups.labels)} groups: {_few(list(qrels.groups.labels))}")
    if without := int((qrels.num_relevant() == 0).sum()):
        what = "without a relevant document (grade ≥ 1); most measures score them 0"
        checked.remarks.append(f"{counted(without, 'query')} {what}")


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
