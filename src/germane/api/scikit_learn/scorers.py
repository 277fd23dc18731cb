"""`germane.sklearn.scorer`: any measure as a scorer of scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from germane.api.options import Average, ScorerOptions
from germane.api.scikit_learn.scored_measure import ScoredMeasure
from germane.arguments import checked
from germane.errors import GermaneError, MissingExtraError
from germane.tables.decisions.confusion import Label

if TYPE_CHECKING:
    from germane.api.scikit_learn.measure_scorer import MeasureScorer


@checked
def scorer(
    measure: str,
    *,
    average: Average | None = None,
    positive: Label | None = None,
    greater_is_better: bool | None = None,
    **options: Unpack[ScorerOptions],
) -> MeasureScorer:
    """Return a measure as a scorer, for `cross_validate`, `GridSearchCV` and whatever else takes `scoring`.

    The measure is any of `germane measures`, by any of its names and with its parameters: ``"F2"``, ``"log_loss"``,
    ``"partial_AUC(max_fpr=0.2)"``, ``"RMSE"``, or with an average or a class in brackets: ``"F1[macro]"``. `classify`
    computes it from what it needs: `predict`, `decision_function` or else `predict_proba`, `predict_proba` alone, or
    `score_samples`. A measure of which lower values are better is negated, as in scikit-learn. A measure without a
    better direction, such as bias, needs `greater_is_better`.

    `positive` (`pos_label` is an alias), `average` and `zero_division` mean what they mean in scikit-learn, but 0 / 0
    is NaN by default. Without `positive` it is the usual one of two labels, as 1 of 0 and 1.

    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.1], [0.4], [0.35], [0.8]], [0, 0, 1, 1]
    >>> model = LogisticRegression().fit(X, y)
    >>> scorer("AUC")(model, X, y), scorer("ERR")(model, X, y)
    (0.75, -0.25)
    >>> scorer("log_loss")
    scorer('log_loss', greater_is_better=False)
    """
    chosen = ScoredMeasure.of(measure, average, positive, dict(options))
    better = chosen.better
    if greater_is_better is None and better == "neither":
        hint = f"for example scorer({str(chosen)!r}, greater_is_better=True)"
        raise GermaneError(f"no better direction is known for {chosen}", hint=hint)
    if greater_is_better is not None and better != "neither" and greater_is_better != (better == "higher"):
        problem = f"{better} values of {chosen} are better, found greater_is_better={greater_is_better}"
        raise GermaneError(problem, hint="remove `greater_is_better=`")
    try:
        from germane.api.scikit_learn.measure_scorer import MeasureScorer
    except ImportError:
        raise MissingExtraError("germane.sklearn", "sklearn") from None
    return MeasureScorer(chosen, greater_is_better=greater_is_better or better == "higher")
