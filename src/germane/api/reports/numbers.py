"""Numbers behind pages and figures, from results, judgments and runs, or labelled items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from germane.api.decisions.classification import classify
from germane.api.inputs import refuse_beside, subject_of
from germane.api.rankings.evaluation import DEFAULT_MEASURES, evaluate, load_qrels, several_runs
from germane.api.reports.decisions import DecisionNumbers, decision_numbers
from germane.api.reports.queries import run_of
from germane.api.reports.rankings import SINGLE_STEPS, Choices, RetrievalNumbers, retrieval_numbers
from germane.api.reports.regression import RegressionNumbers, regression_numbers
from germane.arguments import options_for
from germane.errors import GermaneError
from germane.formats.files.sources import STDIN
from germane.stats.thresholds.rules import parse_rule
from germane.tables.results.performances import Performances


def numbers_of(
    verb: str, data: Any, runs: Any, measures: Any, options: Mapping[str, Any]
) -> RetrievalNumbers | DecisionNumbers | RegressionNumbers:
    """Return the numbers behind a page or figure; evaluate the input unless it is a result.

    >>> numbers = numbers_of("plot", {"truth": [0, 1, 1, 0], "score": [0.1, 0.8, 0.4, 0.3]}, None, None, {})
    >>> numbers.views[0].stops.thresholds.tolist(), numbers.views[0].stops.true_positives.tolist()
    ([0.1, 0.3, 0.4, 0.5, 0.8, inf], [2, 2, 2, 1, 1, 0])
    """
    subject = subject_of(verb, data, runs)
    if subject in ("scores", "performances"):
        refuse_beside(verb, measures=measures)
    if subject == "scores":
        own, choices = options_for(verb, options, retrieval_numbers, Choices)
        return retrieval_numbers(data, choices, **own)
    if subject == "rankings":
        own, choices, reading = options_for(verb, options, retrieval_numbers, Choices, evaluate)
        reading = {name: value for name, value in reading.items() if name not in {*own, *choices}}
        return retrieval_numbers(_evaluated(data, runs, measures, reading, **own), choices, **own)
    if subject == "performances":
        (own,) = options_for(verb, options, decision_numbers)
        return _of_items(data, own)
    given = options if measures is None else {**options, "measures": measures}
    own, how = options_for(verb, given, decision_numbers, classify)
    for rule in own.get("rules", ()):
        parse_rule(rule)  # report a wrong rule before the computation
    return _of_items(classify(data, **how), own)


def _of_items(found: Performances, own: Mapping[str, Any]) -> DecisionNumbers | RegressionNumbers:
    """Return the numbers of classifiers, or of predicted numbers."""
    if found[0].task != "regression":
        return decision_numbers(found, **own)
    if own.get("rules"):
        raise GermaneError("`rules=` requires scores, found predicted numbers", hint="remove `rules=`")
    return regression_numbers(found)


def _evaluated(qrels: Any, runs: Any, measures: Any, reading: dict[str, Any], progress: Any = None, **_: Any) -> Any:
    """Evaluate runs; standard input cannot be read again, so it is kept in memory."""
    if _is_stdin(qrels):
        qrels = load_qrels(qrels, format=reading.pop("qrels_format", None))
    if any(map(_is_stdin, several_runs(runs))):
        runs = [run_of(run, STDIN, reading.get("run_format")) if _is_stdin(run) else run for run in several_runs(runs)]
    if progress is not None:
        reading["progress"] = lambda done, total: progress(done, 3 * total + len(SINGLE_STEPS))
    return evaluate(qrels, runs, measures or DEFAULT_MEASURES, **reading)


def _is_stdin(source: Any) -> bool:
    return isinstance(source, str) and source == STDIN
