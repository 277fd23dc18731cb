"""The catalogues of fusion methods and of score normalisations: each entry is one function that says all about itself.

>>> FUSION.parse("RRF(k=10)")
rrf(k=10)
>>> FUSION["rrf"].sections["Formula"]
'sum over the runs that have it of w / (k + rank)'
>>> NORMALISATIONS.parse("max").sections["Formula"]
'score / highest'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from germane.catalogue import Catalogue, Entry
from germane.tables.columns.ids import FloatArray

if TYPE_CHECKING:
    from germane.retrieval.fusion.lists import Lists

UNANIMITY = {
    "always": "a document that no run puts below another does not score less (scores from 0 on)",
    "complete": "a document that no run puts below another does not score less, where every run has both",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Method(Entry):
    """A fusion method with its parameters: a function of `Lists` that gives each candidate its score.

    `weights` are refused, optional or needed. `unanimity` says when a document that no run puts below another, and some
    run puts above it, is sure not to score less: always (with normalised scores that are never negative), or where
    every run has both documents. `adds_zero` marks methods to which a document that a run lacks has the score 0 there.
    """

    uses: Literal["ranks", "scores"]
    weights: Literal["refused", "optional", "needed"]
    unanimity: Literal["always", "complete"]
    adds_zero: bool = False

    def fuse(self, lists: Lists) -> FloatArray:
        """The score of each candidate."""
        scores: FloatArray = self.target(lists, **dict(self.rest))
        return scores

    @property
    def declared(self) -> Mapping[str, str]:
        return {"Looks at": self.uses, "Weights": self.weights, "Unanimity": UNANIMITY[self.unanimity]}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Normalisation(Entry):
    """How the scores of one run for one query are made comparable with those of the others: a function of `Lists`.

    `equal_scores` says what becomes of a list whose scores are all the same; `never_negative` ones keep every document
    that a run has at or above the 0 of those it lacks.
    """

    equal_scores: str
    never_negative: bool

    @property
    def declared(self) -> Mapping[str, str]:
        return {"Where all scores are the same": f"they {self.equal_scores}"}


MODULES = [f"germane.retrieval.fusion.{family}" for family in ("by_rank", "by_majority", "by_score")]
FUSION = Catalogue("fusion method", Method, Method, MODULES, example="rrf or rrf(k=10)")
NORMALISATIONS = Catalogue(
    "normalisation", Normalisation, Normalisation, ["germane.retrieval.fusion.normalisation"], example="minmax"
)
