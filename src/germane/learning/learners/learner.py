"""The learners by the names people type, and how each is given rows of a ranking."""

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
    """What has learned: a score for each row."""

    def decision_function(self, X: Any) -> FloatArray: ...

    def to_json(self) -> dict[str, Any]: ...


SCIKIT_LEARN = "scikit-learn to learn, not to rank: `pip install 'germane[learn]'`"
LIGHTGBM = "LightGBM: `pip install 'germane[lightgbm]'`"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Learner(Entry):
    """A way to learn: a function of rows, C (None: its own default) and the least grade that is relevant.

    `default_c` is None for one that has no C; `takes_rel` says whether grades become relevant and not; `ranker` is the
    file and the class of what it learns.
    """

    ranker: str
    default_c: float | None = None
    takes_rel: bool = False
    needs: str = ""

    @property
    def takes_c(self) -> bool:
        return self.default_c is not None

    def fit(self, data: RankingData, c: float | None, rel: float) -> Ranker:
        """Learn from rows."""
        learned: Ranker = self.target(data, c, rel)
        return learned

    @property
    def ranker_class(self) -> Any:
        """The class of what it learns."""
        module, _, name = self.ranker.partition(":")
        return getattr(import_module(f"germane.learning.learners.{module}"), name)

    def restore(self, given: Mapping[str, Any]) -> Ranker:
        """Read what was learned back."""
        learned: Ranker = self.ranker_class.from_json(given)
        return learned


LEARNERS = Catalogue("learner", Learner, Learner, example="ranking-svm")


@LEARNERS.add("ranking-svm", default_c=1.0, ranker="ranking_svm:RankingSVM")
def fit_ranking_svm(data: RankingData, c: float | None, rel: float) -> Ranker:
    """Pairs of documents of one query, the better one higher by a margin."""
    from germane.learning.learners.ranking_svm import RankingSVM

    return RankingSVM(1.0 if c is None else c).fit(data.features, data.grades, data.query)


@LEARNERS.add("svm", default_c=1.0, takes_rel=True, ranker="svm:SVMClassifier", needs=SCIKIT_LEARN)
def fit_svm(data: RankingData, c: float | None, rel: float) -> Ranker:
    """Relevant or not, by a margin; the distance from it ranks."""
    from germane.learning.learners.svm import SVMClassifier

    return SVMClassifier(1.0 if c is None else c).fit(data.features, _relevant(data, rel))


@LEARNERS.add("linear", takes_rel=True, ranker="linear_score:LinearScore")
def fit_linear(data: RankingData, c: float | None, rel: float) -> Ranker:
    """The lecture's aα + bω + c by least squares, with a threshold."""
    from germane.learning.learners.linear_score import LinearScore

    return LinearScore().fit(data.features, _relevant(data, rel))


@LEARNERS.add("ordinal", default_c=1.0, ranker="ordinal:OrderedLogit")
def fit_ordinal(data: RankingData, c: float | None, rel: float) -> Ranker:
    """Grades in their order, by an ordered logit; its ridge is 1/C."""
    from germane.learning.learners.ordinal import OrderedLogit

    return OrderedLogit(ridge=1.0 if c is None else 1 / c).fit(data.features, data.grades)


@LEARNERS.add("lambdamart", ranker="lambdamart:LambdaMART", needs=LIGHTGBM)
def fit_lambdamart(data: RankingData, c: float | None, rel: float) -> Ranker:
    """Boosted trees for nDCG (LightGBM)."""
    from germane.learning.learners.lambdamart import LambdaMART

    return LambdaMART().fit(data.features, data.grades, data.query)


def _relevant(data: RankingData, rel: float) -> Any:
    relevant = data.grades >= rel
    if relevant.all() or not relevant.any():
        which = "relevant" if relevant.all() else "not relevant"
        raise GermaneError(f"expected relevant rows (grade {rel:g} or more) and others, found all {which}")
    return relevant.astype(np.int64)


def require_grades(data: RankingData) -> None:
    """Nothing can be learned from one grade only."""
    grades = np.unique(data.grades)
    if len(grades) == 1:
        hint = "are these the judgments of these topics?"
        raise GermaneError(f"expected rows of different grades, found only the grade {grades[0]:g}", hint=hint)


def weights_of(ranker: Ranker, names: tuple[str, ...]) -> dict[str, float] | None:
    """What a linear learner multiplies each feature by; None for others."""
    coef = getattr(ranker, "coef_", None)
    if coef is None or np.size(coef) != len(names):
        return None
    return dict(zip(names, np.asarray(coef, np.float64).ravel().tolist(), strict=True))
