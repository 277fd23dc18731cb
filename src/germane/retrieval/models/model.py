"""The models by name: one class each, its formula stated once and read by scores and explanations alike.

>>> [str(MODELS.parse(name)) for name in ("bm25", "BM25( k1=.9, b=0.40 )", "BM25+", "ltc.lnc", "QLJM(0.5)")]
['BM25', 'BM25(k1=0.9,b=0.4)', 'BM25(variant=plus)', 'VSM(weighting=ltc.lnc)', 'QLJM(lambda=0.5)']
>>> MODELS.parse("BM52")
Traceback (most recent call last):
germane.errors.GermaneError: unknown model 'BM52'; did you mean BM25?
Hint: choose from BIR, BM25, QL, QLJM, PL2, VSM, TFIDF
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

from germane.arguments import checked
from germane.catalogue import Catalogue, Choice, Entry
from germane.errors import GermaneError
from germane.retrieval.models.curves import Curve
from germane.retrieval.query import Query, TermStats
from germane.tables.columns.ids import FloatArray, IntArray

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index


@dataclass(frozen=True, repr=False)
class Model(Choice):
    """A ranking model. A document's score is

    scale(d) · Σ over the query's terms t of  query_weight(t) · Π term_factors(t) · curve_t(tf, length)
    +  offset(d) · Σ over the query's terms t of  query_weight(t)

    A model says what its query weights, term factors and curve are; most need neither scale nor offset. Only documents
    that hold one of the terms are ranked, and terms that no document holds are left out of the query.
    """

    def query_weights(self, query: Query, terms: Mapping[str, TermStats]) -> dict[str, float]:
        """The query's side, by term. The weights of a query that is a vector already are taken as they are."""
        if query.is_vector:
            return {term: query.weights[term] for term in terms}
        return self.weigh_query({term: query.weights[term] for term in terms}, terms)

    def weigh_query(self, counts: Mapping[str, float], terms: Mapping[str, TermStats]) -> dict[str, float]:
        """The query's side of how often each term was written; unless a model says otherwise, just that."""
        return dict(counts)

    def term_factors(self, term: TermStats) -> dict[str, float]:
        """What the term's weight is the product of, by name."""
        raise NotImplementedError

    def curve(self, term: TermStats) -> Curve:
        """How the contribution grows with the term's frequency in a document."""
        raise NotImplementedError

    def lengths(self, index: Index) -> IntArray:
        """What the curves read as each document's length."""
        return index.lengths

    def scale(self, index: Index) -> FloatArray | None:
        """What each document's sum is multiplied by (cosine); None is 1 for all."""
        return None

    def offset(self, index: Index) -> FloatArray | None:
        """What is added to each document that holds a query term, once for each unit of query weight; None is 0."""
        return None


@dataclass(frozen=True, eq=False, repr=False)
class ModelEntry(Entry):
    """A model's class under its name."""

    bare: ClassVar[bool] = True


class Models(Catalogue[ModelEntry, Model]):
    """Ranking models; one of the vector space goes by its weighting in SMART's notation, too."""

    def respell(self, name: str, *, any_case: bool) -> str | None:
        return f"VSM(weighting={name})" if re.fullmatch(r"[A-Za-z]{3}\.[A-Za-z]{3}", name) else None

    def unknown(self, name: str) -> GermaneError:
        if name.casefold() in ("boolean", "bii"):
            return GermaneError(f"{name} has no weights to work with here", hint="germane retrieve takes it as a model")
        return super().unknown(name)


FAMILIES = ("relevance_weights", "bm25", "query_likelihood", "vector_space")
MODULES = [f"germane.retrieval.models.{family}" for family in FAMILIES]
MODELS = Models("model", ModelEntry, Model, MODULES, example="BM25 or BM25(k1=0.9,b=0.4)")
Class = TypeVar("Class", bound=type[Model])


@checked
def model(name: str, **other_names: str) -> Callable[[Class], Class]:
    """Register a model under the name that a person types.

    Other names are given with what they stand for: ``@model("BM25", **{"BM25+": "variant=plus"})``.
    """
    return MODELS.add(name, shorthands=other_names)
