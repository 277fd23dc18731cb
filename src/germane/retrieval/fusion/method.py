"""Catalogues of fusion methods and of score normalisations; each entry is one documented function.

>>> FUSION.parse("RRF(k=10)")
rrf(k=10)
>>> FUSION["rrf"].sections["Formula"]
'sum of w / (k + rank) over the runs that retrieve the document'
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

WEIGHTS = {"refused": "not supported", "optional": "optional", "needed": "required"}
UNANIMITY = {
    "always": "a document that no run ranks below another never scores less (for scores of 0 or more)",
    "complete": "a document that no run ranks below another never scores less, if every run has both",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Method(Entry):
    """A fusion method with its parameters: a function of `Lists` that scores each candidate.

    `weights` are refused, optional or needed. `unanimity` says when a document that no run ranks below another, and
    some run ranks above it, never scores less: always (with non-negative normalised scores), or if every run has both
    documents. `adds_zero` marks methods in which a document missing from a run scores 0 there.
    """

    uses: Literal["ranks", "scores"]
    weights: Literal["refused", "optional", "needed"]
    unanimity: Literal["always", "complete"]
    adds_zero: bool = False

    def fuse(self, lists: Lists) -> FloatArray:
        """Return the score of each candidate."""
        scores: FloatArray = self.target(lists, **dict(self.rest))
        return scores

    @property
    def declared(self) -> Mapping[str, str]:
        return {"Uses": self.uses, "Weights": WEIGHTS[self.weights], "Unanimity": UNANIMITY[self.unanimity]}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Normalisation(Entry):
    """A score normalisation, which makes the scores of different runs comparable: a function of `Lists`.

    `equal_scores` says what happens to a list of equal scores; a `never_negative` one keeps every document of a run at
    or above the 0 of documents missing from it.
    """

    equal_scores: str
    never_negative: bool

    @property
    def declared(self) -> Mapping[str, str]:
        return {"If all scores are equal": f"they {self.equal_scores}"}


MODULES = [f"germane.retrieval.fusion.{family}" for family in ("by_rank", "by_majority", "by_score")]
FUSION = Catalogue("fusion method", Method, Method, MODULES, example="rrf or rrf(k=10)")
NORMALISATIONS = Catalogue(
    "normalisation", Normalisation, Normalisation, ["germane.retrieval.fusion.normalisation"], example="minmax"
)
