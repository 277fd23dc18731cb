"""Bo1: how far a term's count in the relevant documents departs from chance, by Bose and Einstein."""

from __future__ import annotations

import math
from dataclasses import dataclass

from germane.retrieval.feedback.divergence import Divergence, Sample
from germane.retrieval.feedback.method import FEEDBACK
from germane.retrieval.statistics import TermStats


@FEEDBACK.add("bo1")
@dataclass(frozen=True, kw_only=True, repr=False)
class Bo1(Divergence):
    """Expansion by Bose-Einstein statistics, without a parameter to weigh old terms against new ones.

    Formula:    w = tf · log2((1 + f) / f) + log2(1 + f), where tf is how often the term occurs in the relevant
                documents together and f = cf / N. The new weight is qtf / (largest qtf) + w / w_max for the `terms`
                heaviest terms, where w_max is w with the largest tf there is for both tf and cf.
    Reference:  Amati, "Probability Models for Information Retrieval Based on Divergence from Randomness", PhD thesis,
                Glasgow 2003.
    Edge cases: Terms of equal weight go by name. Documents judged not relevant are not looked at.
    """

    def weight(self, count: int, term: TermStats, sample: Sample) -> float:
        return _bose_einstein(count, term.cf / term.num_docs)

    def ceiling(self, term: TermStats, sample: Sample) -> float:
        return _bose_einstein(sample.most, sample.most / term.num_docs)


def _bose_einstein(count: int, mean: float) -> float:
    return count * math.log2((1 + mean) / mean) + math.log2(1 + mean)
