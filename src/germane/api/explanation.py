"""`explain`: the terms behind one number of a ranking, of labelled items, or of a document's score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack, overload

from germane.api.decisions.explanation import explain_items, explain_performance
from germane.api.inputs import refuse_beside, require_inputs, subject_of
from germane.api.label_sets.explanation import explain_label_sets
from germane.api.options import ExplainOptions
from germane.api.rankings.evaluation import judged_runs, named_runs
from germane.arguments import checked, options_for
from germane.errors import GermaneError
from germane.measures.decisions.explain import DecisionExplanation
from germane.measures.definition import MEASURES
from germane.measures.explain import Explanation
from germane.measures.explain import explain as explain_measure
from germane.tables.rankings.measure import Measure
from germane.tables.results.comparison import SystemComparison
from germane.tables.results.performances import Performances
from germane.tables.results.result import Result
from germane.tables.results.scores import RunInfo, Scores

if TYPE_CHECKING:
    from germane.retrieval.explain import ScoreExplanation
    from germane.retrieval.indexes.index import Index
    from germane.retrieval.models import Model
    from germane.retrieval.query import Query
    from germane.types import LabelSetsLike, LabelsLike, MatrixLike, QrelsLike, RunLike, TableLike

MAX_LISTED_RUNS = 3
"""Maximum number of a folder's runs listed in an error message."""


@overload
def explain(
    what: str | Measure, data: QrelsLike, run: RunLike, query: str = ..., **options: Unpack[ExplainOptions]
) -> Explanation: ...
@overload
def explain(
    what: Scores | SystemComparison, data: str | Measure, run: str | None = ..., query: str = ...
) -> Explanation: ...
@overload
def explain(
    what: str | Performances,
    data: TableLike | LabelsLike | LabelSetsLike | MatrixLike,
    **options: Unpack[ExplainOptions],
) -> DecisionExplanation: ...
@overload
def explain(what: Index, data: str | Query, run: str, *, model: str | Model = ...) -> ScoreExplanation: ...
@checked
def explain(
    what: str | Measure | Result | Index,
    data: str | Measure | Query | QrelsLike | TableLike | LabelsLike | LabelSetsLike | MatrixLike,
    run: RunLike | None = None,
    query: str = "",
    **options: Unpack[ExplainOptions],
) -> Explanation | DecisionExplanation | ScoreExplanation:
    """Break one number down into its terms, which are computed from the same values as the number.

    A measure with judgments, a run and a query is explained rank by rank; a measure with a table of items (a file or
    frame, or arrays) threshold by threshold if the items have scores, else by its formula with the numbers: a rate is
    that of the predictions, if there are any, or of the decisions at a `threshold`. With ``matrix=True`` the data are a
    file with a confusion matrix, and the rate is that of the positive class against the rest. With
    ``task="label-sets"`` an average is explained label by label, and a mean over items item by item. A class or an
    average is named in brackets: ``F1[macro]``; `labels` are the classes of predictions in their order, and
    ``invert=True`` explains the opposite of a classifier of two classes. For a result, name the measure, and for scores
    also the run and the query, by their ids. An index, a query and the id of a document give the terms of the
    document's score by a `model`.

    >>> print(explain("AP", {"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, "q1").last_line)
    AP = 0.5 / 1 = 0.5000, with R = 1
    >>> explain("TPR", [1, 1, 0], y_pred=[1, 0, 0]).value
    0.5
    """
    subject = subject_of("explain", what, run)
    if subject == "index":
        (how,) = options_for("explain", options, _of_document)
        return _of_document(what, data, run, **how)
    if isinstance(what, Performances):
        refuse_beside("explain", run=run, query=query)
        (how,) = options_for("explain", options, explain_performance)
        return explain_performance(str(data), what.only, **how)
    if isinstance(what, Scores | SystemComparison):
        options_for("explain", options)
        return _of_scores(what if isinstance(what, Scores) else what.scores, data, run, query)
    if subject == "rankings":
        (how,) = options_for("explain", options, judged_runs)
        return _of_ranking(what, query, data, _only_run(run), how)
    given: dict[str, Any] = dict(options)
    task = given.pop("task", "classes")
    if task not in ("classes", "label-sets"):
        hint = f"use `germane classify --task {task} -m {what}` for its value"
        raise GermaneError(f"{what} has no breakdown for task {task}", hint=hint)
    explained = explain_items if task == "classes" else explain_label_sets
    (how,) = options_for("explain", given, explained)
    return explained(str(what), data, **how)


def _of_ranking(
    measure: Any, query: str, qrels: Any, named: list[tuple[RunInfo, Any]], how: dict[str, Any]
) -> Explanation:
    (judged,) = judged_runs(qrels, named, **how)
    return explain_measure(MEASURES.of_version(how.get("trec_version", 10)).parse(measure), judged, query)


def _of_scores(scores: Scores, measure: Any, run: Any, query: str) -> Explanation:
    """Explain the run of this name, which is read again; without a name, the only one."""
    if run is None and len(scores.runs) > 1:
        listed = ", ".join(each.name for each in scores.runs)
        problem = f"expected one run to explain, found {len(scores.runs)}"
        raise GermaneError(problem, hint=f"choose from {listed}: `run=…`")
    name = scores.runs[0 if run is None else scores.run_index(str(run))].name
    (qrels, runs, _), options = require_inputs(scores)
    return _of_ranking(measure, query, qrels, [named for named in named_runs(runs) if named[0].name == name], options)


def _only_run(run: Any) -> list[tuple[RunInfo, Any]]:
    """Return the only run; a folder with several is an error."""
    named = named_runs([run])
    if len(named) > 1:
        paths = [str(path) for _, path in named]
        more = ", …" if len(paths) > MAX_LISTED_RUNS else ""
        hint = f"name one of them: {', '.join(paths[:MAX_LISTED_RUNS])}{more}"
        raise GermaneError(f"expected one run, found {len(paths)} in {run}", hint=hint)
    return named


def _of_document(index: Any, query: Any, document: Any, *, model: str | Model = "BM25") -> ScoreExplanation:
    from germane.retrieval.explain import explain_score

    if document is None:
        raise GermaneError("expected the id of a document, found none", hint="use explain(index, query, document)")
    return explain_score(index, query, str(document), model=model)
