"""KL: what a term adds to the divergence of the relevant documents from the collection."""

from __future__ import annotations

import math
from dataclasses import dataclass

from germane.retrieval.feedback.divergence import Divergence, Sample
from germane.retrieval.feedback.method import FEEDBACK
from germane.retrieval.statistics import TermStats


@FEEDBACK.add("kl")
@dataclass(frozen=True, kw_only=True, repr=False)
class KL(Divergence):
    """Expansion by Kullback-Leibler divergence, without a parameter to weigh old terms against new ones.

    Formula:    w = p · log2(p / c) with p = tf / (words of the relevant documents together) and c = cf / (all words).
                The new weight is qtf / (largest qtf) + w / w_max for the `terms` heaviest terms, where w_max is w with
                the largest tf there is and a term that is nowhere else: p · log2(all words / words of the documents).
    Reference:  Carpineto, de Mori, Romano & Bigi, "An Information-Theoretic Approach to Automatic Query Expansion",
                TOIS 2001; w_max as in Amati's thesis, Glasgow 2003.
    Edge cases: A term that is rarer in the documents than elsewhere (p below c) is no candidate; nor is any where the
                documents are the whole collection. Documents judged not relevant are not looked at.
    """

    def weight(self, count: int, term: TermStats, sample: Sample) -> float:
        here, everywhere = count / sample.num_tokens, term.cf / term.collection.num_tokens
        return here * math.log2(here / everywhere) if here > everywhere else 0.0

    def ceiling(self, term: TermStats, sample: Sample) -> float:
        return sample.most / sample.num_tokens * math.log2(term.collection.num_tokens / sample.num_tokens)
