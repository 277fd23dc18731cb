"""Catalogue of ranking models: one class each, whose formula is stated once, for scores and explanations alike.

>>> [str(MODELS.parse(name)) for name in ("bm25", "BM25( k1=0.9, b=0.40 )", "BM25+", "ltc.lnc", "QLJM(0.5)")]
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
    """A ranking model. The score of a document is

    scale(d) · Σ over the query terms t of  query_weight(t) · Π term_factors(t) · curve_t(tf, length)
    +  offset(d) · Σ over the query terms t of  query_weight(t)

    A model defines its query weights, term factors and curve; most need neither scale nor offset. Only documents that
    contain a query term are ranked, and terms that occur in no document are dropped from the query.
    """

    def query_weights(self, query: Query, terms: Mapping[str, TermStats]) -> dict[str, float]:
        """Return the query weights by term. A query that already is a vector keeps its weights."""
        if query.is_vector:
            return {term: query.weights[term] for term in terms}
        return self.weigh_query({term: query.weights[term] for term in terms}, terms)

    def weigh_query(self, counts: Mapping[str, float], terms: Mapping[str, TermStats]) -> dict[str, float]:
        """Return query weights from the term counts of the query; by default, the counts."""
        return dict(counts)

    def term_factors(self, term: TermStats) -> dict[str, float]:
        """Return the factors of a term's weight, by name."""
        raise NotImplementedError

    def curve(self, term: TermStats) -> Curve:
        """Return the curve: contribution as a function of the term's frequency in a document."""
        raise NotImplementedError

    def lengths(self, index: Index) -> IntArray:
        """Return the document lengths that the curves use."""
        return index.lengths

    def scale(self, index: Index) -> FloatArray | None:
        """Return a factor for each document's sum (cosine); None means 1 for all."""
        return None

    def offset(self, index: Index) -> FloatArray | None:
        """Return a summand for each document that contains a query term, per unit of query weight; None means 0."""
        return None


@dataclass(frozen=True, eq=False, repr=False)
class ModelEntry(Entry):
    """A catalogue entry of a model class."""

    bare: ClassVar[bool] = True


class Models(Catalogue[ModelEntry, Model]):
    """Catalogue of ranking models; vector-space models are also found by their weighting in SMART notation."""

    def respell(self, name: str, *, any_case: bool) -> str | None:
        return f"VSM(weighting={name})" if re.fullmatch(r"[A-Za-z]{3}\.[A-Za-z]{3}", name) else None

    def unknown(self, name: str) -> GermaneError:
        if name.casefold() in ("boolean", "bii"):
            hint = f"use germane retrieve --model {name}"
            return GermaneError(f"{name} is not supported here: it has no term weights", hint=hint)
        return super().unknown(name)


FAMILIES = ("relevance_weights", "bm25", "query_likelihood", "vector_space")
MODULES = [f"germane.retrieval.models.{family}" for family in FAMILIES]
MODELS = Models("model", ModelEntry, Model, MODULES, example="BM25 or BM25(k1=0.9,b=0.4)")
Class = TypeVar("Class", bound=type[Model])


@checked
def model(name: str, **other_names: str) -> Callable[[Class], Class]:
    """Register a model under the name that a person types.

    Other names are given with what they abbreviate: ``@model("BM25", **{"BM25+": "variant=plus"})``.
    """
    return MODELS.add(name, shorthands=other_names)
