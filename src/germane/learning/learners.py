"""The learners by the names people type, and how each is given rows of a ranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from germane.errors import GermaneError, did_you_mean
from germane.tables.ids import FloatArray
from germane.tables.ranking_data import RankingData
from germane.tables.spelling import known_name


class Ranker(Protocol):
    """What has learned: a score for each row."""

    def decision_function(self, X: Any) -> FloatArray: ...

    def to_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Learner:
    """A way to learn: `fit` takes rows, C (None: its own default) and the least grade that is relevant.

    `default_c` is None for one that has no C; `takes_rel` says whether grades become relevant and not.
    """

    name: str
    summary: str
    default_c: float | None
    takes_rel: bool
    fit: Callable[[RankingData, float | None, float], Ranker]
    restore: Callable[[Mapping[str, Any]], Ranker]

    @property
    def takes_c(self) -> bool:
        return self.default_c is not None


def learner_of(name: str) -> Learner:
    """By the name that a person types."""
    known = known_name(name, LEARNERS)
    if known is None:
        hint = f"there are: {', '.join(LEARNERS)}"
        raise GermaneError(f"no learner is called {name!r}{did_you_mean(name, LEARNERS)}", hint=hint)
    return LEARNERS[known]


def require_grades(data: RankingData) -> None:
    """Nothing can be learned from one grade only."""
    grades = np.unique(data.grades)
    if len(grades) == 1:
        hint = "are these the judgments of these topics?"
        raise GermaneError(f"expected rows of different grades, found only the grade {grades[0]:g}", hint=hint)


def weights_of(ranker: Ranker, names: tuple[str, ...]) -> dict[str, float] | None:
    """What a linear learner multiplies each feature by; None for others."""
    coef = getattr(ranker, "coef_", None)
    weights = None if coef is None else np.asarray(coef, np.float64)
    if weights is None or weights.size != len(names):
        return None
    return dict(zip(names, weights.ravel().tolist(), strict=True))


def _fit_ranking_svm(data: RankingData, c: float | None, rel: float) -> Ranker:
    from germane.learning.ranking_svm import RankingSVM

    return RankingSVM(1.0 if c is None else c).fit(data.features, data.grades, data.query)


def _fit_svm(data: RankingData, c: float | None, rel: float) -> Ranker:
    from germane.learning.svm import SVMClassifier

    return SVMClassifier(1.0 if c is None else c).fit(data.features, _relevant(data, rel))


def _fit_linear(data: RankingData, c: float | None, rel: float) -> Ranker:
    from germane.learning.linear_score import LinearScore

    return LinearScore().fit(data.features, _relevant(data, rel))


def _fit_ordinal(data: RankingData, c: float | None, rel: float) -> Ranker:
    from germane.learning.ordinal import OrderedLogit

    return OrderedLogit(ridge=1.0 if c is None else 1 / c).fit(data.features, data.grades)


def _fit_lambdamart(data: RankingData, c: float | None, rel: float) -> Ranker:
    from germane.learning.lambdamart import LambdaMART

    return LambdaMART().fit(data.features, data.grades, data.query)


def _relevant(data: RankingData, rel: float) -> Any:
    relevant = data.grades >= rel
    if relevant.all() or not relevant.any():
        which = "relevant" if relevant.all() else "not relevant"
        raise GermaneError(f"expected relevant rows (grade {rel:g} or more) and others, found all {which}")
    return relevant.astype(np.int64)


def _restore(module: str, name: str) -> Callable[[Mapping[str, Any]], Ranker]:
    def restore(given: Mapping[str, Any]) -> Ranker:
        from importlib import import_module

        learned: Ranker = getattr(import_module(f"germane.learning.{module}"), name).from_json(given)
        return learned

    return restore


LEARNERS = {
    learner.name: learner
    for learner in (
        Learner(
            "ranking-svm", "pairs of documents of one query, the better one higher by a margin", 1.0, False,
            _fit_ranking_svm, _restore("ranking_svm", "RankingSVM"),
        ),
        Learner(
            "svm", "relevant or not, by a margin; the distance from it ranks", 1.0, True,
            _fit_svm, _restore("svm", "SVMClassifier"),
        ),
        Learner(
            "linear", "the lecture's aα + bω + c by least squares, with a threshold", None, True,
            _fit_linear, _restore("linear_score", "LinearScore"),
        ),
        Learner(
            "ordinal", "grades in their order, by an ordered logit; its ridge is 1/C", 1.0, False,
            _fit_ordinal, _restore("ordinal", "OrderedLogit"),
        ),
        Learner(
            "lambdamart", "boosted trees for nDCG (LightGBM)", None, False,
            _fit_lambdamart, _restore("lambdamart", "LambdaMART"),
        ),
    )
}  # fmt: skip
"""By name."""
