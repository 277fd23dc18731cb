"""Differences over folds: their standard error, although folds share training data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from germane.errors import GermaneError
from germane.stats.significance.columns import column_means, columns_of, standard_errors
from germane.tables.columns.ids import FloatArray


@dataclass(frozen=True)
class Folds:
    """Folds of a cross-validation, or repeated splits: the sizes of their training and test parts.

    With several `runs`, rows are run by run, and each run divides all items into folds.

    Formula:    Var(mean) = (1/n + test/train) s²; s² is the variance over all n folds. With r runs as clusters 1/n s²
                becomes v/r; v is the variance of the means of runs
    Reference:  Nadeau & Bengio, Machine Learning 52 (2003), 239-281; for repeated runs Bouckaert & Frank, PAKDD 2004.

    >>> Folds(90, 10).standard_errors([0.1, 0.3, -0.1, 0.2]).round(4)            # √((1/4 + 1/9) 0.0292)
    array([0.1026])
    >>> Folds(50, 50, runs=2).standard_errors([0.1, 0.3, -0.1, 0.2]).round(4)    # √(0.01125/2 + 0.0292)
    array([0.1865])
    """

    train_size: float
    test_size: float
    runs: int = 1

    def __post_init__(self) -> None:
        if self.train_size <= 0 or self.test_size <= 0:
            found = f"train_size={self.train_size:g} and test_size={self.test_size:g}"
            raise GermaneError(f"expected sizes above 0, found {found}")

    def standard_errors(self, differences: object) -> FloatArray:
        """Return the standard error of the mean of each column."""
        columns = columns_of(differences, "the corrected resampled t-test")  # type: ignore[arg-type]
        n, independent = len(columns), standard_errors(columns)
        shared = n * self.test_size / self.train_size * independent**2
        if self.runs == 1:
            return np.asarray(np.sqrt(independent**2 + shared))
        means = np.stack([column_means(part) for part in np.split(columns, self.runs)])
        return np.asarray(np.sqrt(means.var(axis=0, ddof=1) / self.runs + shared))

    @property
    def test_name(self) -> str:
        """Name of the test in results."""
        return "corrected resampled t" if self.runs == 1 else "corrected resampled t, runs as clusters"
