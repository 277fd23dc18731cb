"""Curves: how a term's contribution to a document's score grows with its frequency and with the document's length.

A curve is the part of a model's formula that differs from posting to posting. Three shapes serve all models here; the
kernel that walks through the postings has each of them compiled, and `values` asks the kernels' plain reference, so a
curve's formula is where the kernels are and nowhere else. A model of your own may bring any object with `values` and no
`code`: NumPy then computes it posting by posting, more slowly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from germane.kernels import reference_postings
from germane.tables.columns.ids import FloatArray

Counts = npt.NDArray[np.integer[Any]]


class Curve(Protocol):
    """A function of term frequency and document length, element by element."""

    def values(self, tf: Counts, length: Counts) -> FloatArray: ...


@dataclass(frozen=True)
class CompiledCurve:
    """What the kernel's own curves share: a code, and parameters in the kernel's order, which is that of the fields."""

    code: ClassVar[int]

    @cached_property
    def parameters(self) -> tuple[float, ...]:
        """As the kernel wants them."""
        own = [float(value) for value in vars(self).values()]  # set in the order of the fields
        return (*own, *[0.0] * (reference_postings.NUM_PARAMETERS - len(own)))

    def values(self, tf: Counts, length: Counts) -> FloatArray:
        return reference_postings.curve_values(self.code, np.array(self.parameters), tf, length)


@dataclass(frozen=True)
class Rational(CompiledCurve):
    """lift + (over_tf·tf + over + over_length·length) / (under_tf·tf + under + under_length·length).

    >>> Rational.saturating(half_at=1.2).values(np.array([1, 3]), np.array([10, 10])).round(3)
    array([0.455, 0.714])
    """

    code: ClassVar[int] = reference_postings.RATIONAL
    lift: float = 0.0
    over_tf: float = 1.0
    over: float = 0.0
    over_length: float = 0.0
    under_tf: float = 0.0
    under: float = 1.0
    under_length: float = 0.0

    @classmethod
    def saturating(cls, half_at: float, half_per_word: float = 0.0, times: float = 1.0, lift: float = 0.0) -> Rational:
        """lift + times·tf / (tf + half_at + half_per_word·length): half of `times` where tf equals the rest below."""
        return cls(lift=lift, over_tf=times, under_tf=1.0, under=half_at, under_length=half_per_word)

    @classmethod
    def constant(cls) -> Rational:
        """1, however often the term occurs."""
        return cls(over_tf=0.0, over=1.0)


@dataclass(frozen=True)
class Logarithm(CompiledCurve):
    """lift + ln(inside + factor·tf), or with `by_length` lift + ln(inside + factor·tf / length).

    >>> Logarithm(lift=1).values(np.array([1, 10]), np.array([10, 10])).round(3)    # 1 + ln tf
    array([1.   , 3.303])
    """

    code: ClassVar[int] = reference_postings.LOGARITHM
    lift: float = 0.0
    inside: float = 0.0
    factor: float = 1.0
    by_length: bool = False


@dataclass(frozen=True)
class Poisson(CompiledCurve):
    """Divergence from randomness: a Poisson model of the term, Laplace's law of succession, tf normalised by length.

    With tfn = tf · log2(1 + stretch / length):
    (tfn·log2(tfn / mean) + (mean + 1/(12·tfn) - tfn)·log2 e + ½·log2(2π·tfn)) / (tfn + 1).

    >>> Poisson(mean=0.5, stretch=10).values(np.array([1, 2]), np.array([10, 10])).round(3)
    array([0.862, 1.241])
    """

    code: ClassVar[int] = reference_postings.POISSON
    mean: float
    stretch: float
