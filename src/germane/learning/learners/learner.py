"""Catalogue of learners, and how each is given the rows of a ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from germane.catalogue import Catalogue, Entry
from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray
from germane.tables.rankings.ranking_data import RankingData


class Ranker(Protocol):
    """A fitted ranker: it scores rows."""

    def decision_function(self, X: Any) -> FloatArray: ...

    def to_json(self) -> dict[str, Any]: ...


SCIKIT_LEARN = "scikit-learn for fitting, not for ranking: `pip install 'germane[learn]'`"
LIGHTGBM = "LightGBM: `pip install 'germane[lightgbm]'`"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Learner(Entry):
    """A learner: a function of rows, C (None: its default) and the minimum relevant grade.

    `default_c` is None for a learner without C; `takes_rel` says whether grades become binary relevance; `ranker` names
    the module and class of the fitted model.
    """

    ranker: str
    default_c: float | None = None
    takes_rel: bool = False
    needs: str = ""

    @property
    def takes_c(self) -> bool:
        return self.default_c is not None

    def fit(self, data: RankingData, c: float | None, rel: float) -> Ranker:
        """Fit to rows."""
        learned: Ranker = self.target(data, c, rel)
        return learned

    @property
    def ranker_class(self) -> Any:
        """The class of the fitted model."""
        module, _, name = self.ranker.partition(":")
        return getattr(import_module(f"germane.learning.learners.{module}"), name)

    def restore(self, given: Mapping[str, Any]) -> Ranker:
        """Restore a fitted model."""
        learned: Ranker = self.ranker_class.from_json(given)
        return learned


LEARNERS = Catalogue("learner", Learner, Learner, example="ranking-svm")


@LEARNERS.add("ranking-svm", default_c=1.0, ranker="ranking_svm:RankingSVM")
def fit_ranking_svm(data: RankingData, c: float | None, rel: float) -> Ranker:
    """Ranking SVM: for pairs of documents of a query, score the better one higher by a margin."""
    from germane.learning.learners.ranking_svm import RankingSVM

    return RankingSVM(1.0 if c is None else c).fit(data.features, data.grades, data.query)


@LEARNERS.add("svm", default_c=1.0, takes_rel=True, ranker="svm:SVMClassifier", needs=SCIKIT_LEARN)
def fit_svm(data: RankingData, c: float | None, rel: float) -> Ranker:
    """SVM classifier: separate relevant from non-relevant documents by a margin; rank by the distance."""
    from germane.learning.learners.svm import SVMClassifier

    return SVMClassifier(1.0 if c is None else c).fit(data.features, _relevant(data, rel))


@LEARNERS.add("linear", takes_rel=True, ranker="linear_score:LinearScore")
def fit_linear(data: RankingData, c: float | None, rel: float) -> Ranker:
    """Linear score aα + bω + c by least squares, with a threshold, as in the lecture."""
    from germane.learning.learners.linear_score import LinearScore

    return LinearScore().fit(data.features, _relevant(data, rel))


@LEARNERS.add("ordinal", default_c=1.0, ranker="ordinal:OrderedLogit")
def fit_ordinal(data: RankingData, c: float | None, rel: float) -> Ranker:
    """Ordinal regression of the grades (ordered logit); its ridge is 1/C."""
    from germane.learning.learners.ordinal import OrderedLogit

    return OrderedLogit(ridge=1.0 if c is None else 1 / c).fit(data.features, data.grades)


@LEARNERS.add("lambdamart", ranker="lambdamart:LambdaMART", needs=LIGHTGBM)
def fit_lambdamart(data: RankingData, c: float | None, rel: float) -> Ranker:
    """LambdaMART: boosted trees that optimise nDCG (LightGBM)."""
    from germane.learning.learners.lambdamart import LambdaMART

    return LambdaMART().fit(data.features, data.grades, data.query)


def _relevant(data: RankingData, rel: float) -> Any:
    relevant = data.grades >= rel
    if relevant.all() or not relevant.any():
        which = "relevant" if relevant.all() else "non-relevant"
        raise GermaneError(f"expected relevant (grade {rel:g} or more) and non-relevant rows, found only {which} ones")
    return relevant.astype(np.int64)


def require_grades(data: RankingData) -> None:
    """Reject data with a single grade, from which nothing can be learned."""
    grades = np.unique(data.grades)
    if len(grades) == 1:
        hint = "check that qrels and topics use the same ids"
        raise GermaneError(f"expected rows with different grades, found only grade {grades[0]:g}", hint=hint)


def weights_of(ranker: Ranker, names: tuple[str, ...]) -> dict[str, float] | None:
    """Return the weight of each feature of a linear model; None for other models."""
    coef = getattr(ranker, "coef_", None)
    if coef is None or np.size(coef) != len(names):
        return None
    return dict(zip(names, np.asarray(coef, np.float64).ravel().tolist(), strict=True))
