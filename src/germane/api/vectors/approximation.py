"""Evaluate approximate indexes: recall of the exact top k, and the loss in quality with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from germane.api.comparisons.family_intervals import asked_for_means
from germane.api.comparisons.systems import compare_systems
from germane.api.rankings.evaluation import evaluate, load_qrels, path_of
from germane.api.vectors.evaluation import without_notes_on_judging
from germane.api.vectors.inputs import require_shared_queries
from germane.api.vectors.nearest import left_out, one_embedding
from germane.arguments import checked
from germane.errors import GermaneError
from germane.formats.learning.vector_file import open_vectors
from germane.formats.rankings.ranking_files import read_run
from germane.formats.rows.memory import run_from
from germane.tables.notes.note import Note
from germane.tables.results.columns import Table
from germane.tables.results.comparison import SystemComparison
from germane.tables.results.result import Result
from germane.tables.results.scores import Scores
from germane.vectors.approximate import Answers, as_truth, credited
from germane.vectors.counting import TieOrder
from germane.vectors.matrix import Vectors
from germane.vectors.similarity import similarity_called
from germane.vectors.top_k import nearest_rows

if TYPE_CHECKING:
    from germane.types import IdsLike, MeasuresLike, Progress, QrelsLike, RunsLike, VectorsLike

EXACT = "exact"


@dataclass(frozen=True, eq=False)
class Approximation(Result):
    """Result of `approximation`: approximate indexes compared with exact search.

    `recall` is the share of the exact top k that each index found, by query, with the interval of its mean.
    `comparison` has the exact top k as its baseline: a difference below 0 is the cost of approximation. It is None
    without judgments.
    """

    recall: Scores
    comparison: SystemComparison | None
    notes: tuple[Note, ...] = ()

    schema: ClassVar[str] = "vectors-approximate/1"

    def tables(self) -> Iterator[Table]:
        """Yield the recall, and the tables of the comparison."""
        title = "Recall of the exact top k, with the interval of its mean"
        yield replace(self.recall.table(), name="recall", title=title)
        if self.comparison is not None:
            yield from self.comparison.tables()

    def shown(self, *, digits: int = 4) -> Iterator[Table | str]:
        """Yield the recall, then the cost of approximation."""
        yield self.table("recall")
        if self.comparison is not None:
            yield "Cost of approximation: approximate − exact\n"
            yield from self.comparison.shown(digits=digits)

    def document(self) -> dict[str, Any]:
        """Return both results, as in `eval` and `compare`."""
        costs = None if self.comparison is None else self.comparison.to_dict()
        return {"recall": self.recall.to_dict(), "comparison": costs}


@checked
def approximation(
    approximate: RunsLike | VectorsLike,
    queries: VectorsLike,
    docs: VectorsLike | None = None,
    *,
    k: int = 10,
    qrels: QrelsLike | None = None,
    measures: MeasuresLike | None = None,
    similarity: str = "cosine",
    query_ids: IdsLike | None = None,
    doc_ids: IdsLike | None = None,
    dtype: str | None = None,
    exclude_self: bool | None = None,
    ties: TieOrder = "docno",
    interval: str = "t",
    level: float = 0.95,
    test: str = "t",
    seed: int = 0,
    progress: Progress | None = None,
) -> Approximation:
    """Measure approximate indexes against the exact top k of the same vectors.

    `approximate` is what an index returned, or several by name: a run, or an array (a .npy file) with the rows of the
    documents, best first, one row for each query, -1 for none. A document whose exact score equals that of the k-th
    counts as the k-th. With `qrels`, the cost of approximation is computed by `measures` (nDCG@k) on the top k of both.

    >>> queries, docs = [[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    >>> found = approximation(np.array([[0, 2], [2, 1]]), queries, docs, k=2)
    >>> found.recall.mean()
    {'approximate': {'R@2': 0.75}}
    """
    if measures is not None and qrels is None:
        raise GermaneError("measures require judgments, found none", hint="pass qrels, or remove measures (-m)")
    embedding = one_embedding(queries, docs, query_ids, doc_ids, dtype)
    asked, document = embedding.queries, embedding.docs
    excluded = left_out(embedding, exclude_self)
    chosen = similarity_called(similarity)
    named = approximate if isinstance(approximate, Mapping) else {None: approximate}
    answers = [_answers(source, name, asked, document).without(excluded) for name, source in named.items()]
    if EXACT in (given.name for given in answers):
        problem = f"the name {EXACT!r} is reserved for the exact top k"
        raise GermaneError(problem, hint="give the approximate index another name")
    exact = nearest_rows(asked, document, k, chosen, excluded=excluded, ties=ties, progress=progress)
    matched = [credited(given, exact, asked, document, chosen).to_run(asked.ids, document.ids, k) for given in answers]
    truth = as_truth(exact, asked.ids, document.ids)
    found = evaluate(truth, _by_name(matched), [f"R@{k}"], interval=interval, level=level, seed=seed)
    infos = [replace(info, path=path_of(source)) for info, source in zip(found.runs, named.values(), strict=True)]
    # A document outside of the exact top k is wrong, not unjudged.
    recall = replace(without_notes_on_judging(found), runs=tuple(infos))
    notes = [note for given in answers for note in _notes(given, k)]
    if qrels is None:
        return Approximation(recall, None, (*notes, *recall.notes))
    both = [exact.to_run(asked.ids, document.ids, name=EXACT)]
    both += [given.to_run(asked.ids, document.ids, k) for given in answers]
    judgments = load_qrels(qrels)
    if query_ids is None:
        require_shared_queries(judgments, embedding)
    scores = evaluate(judgments, _by_name(both), [f"nDCG@{k}"] if measures is None else measures)
    own = asked_for_means(scores, EXACT, interval, level, test)
    comparison = compare_systems(scores, baseline=EXACT, test=test, seed=seed, **own)
    return Approximation(recall, comparison, (*notes, *recall.notes, *comparison.notes))


def _answers(source: Any, name: Any, queries: Vectors, docs: Vectors) -> Answers:
    """Load the answers of an index, from a run or an array."""
    is_path = isinstance(source, str | Path)
    usual = Path(source).stem if is_path else "approximate"
    shown = usual if name is None else str(name)
    if is_path and Path(source).suffix == ".npy":
        return Answers.of_rows(open_vectors(source), queries.num, docs.num, name=shown)
    if isinstance(source, np.ndarray) and source.ndim == 2:
        return Answers.of_rows(source, queries.num, docs.num, name=shown)
    run = read_run(source) if is_path else run_from(source, name=shown)
    return Answers(Answers.of_run(run, queries.ids, docs.ids).doc, shown)


def _by_name(runs: list[Any]) -> dict[str, Any]:
    return {run.name: run for run in runs}


def _notes(answers: Answers, k: int) -> list[Note]:
    """Return notes on reasons for a low recall other than the index."""
    notes = []
    if answers.num_excluded:
        what = "returned documents do not count, such as the query itself; request that many more from the index"
        notes.append(Note("excluded-documents", str(answers.num_excluded), what, answers.name, answers.num_excluded))
    short = int(((answers.doc >= 0).sum(axis=1) < k).sum())
    if short:
        what = f"queries have fewer than {k} documents; the rest count as not retrieved"
        notes.append(Note("fewer-than-k", f"{short} of {len(answers.doc)}", what, answers.name, short))
    return notes
