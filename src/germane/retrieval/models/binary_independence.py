"""Binary Independence Retrieval: which terms a document holds, each weighted by what is known of relevance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from germane.catalogue import Probability, Weight
from germane.retrieval.models.curves import Curve, Rational
from germane.retrieval.models.model import Model, model
from germane.retrieval.models.relevance_weights import Negative, cut_negative, rsj_weight
from germane.retrieval.statistics import TermStats


@model("BIR")
@dataclass(frozen=True)
class BIR(Model):
    """Binary Independence Retrieval: the retrieval status value (RSV) of probabilistic retrieval.

    Formula:    RSV = Σ c over the terms that query and document share;
                c = ln (s+½)(N-n-S+s+½) / ((S-s+½)(n-s+½)), before any judgment ln (N-n+½)/(n+½)
    Reference:  Robertson & Sparck Jones, JASIS 27 (1976), 129-146; Croft & Harper, J. Doc. 35 (1979), 285-295.
    Edge cases: A term in more than half of the documents weighs less than 0 without judgments, and then holding it
                counts against a document; `negative=cut` makes that 0, `bent` lifts it.
    Note:       `prior` is p for a term of which nothing is known and `prior_weight` (λ) how many judged documents it
                is worth: p = (s + λ·prior)/(S + λ). `correction` is what is added for the other documents.
                `idf` takes ln N/n in place of ln (N-n+½)/(n+½) as long as nothing is judged (the lecture's limit).
                Query and document are both binary; `query_tf` multiplies by how often the query has the term, and
                `bent` takes odds x below 2 as x/2 + 1, which keeps weights above 0: both are Xapian's rules.

    >>> from germane.retrieval.statistics import Collection
    >>> rare = TermStats("worser", df=4, cf=4, collection=Collection(100, 5000))
    >>> [round(m.term_factors(rare)["relevance weight"], 4) for m in (BIR(), BIR(idf=True))]    # ln 96.5/4.5, ln 100/4
    [3.0655, 3.2189]
    """

    correction: Weight = 0.5
    prior: Probability = 0.5
    prior_weight: Weight = 1.0
    idf: bool = False
    query_tf: bool = False
    bent: bool = False
    negative: Negative = "keep"

    def weigh_query(self, counts: Mapping[str, float], terms: Mapping[str, TermStats]) -> dict[str, float]:
        return {term: count if self.query_tf else 1.0 for term, count in counts.items()}

    def term_factors(self, term: TermStats) -> dict[str, float]:
        if self.idf and not term.num_relevant:
            weight = math.log(self.prior / (1 - self.prior)) + math.log(term.num_docs / term.df)
        else:
            weight = rsj_weight(term, correction=self.correction, prior=self.prior, prior_weight=self.prior_weight)
        if self.bent and weight < math.log(2):
            weight = math.log(math.exp(weight) / 2 + 1)
        return {"relevance weight": cut_negative(weight, self.negative)}

    def curve(self, term: TermStats) -> Curve:
        return Rational.constant()
