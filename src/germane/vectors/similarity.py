"""What the score of a query and a document is, and how far from it a rounded product may lie.

A score is defined in double precision, summed in one order (`kernels.pair_sums`): it does not depend on blocks,
threads, BLAS or device. The quick value, from a matrix product, is ``product * scale + offset``; it is a rising
function of the score but for rounding, which `window` bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from germane.errors import GermaneError, did_you_mean
from germane.tables.columns.ids import FloatArray

DOT, COSINE, EUCLIDEAN = 0, 1, 2


@dataclass(frozen=True)
class Similarity:
    """One way of comparing vectors; `kernel` is the number by which the kernels know its sum."""

    name: str
    kernel: int
    formula: str
    is_binary: bool = False
    """Components are bits, taken as -1 and 1."""

    def score(
        self, sums: FloatArray, query_squared: FloatArray, doc_squared: FloatArray, dimensions: int
    ) -> FloatArray:
        """The score, from the sum over the components."""
        if self.kernel == COSINE:
            return np.asarray(sums / (np.sqrt(query_squared) * np.sqrt(doc_squared)))
        return (sums - dimensions) / 2 if self.is_binary else sums

    def quick(self, score: FloatArray, query_squared: FloatArray, dimensions: int) -> FloatArray:
        """A score on the scale of the quick values."""
        if self.kernel == COSINE:
            return score * np.sqrt(query_squared)
        if self.kernel == EUCLIDEAN:
            return (score + query_squared) / 2
        return score * 2 + dimensions if self.is_binary else score

    def adjustment(self, doc_squared: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """The scale and the offset of each document; None where the product is the quick value."""
        if self.kernel == COSINE:
            return 1 / np.sqrt(doc_squared), np.zeros(len(doc_squared))
        if self.kernel == EUCLIDEAN:
            return np.ones(len(doc_squared)), -doc_squared / 2
        return None

    def magnitude(self, query_norm: FloatArray, largest_doc_norm: float) -> FloatArray:
        """What the error of a quick value is relative to: no partial sum is larger than this."""
        if self.kernel == COSINE:
            return query_norm
        if self.kernel == EUCLIDEAN:
            return (query_norm + largest_doc_norm) ** 2
        return query_norm * largest_doc_norm


def window(similarity: Similarity, query_norm: FloatArray, largest: float, num_terms: int, unit: float) -> FloatArray:
    """How far a quick value may be from the score it stands for.

    A sum of n products, each addition rounded by at most `unit` of what has been added up, is off by at most n units of
    the product of the norms (Cauchy and Schwarz), in whatever order the terms come; eight more cover scale, offset and
    the rounding of the bound itself. The score has its own rounding, in double precision.
    """
    relative = (num_terms + 8) * (unit + 2.0**-52)
    return relative * similarity.magnitude(query_norm, largest) + (num_terms + 8) * 2.0**-149


ALL = (
    Similarity("dot", DOT, "sum of x_i y_i"),
    Similarity("cosine", COSINE, "sum of x_i y_i / (|x| |y|)"),
    Similarity("euclidean", EUCLIDEAN, "- sum of (x_i - y_i)²"),
    Similarity("hamming", DOT, "- number of bits that differ", is_binary=True),
)
SIMILARITIES = {each.name: each for each in ALL}


def similarity_called(name: str) -> Similarity:
    """A similarity by its name.

    >>> similarity_called("cosine").formula
    'sum of x_i y_i / (|x| |y|)'
    """
    try:
        return SIMILARITIES[name]
    except KeyError:
        known, found = ", ".join(SIMILARITIES), f"{name!r}{did_you_mean(name, SIMILARITIES)}"
        raise GermaneError(f"expected a similarity, one of {known}, found {found}") from None
