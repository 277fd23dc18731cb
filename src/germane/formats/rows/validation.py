"""Check run and qrels files: report every problem or, if there is none, a summary of the content."""

# ruff: noqa: A002 - what a file is in is called its format everywhere
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from germane.errors import InputError
from germane.formats.files.part_folders import in_its_part
from germane.formats.files.sources import source_name
from germane.formats.rankings.detect import FORMATS, detect
from germane.formats.rankings.entry import Detected
from germane.formats.rankings.pieces import Advance, StrictReaderNeededError, columns_of
from germane.formats.rankings.scan import re_readable
from germane.formats.rankings.survey import InterleavedError, Survey, Totals, survey_problems
from germane.formats.rows.column_names import Kind
from germane.formats.rows.columns import Columns, rank_problem, with_extra_fields
from germane.formats.rows.text import RowError, TextRow
from germane.tables.columns.ids import Ids
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

    def clear(self) -> None:
        """Forget all problems, to read the file in another way."""
        self.counts.clear()
        self.examples.clear()

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


def check(
    path: str | Path,
    kind: Kind | None = None,
    format: str | None = None,
    *,
    max_examples: int = 5,
    advance: Advance | None = None,
) -> Checked:
    """Read a whole file and collect its problems; `advance` is told how much was read, and of how much."""
    checked = Checked(source_name(path), path)
    try:
        with re_readable(path) as file, detect(file, kind, format) as found:
            detected = replace(found, path=path if isinstance(path, str) else str(path))
            checked.content = _in_words(detected, kind)
            _check_content(checked, detected, file, max_examples, advance)
    except InputError as error:
        neither = not checked.content and error.line is not None and kind is None and format is None
        checked.add(_of_another_file(error) if neither else error, "file", max_examples)
    return checked


def _check_content(
    checked: Checked, detected: Detected, file: str | Path, max_examples: int, advance: Advance | None
) -> None:
    """Survey a file; where that is not possible, read it row by row."""
    try:
        survey = _surveyed(checked, detected, file, max_examples, advance)
        if not survey.queries and not checked.num_problems:  # the strict reader says what was expected
            raise StrictReaderNeededError
    except StrictReaderNeededError:
        checked.clear()
        rows = list(_good_rows(FORMATS[detected.format].scan(detected), checked, max_examples))
        if rows and not checked.num_problems:
            facts = Facts.of_columns(Columns.from_rows(rows, checked.source, detected.left_out))
            _summarise(facts, checked, detected)
        return
    if not checked.num_problems:
        _summarise(Facts.of_survey(survey, detected), checked, detected)


def _surveyed(
    checked: Checked, detected: Detected, file: str | Path, max_examples: int, advance: Advance | None
) -> Survey:
    is_run = detected.kind == "run"
    for interleaved in (False, True):
        survey = Survey(detected.source, is_run=is_run, keep=not is_run)
        try:
            for problem in survey_problems(survey, detected, file, interleaved=interleaved, advance=advance):
                checked.add(problem, problem.kind, max_examples)
        except InterleavedError:
            checked.clear()
        else:
            break
    return survey


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


@dataclass(frozen=True)
class Facts:
    """What the summary of a file without problems says; `columns` are those of judgments."""

    num_queries: int
    totals: Totals
    tags: Sequence[str]
    interleaved: bool
    left_out: tuple[str, ...]
    columns: Columns | None = None

    @classmethod
    def of_survey(cls, survey: Survey, detected: Detected) -> Facts:
        if survey.kept is not None:
            columns = columns_of(survey.kept, is_run=False, left_out=detected.left_out)
            return cls(len(columns.queries), survey.totals(), (), survey.interleaved, columns.left_out, columns)
        left_out = with_extra_fields(detected.left_out, survey.num_extra)
        tags = list(Ids.of(survey.labels))
        return cls(len(survey.queries), survey.totals(), tags, survey.interleaved, left_out)

    @classmethod
    def of_columns(cls, columns: Columns) -> Facts:
        query, score, rank = columns.query, columns.value, columns.rank
        order = np.lexsort((score, query))
        score, ordered = score[order], query[order]
        same = (score[1:] == score[:-1]) & (ordered[1:] == ordered[:-1])  # a difference of scores may overflow
        tied = int((np.concatenate(([False], same)) | np.concatenate((same, [False]))).sum())
        contradicted = 0
        if rank is not None:
            by_score = np.lexsort((rank, -columns.value, query))
            rank, ordered = rank[by_score], query[by_score]
            contradicted = len(np.unique(ordered[1:][(rank[1:] < rank[:-1]) & (ordered[1:] == ordered[:-1])]))
        totals = Totals(len(score), tied, contradicted, float(score.min()), float(score.max()), only_ranks=False)
        interleaved = int((np.diff(query) != 0).sum()) >= len(columns.queries)
        return cls(len(columns.queries), totals, columns.tags, interleaved, columns.left_out, columns)


def _summarise(facts: Facts, checked: Checked, detected: Detected) -> None:
    try:
        if detected.kind == "run":
            summarise_run(facts, checked)
        elif facts.columns is not None:
            summarise_qrels(facts.columns, checked)
    except InputError as error:  # errors visible only in the whole table
        checked.add(error, "table", 1)
    checked.remarks.extend(f"not used: {thing}" for thing in facts.left_out)


def summarise_run(facts: Facts, checked: Checked) -> None:
    """Add the summary of a run without problems."""
    totals = facts.totals
    scores = f"scores {totals.least + 0.0:g} to {totals.greatest + 0.0:g}"  # 0, never -0
    found = f"{counted(facts.num_queries, 'query')}, {counted(totals.num_rows, 'document')}, {scores}"
    checked.summary.append(f"{found}, {totals.num_tied or 'none'} tied with another document of the same query")
    if len(facts.tags) > 1:
        checked.remarks.append(f"lines have {len(facts.tags)} different tags, so none is used: {few(facts.tags)}")
    if wrong := totals.num_contradicted:
        checked.remarks.append(f"{counted(wrong, 'query')} with ranks that contradict the scores; scores are used")
    if facts.interleaved:
        checked.remarks.append("lines are not grouped by query, so evaluation is slower")


def summarise_qrels(columns: Columns, checked: Checked) -> None:
    """Add the summary of judgments without problems."""
    qrels = columns.to_qrels(checked.source)
    grades = [f"{count:,} of grade {grade:g}" for grade, count in sorted(Counter(qrels.grade.tolist()).items())]
    queries, docs = counted(len(columns.queries), "query"), counted(len(qrels.docs), "judged document")
    checked.summary.append(f"{queries}, {docs}, {few(grades)}")
    if qrels.groups is not None:
        checked.summary.append(f"{len(qrels.groups.labels)} groups: {few(list(qrels.groups.labels))}")
    if without := int((qrels.num_relevant() == 0).sum()):
        what = "without a relevant document (grade ≥ 1); most measures score them 0"
        checked.remarks.append(f"{counted(without, 'query')} {what}")


def few(names: Sequence[str]) -> str:
    """Return the first names of a list."""
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
