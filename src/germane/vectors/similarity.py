"""Similarities: the score of a query and a document, and a bound on the rounding error of a matrix product.

A score is defined in double precision, summed in a fixed order (`kernels.pair_sums`): it does not depend on blocks,
threads, BLAS or device. The quick value, from a matrix product, is ``product * scale + offset``; up to rounding, which
`window` bounds, it increases with the score.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from germane.errors import GermaneError, did_you_mean
from germane.tables.columns.ids import FloatArray

DOT, COSINE, EUCLIDEAN = 0, 1, 2


@dataclass(frozen=True)
class Similarity:
    """A similarity of vectors; `kernel` is the number of its sum in the kernels."""

    name: str
    kernel: int
    formula: str
    is_binary: bool = False
    """Components are bits, treated as -1 and 1."""

    def score(
        self, sums: FloatArray, query_squared: FloatArray, doc_squared: FloatArray, dimensions: int
    ) -> FloatArray:
        """Return the score, given the sum over the components."""
        if self.kernel == COSINE:
            return np.asarray(sums / (np.sqrt(query_squared) * np.sqrt(doc_squared)))
        return (sums - dimensions) / 2 if self.is_binary else sums

    def quick(self, score: FloatArray, query_squared: FloatArray, dimensions: int) -> FloatArray:
        """Return a score on the scale of the quick values."""
        if self.kernel == COSINE:
            return score * np.sqrt(query_squared)
        if self.kernel == EUCLIDEAN:
            return (score + query_squared) / 2
        return score * 2 + dimensions if self.is_binary else score

    def adjustment(self, doc_squared: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Return scale and offset of each document; None if the product is the quick value."""
        if self.kernel == COSINE:
            return 1 / np.sqrt(doc_squared), np.zeros(len(doc_squared))
        if self.kernel == EUCLIDEAN:
            return np.ones(len(doc_squared)), -doc_squared / 2
        return None

    def magnitude(self, query_norm: FloatArray, largest_doc_norm: float) -> FloatArray:
        """Return the magnitude to which the error of a quick value is relative: no partial sum is larger."""
        if self.kernel == COSINE:
            return query_norm
        if self.kernel == EUCLIDEAN:
            return (query_norm + largest_doc_norm) ** 2
        return query_norm * largest_doc_norm


def window(similarity: Similarity, query_norm: FloatArray, largest: float, num_terms: int, unit: float) -> FloatArray:
    """Return the maximum distance of a quick value from its score.

    A sum of n products, each addition rounded by at most `unit` of the running sum, is off by at most n units of the
    product of the norms (Cauchy-Schwarz), in any order of terms; eight more cover scale, offset and the rounding of the
    bound itself. The score has its own rounding, in double precision.
    """
    relative = (num_terms + 8) * (unit + 2.0**-52)
    return relative * similarity.magnitude(query_norm, largest) + (num_terms + 8) * 2.0**-149


ALL = (
    Similarity("dot", DOT, "sum of x_i y_i"),
    Similarity("cosine", COSINE, "sum of x_i y_i / (|x| |y|)"),
    Similarity("euclidean", EUCLIDEAN, "- sum of (x_i - y_i)²"),
    Similarity("hamming", DOT, "- number of differing bits", is_binary=True),
)
SIMILARITIES = {each.name: each for each in ALL}


def similarity_called(name: str) -> Similarity:
    """Return a similarity by its name.

    >>> similarity_called("cosine").formula
    'sum of x_i y_i / (|x| |y|)'
    """
    try:
        return SIMILARITIES[name]
    except KeyError:
        known, found = ", ".join(SIMILARITIES), f"{name!r}{did_you_mean(name, SIMILARITIES)}"
        raise GermaneError(f"expected a similarity ({known}), found {found}") from None
