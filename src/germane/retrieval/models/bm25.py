"""BM25 and its common variants."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from germane.catalogue import Range, Share, Weight
from germane.errors import GermaneError
from germane.retrieval.models.curves import Curve, Rational
from germane.retrieval.models.model import Model, model
from germane.retrieval.models.relevance_weights import Negative, cut_negative, rsj_weight
from germane.retrieval.query import TermStats

Variant = Literal["lucene", "robertson", "atire", "plus", "l"]
DELTA: Mapping[str, float] = {"plus": 1.0, "l": 0.5}
"""Default δ of the variants that have one."""


@model("BM25", **{"BM25+": "variant=plus", "BM25L": "variant=l"})
@dataclass(frozen=True)
class BM25(Model):
    """Okapi BM25: idf times a saturating term frequency, normalised by document length.

    Formula:    idf · curve, with B = 1 - b + b·length/average
                lucene     ln(1 + (N-n+½)/(n+½))   · tf / (tf + k1·B)
                robertson  ln((N-n+½)/(n+½))       · tf / (tf + k1·B)
                atire      ln(N/n)                 · (k1+1)·tf / (tf + k1·B)
                plus       ln((N+1)/n)             · (δ + (k1+1)·tf / (tf + k1·B))
                l          ln((N+1)/(n+½))         · (k1+1)·(tf + δ·B) / (tf + (k1+δ)·B)
    Reference:  Robertson et al., Okapi at TREC-3 (1994); variants as in Kamphuis et al., "Which BM25 do you mean?",
                ECIR 2020; BM25+ and BM25L: Lv & Zhai, CIKM and SIGIR 2011.
    Edge cases: robertson is negative for a term in more than half of the documents; `negative=cut` sets it to 0.
    Note:       Once documents are judged, the RSJ weight with its ½ correction replaces idf, in every variant. `delta`
                defaults to 1 for plus and 0.5 for l. A term that occurs q times in the query counts q times or, with
                `k3`, (k3+1)·q/(k3+q) times. Scores of lucene and robertson omit the constant factor k1+1.

    >>> from germane.retrieval.query import Collection
    >>> term = TermStats("wine", df=1, cf=3, collection=Collection(num_docs=3, num_tokens=30))
    >>> round(BM25().term_factors(term)["idf"], 4)    # ln(1 + 2.5/1.5)
    0.9808
    """

    k1: Weight = 1.2
    b: Share = 0.75
    variant: Variant = "lucene"
    delta: Annotated[float | None, Range(0)] = None
    k3: Annotated[float | None, Range(0)] = None
    negative: Negative = "keep"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta is not None and self.variant not in DELTA:
            hint = "use BM25(variant=plus) or BM25(variant=l)"
            raise GermaneError(f"BM25: delta requires variant plus or l, found {self.variant}", hint=hint)

    def weigh_query(self, counts: Mapping[str, float], terms: Mapping[str, TermStats]) -> dict[str, float]:
        if self.k3 is None:
            return dict(counts)
        return {term: (self.k3 + 1) * count / (self.k3 + count) for term, count in counts.items()}

    def term_factors(self, term: TermStats) -> dict[str, float]:
        if term.num_relevant:
            return {"relevance weight": cut_negative(rsj_weight(term), self.negative)}
        N, n = term.num_docs, term.df
        inside = {
            "lucene": 1 + (N - n + 0.5) / (n + 0.5),
            "robertson": (N - n + 0.5) / (n + 0.5),
            "atire": N / n,
            "plus": (N + 1) / n,
            "l": (N + 1) / (n + 0.5),
        }
        return {"idf": cut_negative(math.log(inside[self.variant]), self.negative)}

    def curve(self, term: TermStats) -> Curve:
        fixed, per_word = 1 - self.b, self.b / term.avg_length
        delta = DELTA.get(self.variant, 0.0) if self.delta is None else self.delta
        if self.variant == "l":
            times = self.k1 + 1
            return Rational(
                over_tf=times,
                over=times * delta * fixed,
                over_length=times * delta * per_word,
                under_tf=1.0,
                under=(self.k1 + delta) * fixed,
                under_length=(self.k1 + delta) * per_word,
            )
        times = 1.0 if self.variant in ("lucene", "robertson") else self.k1 + 1
        return Rational.saturating(self.k1 * fixed, self.k1 * per_word, times=times, lift=delta)
