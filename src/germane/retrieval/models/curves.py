"""Curves: a term's contribution to a score as a function of its frequency and the document's length.

A curve is the part of a model's formula that varies between postings. Three shapes serve all models; the search kernel
has them compiled, and `values` calls the kernels' reference implementation, so each formula lives with the kernels and
nowhere else. A custom model may use any object with `values` and no `code`: NumPy then computes it posting by posting,
more slowly.
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
    """An element-wise function of term frequency and document length."""

    def values(self, tf: Counts, length: Counts) -> FloatArray: ...


@dataclass(frozen=True)
class CompiledCurve:
    """Base of the curves compiled into the kernel: a code, and the fields as parameters in the kernel's order."""

    code: ClassVar[int]

    @cached_property
    def parameters(self) -> tuple[float, ...]:
        """The parameters, padded to the number that the kernel expects."""
        own = [float(value) for value in vars(self).values()]  # set in the order of the fields
        return (*own, *[0.0] * (reference_postings.NUM_PARAMETERS - len(own)))

    def values(self, tf: Counts, length: Counts) -> FloatArray:
        return reference_postings.curve_values(self.code, np.array(self.parameters), tf, length)


@dataclass(frozen=True)
class Rational(CompiledCurve):
    """The curve lift + (over_tf·tf + over + over_length·length) / (under_tf·tf + under + under_length·length).

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
        """Return lift + times·tf / (tf + half_at + half_per_word·length), which saturates at lift + times."""
        return cls(lift=lift, over_tf=times, under_tf=1.0, under=half_at, under_length=half_per_word)

    @classmethod
    def constant(cls) -> Rational:
        """Return a curve of 1, however often the term occurs."""
        return cls(over_tf=0.0, over=1.0)


@dataclass(frozen=True)
class Logarithm(CompiledCurve):
    """The curve lift + ln(inside + factor·tf) or, with `by_length`, lift + ln(inside + factor·tf / length).

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
    """Divergence from randomness: Poisson model, Laplace's law of succession, tf normalised by length.

    With tfn = tf · log2(1 + stretch / length):
    (tfn·log2(tfn / mean) + (mean + 1/(12·tfn) - tfn)·log2 e + ½·log2(2π·tfn)) / (tfn + 1).

    >>> Poisson(mean=0.5, stretch=10).values(np.array([1, 2]), np.array([10, 10])).round(3)
    array([0.862, 1.241])
    """

    code: ClassVar[int] = reference_postings.POISSON
    mean: float
    stretch: float
