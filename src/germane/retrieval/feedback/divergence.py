"""Bo1 and KL: query expansion with terms weighted by how much relevant documents diverge from the collection."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from germane.catalogue import Count
from germane.retrieval.feedback.method import FEEDBACK, Feedback, JudgedDocuments, Refined, TermChange, by_weight
from germane.retrieval.models import Model
from germane.retrieval.query import Query, TermStats

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index


@dataclass(frozen=True, kw_only=True, repr=False)
class Divergence(Feedback):
    """Base of Bo1 and KL: query weights over their maximum, plus each expansion weight over its maximum.

    `num_tokens` is the total length of the relevant documents, `most` the count of their most frequent term.
    """

    documents: Count = 3
    terms: Count = 10

    def weight(self, count: int, term: TermStats, num_tokens: int) -> float:
        """Return the weight of a term that occurs `count` times in the relevant documents."""
        raise NotImplementedError

    def ceiling(self, most: int, term: TermStats, num_tokens: int) -> float:
        """Return the largest weight possible: that of the top term, were it only in relevant documents."""
        raise NotImplementedError

    def refined(
        self, index: Index, model: Model, query: Query, relevant: JudgedDocuments, nonrelevant: JudgedDocuments
    ) -> Refined:
        counts, statistics, num_tokens = relevant.counts, relevant.statistics, relevant.counts.total()
        most = max(counts.values(), default=0)
        weighed = sorted((-self.weight(count, statistics[term], num_tokens), term) for term, count in counts.items())
        best = {term: -weight for weight, term in weighed[: self.terms] if weight < 0}
        largest = max(query.weights.values(), default=1.0)
        old = {term: weight / largest for term, weight in query.weights.items()}
        changes = []
        for term in {**old, **best}:
            new, why = old.get(term, 0.0), f"{counts[term]} times {relevant.holding(term)}"
            if term in best:
                new += best[term] / self.ceiling(most, statistics[term], num_tokens)
                why += f": w = {best[term]:.4f}"
            changes.append(TermChange(term, old.get(term, 0.0), new, why))
        ordered = by_weight(changes)
        return Refined(Query({change.term: change.new for change in ordered}), model, ordered)


@FEEDBACK.add("bo1")
@dataclass(frozen=True, kw_only=True, repr=False)
class Bo1(Divergence):
    """Bo1 query expansion: terms weighted by Bose-Einstein statistics, with no mixing parameter.

    Formula:    w = tf · log2((1 + f) / f) + log2(1 + f), where tf is the frequency of the term in all relevant
                documents together and f = cf / N. The new weight is qtf / (maximum qtf) + w / w_max for the `terms`
                terms of highest w, where w_max is w with the maximum tf in place of both tf and cf.
    Reference:  Amati, "Probability Models for Information Retrieval Based on Divergence from Randomness", PhD thesis,
                Glasgow 2003.
    Edge cases: Terms of equal weight are ordered alphabetically. Documents judged non-relevant are ignored.
    """

    def weight(self, count: int, term: TermStats, num_tokens: int) -> float:
        return _bose_einstein(count, term.cf / term.num_docs)

    def ceiling(self, most: int, term: TermStats, num_tokens: int) -> float:
        return _bose_einstein(most, most / term.num_docs)


def _bose_einstein(count: int, mean: float) -> float:
    return count * math.log2((1 + mean) / mean) + math.log2(1 + mean)


@FEEDBACK.add("kl")
@dataclass(frozen=True, kw_only=True, repr=False)
class KL(Divergence):
    """KL query expansion: terms weighted by Kullback-Leibler divergence, with no mixing parameter.

    Formula:    w = p · log2(p / c) with p = tf / (total length of the relevant documents) and c = cf / (all words). The
                new weight is qtf / (maximum qtf) + w / w_max for the `terms` terms of highest w, where w_max is w for
                the maximum tf and a term that occurs nowhere else: p · log2(all words / words of the documents).
    Reference:  Carpineto, de Mori, Romano & Bigi, "An Information-Theoretic Approach to Automatic Query Expansion",
                TOIS 2001; w_max as in Amati's thesis, Glasgow 2003.
    Edge cases: A term that is rarer in the documents than in the collection (p below c) is not a candidate; no term is
                if the documents are the whole collection. Documents judged non-relevant are ignored.
    """

    def weight(self, count: int, term: TermStats, num_tokens: int) -> float:
        here, everywhere = count / num_tokens, term.cf / term.collection.num_tokens
        return here * math.log2(here / everywhere) if here > everywhere else 0.0

    def ceiling(self, most: int, term: TermStats, num_tokens: int) -> float:
        return most / num_tokens * math.log2(term.collection.num_tokens / num_tokens)
