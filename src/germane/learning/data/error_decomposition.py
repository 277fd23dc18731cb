"""Bias-variance decomposition: why a learner errs on new data.

The learner is trained on many training sets drawn from the same data. Its average prediction (the main prediction)
misses the truth by its bias: the learner is too simple. Its variation between training sets is its variance: it follows
accidents of the data. What no learner could know is noise. The parts add up to the expected loss, exactly, on the
predictions made.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from germane.arguments import checked
from germane.errors import GermaneError, InputError, unknown
from germane.learning.data.columns import columns_of
from germane.stats.intervals.resampling import bootstrap_counts
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.one_column import one_column
from germane.tables.notes.counts import counted
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result

if TYPE_CHECKING:
    from germane.types import FeaturesLike, LabelsLike, LearnerLike

Labels = npt.NDArray[Any]

PARTS = (F("part", "text"), F("value", "value"), F("adds", "difference", empty=""))
RESAMPLINGS = ("bootstrap", "disjoint")
"""bootstrap: n of n rows with replacement. disjoint: the rows in random order, cut into training sets of equal size."""


@dataclass(frozen=True, eq=False)
class BiasVariance(Result):
    """The expected loss of a learner and its parts, per item and in total.

    An item is one test case; it has one label, or several if it was labelled repeatedly. Totals are means over labels,
    so that `expected_loss` is the mean loss over all rows and training sets.

    Formula:    squared loss:  expected loss = bias + variance + noise, with bias = (main - mean label)²
                0-1 loss:      expected loss = bias + variance_effect + noise_effect, with bias = 1 where the main
                               prediction is not the most frequent label, else 0
    """

    loss: str
    predictions: Labels
    """Predictions, training set by item."""
    main: Labels
    """Main prediction of each item: the mean (squared loss) or the most frequent one (0-1 loss)."""
    optimal: Labels
    """Optimal prediction of each item: the mean, or the most frequent, of its labels."""
    num_labels: IntArray
    item_loss: FloatArray
    """Mean loss of each item over training sets and labels; computed from the predictions, not from the parts."""
    item_bias: FloatArray
    item_variance: FloatArray
    """Mean loss between predictions and the main prediction."""
    item_noise: FloatArray
    """Mean loss between labels and the optimal one; 0 for an item with one label."""
    item_variance_effect: FloatArray
    """Contribution of variance to the loss; for 0-1 loss, negative where the main prediction is wrong."""
    item_noise_effect: FloatArray
    """Contribution of noise to the loss; for 0-1 loss it may be negative: wrong predictions can match wrong labels."""
    notes: tuple[str, ...]

    schema: ClassVar[str] = "bias-variance/1"
    fact_names: ClassVar[str] = "loss expected_loss bias variance noise"

    @property
    def expected_loss(self) -> float:
        return self._mean(self.item_loss)

    @property
    def bias(self) -> float:
        return self._mean(self.item_bias)

    @property
    def variance(self) -> float:
        return self._mean(self.item_variance)

    @property
    def noise(self) -> float:
        return self._mean(self.item_noise)

    @property
    def variance_effect(self) -> float:
        return self._mean(self.item_variance_effect)

    @property
    def noise_effect(self) -> float:
        return self._mean(self.item_noise_effect)

    def tables(self) -> Iterator[Table]:
        """Return the parts, and the contribution of each to the expected loss."""
        rows: list[tuple[str, float, float | None]] = [
            ("bias²" if self.loss == "squared" else "bias", self.bias, self.bias),
            ("variance", self.variance, self.variance_effect),
            ("noise", self.noise, self.noise_effect),
            ("expected loss", self.expected_loss, None),
        ]
        if self.loss == "zero_one":
            right = self.item_bias == 0
            rows[2:2] = [
                (part, self._mean(self.item_variance * at), self._mean(self.item_variance_effect * at))
                for part, at in (("  where the main prediction is right", right), ("  where it is wrong", ~right))
            ]
        yield table("parts", PARTS, [dict(zip(("part", "value", "adds"), row, strict=True)) for row in rows])

    def _mean(self, values: FloatArray) -> float:
        return float(np.average(values, weights=self.num_labels))


@checked
def bias_variance(
    learner: LearnerLike,
    X: FeaturesLike,
    y: LabelsLike,
    X_test: FeaturesLike,
    y_test: LabelsLike,
    *,
    loss: str = "squared",
    resamples: int = 200,
    resampling: str = "bootstrap",
    seed: int = 0,
) -> BiasVariance:
    """Train a learner on many resampled training sets, and decompose its test loss into bias, variance and noise.

    `learner` has fit and predict, and is copied for each training set, or is a function (or class) that creates one.
    Test rows with the same features are one item with several labels, from which noise is estimated.

    Edge cases: The bootstrap resamples the given rows, so its training sets are more alike than fresh ones would be:
                variance is that of the given rows. `disjoint` has independent training sets, each with 1 / resamples of
                the rows.

    >>> class Mean:
    ...     def fit(self, X, y):
    ...         self.mean = sum(y) / len(y)
    ...     def predict(self, X):
    ...         return [self.mean] * len(X)
    >>> found = bias_variance(Mean, [[0], [1], [2], [3]], [0, 2, 4, 6], [[9]], [5], resamples=1000)
    >>> print(found)                                            # in theory (3 - 5)² = 4 and 5 / 4
    part            value     adds
    bias²          3.8396  +3.8396
    variance       1.1721  +1.1721
    noise          0.0000  +0.0000
    expected loss  5.0118
    >>> found.notes
    ('1000 training sets of 4 rows (bootstrap, seed 0)', 'no repeated labels, so bias includes noise')
    """
    aligned_columns({"X": X, "y": y} if hasattr(X, "iloc") else {}, "y")
    aligned_columns({"X_test": X_test, "y_test": y_test} if hasattr(X_test, "iloc") else {}, "y_test")
    rows, test_rows = _rows(X, "X"), _rows(X_test, "X_test")
    num_rows = int(rows.shape[0])  # a sparse matrix has no len()
    labels, test_labels = _vector(y, "y", num_rows), _vector(y_test, "y_test", test_rows.shape[0])
    first, item = _items(test_rows)
    by_item = np.argsort(item, kind="stable")
    targets = np.split(test_labels[by_item], np.cumsum(np.bincount(item))[:-1])
    asked = _take(test_rows, first)
    if not hasattr(learner, "fit") and not callable(learner):
        raise GermaneError(f"expected a learner with fit and predict, or a function returning one, found {learner!r}")
    predictions, sizes = [], set()
    for number, chosen in enumerate(_training_sets(num_rows, resamples, resampling, seed), start=1):
        sizes.add(len(chosen))
        try:
            fresh: Any = (
                learner() if isinstance(learner, type) or not hasattr(learner, "fit") else copy.deepcopy(learner)
            )
            fresh.fit(_take(rows, chosen), labels[chosen])
            predictions.append(_vector(fresh.predict(asked), f"the predictions of training set {number}", len(first)))
        except InputError:
            raise
        except Exception as error:
            drawn = f"with {len(np.unique(labels[chosen]))} distinct labels in {len(chosen)} rows"
            problem = f"the learner failed on training set {number} of {resamples}, {drawn}"
            hint = "a training set may lack a class or repeat rows; use more rows, or fewer disjoint training sets"
            raise GermaneError(f"{problem}: {type(error).__name__}: {error}", hint=hint) from error
    found = decompose(np.asarray(predictions), targets, loss=loss)
    (size,) = sizes
    drawn = f"{resamples} training sets of {size} rows ({resampling}, seed {seed})"
    unused = num_rows - resamples * size if resampling == "disjoint" else 0
    return replace(found, notes=(drawn + (f"; {counted(unused, 'row')} unused" if unused else ""), *found.notes))


def decompose(predictions: npt.ArrayLike, labels: Sequence[Any], *, loss: str = "squared") -> BiasVariance:
    """Decompose the loss of given predictions: one row per training set, one column per item.

    `labels` has one label per item, or a list of labels for an item labelled more than once. An item's noise is the
    mean over its labels (divided by n, not n - 1): so the identity is exact, and with few labels part of the noise
    stays in the bias.

    Reference:  Geman, Bienenstock & Doursat, Neural Computation 1992 (squared loss);
                Domingos, "A Unified Bias-Variance Decomposition", ICML 2000 (0-1 loss, any number of classes).
    Edge cases: 0-1 loss: of equally frequent labels or predictions the first in sorted order is used, with a note.

    >>> found = decompose([[1, 4], [3, 4]], [[2, 6], 5])    # main 2 against labels 2 and 6; main 4 against 5
    >>> found.item_bias, found.item_variance, found.item_noise, found.item_loss
    (array([4., 1.]), array([1., 0.]), array([4., 0.]), array([9., 1.]))

    >>> found = decompose([["a"], ["a"], ["b"]], ["b"], loss="zero_one")     # wrong on the whole, right where it varies
    >>> print(found.bias, round(found.variance_effect, 4), round(found.expected_loss, 4))
    1.0 -0.3333 0.6667
    """
    if loss not in LOSSES:
        raise unknown("loss", loss, LOSSES)
    made = np.asarray(predictions)
    if made.ndim != 2 or not made.size:
        raise InputError("predictions", None, f"expected training sets × items, found shape {made.shape}")
    per_item = [np.atleast_1d(np.asarray(given)) for given in labels]
    if len(per_item) != made.shape[1]:
        raise InputError("labels", None, f"expected {made.shape[1]} entries, one for each item, found {len(per_item)}")
    if empty := [number for number, given in enumerate(per_item) if given.ndim != 1 or not given.size]:
        raise InputError("labels", None, f"expected a label or a list of labels for item {empty[0]}")
    return LOSSES[loss](made, np.concatenate(per_item), np.asarray([len(given) for given in per_item]))


def _squared(made: Labels, labels: Labels, num_labels: IntArray) -> BiasVariance:
    predicted, true = _numbers(made, "predictions"), _numbers(labels, "labels")
    item = np.repeat(np.arange(len(num_labels)), num_labels)
    main, optimal = predicted.mean(axis=0), np.bincount(item, true) / num_labels
    variance = ((predicted - main) ** 2).mean(axis=0)
    noise = np.bincount(item, (true - optimal[item]) ** 2) / num_labels
    losses = ((predicted[:, item] - true) ** 2).mean(axis=0)
    return BiasVariance(
        loss="squared",
        predictions=predicted,
        main=main,
        optimal=optimal,
        num_labels=num_labels,
        item_loss=np.bincount(item, losses) / num_labels,
        item_bias=(main - optimal) ** 2,
        item_variance=variance,
        item_noise=noise,
        item_variance_effect=variance,
        item_noise_effect=noise,
        notes=(_noise_note(num_labels),),
    )


def _zero_one(made: Labels, labels: Labels, num_labels: IntArray) -> BiasVariance:
    predicted_names, true_names = _names(made, "predictions"), _names(labels, "labels")
    if (predicted_names.dtype.kind == "U") != (true_names.dtype.kind == "U"):
        found = f"{made.ravel().tolist()[0]!r}: text never equals a number"
        problem = f"expected labels like {labels.tolist()[0]!r}, found {found}"
        raise InputError("predictions", None, problem)
    item = np.repeat(np.arange(len(num_labels)), num_labels)
    classes, codes = np.unique(np.concatenate([predicted_names.ravel(), true_names]), return_inverse=True)
    predicted, true = codes[: made.size].reshape(made.shape), codes[made.size :]
    votes = np.zeros((len(num_labels), len(classes)))
    np.add.at(votes, (np.broadcast_to(np.arange(len(num_labels)), predicted.shape), predicted), 1)
    given = np.zeros_like(votes)
    np.add.at(given, (item, true), 1)
    share, truth = votes / len(made), given / num_labels[:, None]
    main, optimal = share.argmax(axis=1), truth.argmax(axis=1)
    at = np.arange(len(num_labels))
    right = share[at, optimal]
    bias = (main != optimal).astype(np.float64)
    variance, noise = 1 - share[at, main], 1 - truth[at, optimal]
    met = (share * truth).sum(axis=1) - right * truth[at, optimal]
    losses = (predicted[:, item] != true).mean(axis=0)
    notes = [_noise_note(num_labels)]
    if tied := int(np.count_nonzero(_tied(votes) | _tied(given))):
        notes.append(f"{counted(tied, 'item')} with tied predictions or labels; using the first in sorted order")
    return BiasVariance(
        loss="zero_one",
        predictions=made,
        main=classes[main],
        optimal=classes[optimal],
        num_labels=num_labels,
        item_loss=np.bincount(item, losses) / num_labels,
        item_bias=bias,
        item_variance=variance,
        item_noise=noise,
        # Leaving a wrong main prediction lowers the loss only if the prediction becomes the optimal label.
        item_variance_effect=np.where(bias == 0, variance, -right),
        # Noise penalises a right prediction, and helps where a wrong prediction matches the same wrong label.
        item_noise_effect=right * noise - met,
        notes=tuple(notes),
    )


LOSSES: dict[str, Callable[[Labels, Labels, IntArray], BiasVariance]] = {"squared": _squared, "zero_one": _zero_one}


def _tied(counts: FloatArray) -> npt.NDArray[np.bool_]:
    """Return a mask of the rows whose maximum occurs more than once."""
    tied: npt.NDArray[np.bool_] = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return tied


def _noise_note(num_labels: IntArray) -> str:
    repeated = int(np.count_nonzero(num_labels > 1))
    if not repeated:
        return "no repeated labels, so bias includes noise"
    once = len(num_labels) - repeated
    rest = f"; for the other {once}, bias includes noise" if once else ""
    return f"noise estimated from {counted(repeated, 'item')} with repeated labels{rest}"


def _training_sets(n: int, resamples: int, resampling: str, seed: int) -> Iterator[IntArray]:
    """Yield the rows of each training set, in ascending order."""
    if resampling not in RESAMPLINGS:
        raise unknown("resampling", resampling, RESAMPLINGS)
    if resamples < 2:
        raise GermaneError(f"expected at least 2 training sets, found {resamples}", hint="200 is a common choice")
    if resampling == "bootstrap":
        for counts in itertools.chain.from_iterable(bootstrap_counts(n, resamples, seed)):
            yield np.repeat(np.arange(n), counts.astype(np.int64))
    else:
        if n < resamples:
            raise GermaneError(f"{n} rows cannot be cut into {resamples} training sets", hint="use fewer resamples")
        order = np.argsort(np.random.PCG64(seed).random_raw(n), kind="stable")
        for part in order[: n // resamples * resamples].reshape(resamples, -1):
            yield np.sort(part)


def _rows(given: Any, name: str) -> Any:
    """Return something whose rows can be selected: data frames and sparse matrices are kept as they are."""
    if hasattr(given, "iloc") or hasattr(given, "tocsr"):
        rows = given if hasattr(given, "iloc") else given.tocsr()
    else:
        columns = [np.asarray(column) for column in columns_of(given)[1]]
        alike = len({column.dtype.kind for column in columns}) == 1
        rows = np.stack(columns if alike else [column.astype(object) for column in columns], axis=1)
    if not rows.shape or not rows.shape[0]:
        raise InputError(name, None, "expected rows, found none")
    return rows


def _take(rows: Any, chosen: IntArray) -> Any:
    return rows.iloc[chosen] if hasattr(rows, "iloc") else rows[chosen]


def _items(rows: Any) -> tuple[IntArray, IntArray]:
    """Return the first row of each item, and the item of each row; rows with equal features are one item."""
    if hasattr(rows, "tocsr"):
        spans = itertools.starmap(slice, itertools.pairwise(rows.indptr.tolist()))
        keys: list[Any] = [(rows.indices[span].tobytes(), rows.data[span].tobytes()) for span in spans]
    else:
        array = rows.to_numpy(dtype=object) if hasattr(rows, "iloc") else rows
        keys = array.reshape(len(rows), -1).tolist()
    numbers: dict[object, int] = {}
    # Missing values are treated as equal, unlike NaN.
    same = [tuple(None if isinstance(value, float) and math.isnan(value) else value for value in key) for key in keys]
    item = np.asarray([numbers.setdefault(key, len(numbers)) for key in same])
    return np.unique(item, return_index=True)[1], item


def _vector(given: Any, name: str, length: int) -> Labels:
    values = np.asarray(one_column(given, "label", name))
    if values.shape != (length,):
        raise InputError(name, None, f"expected {length} values, one for each row, found shape {values.shape}")
    return values


def _numbers(values: Labels, name: str) -> FloatArray:
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        hint = 'for labels, use `loss="zero_one"`'
        raise InputError(
            name, None, f"squared loss requires numbers, found {values.ravel().tolist()[0]!r}", hint=hint
        ) from None
    if not np.isfinite(numbers).all():
        raise InputError(name, None, "expected finite numbers, found NaN or infinity")
    return numbers


def _names(values: Labels, name: str) -> Labels:
    """Return labels as text or as numbers, not as mixed objects."""
    kinds = {isinstance(value, str) for value in values.ravel()} if values.dtype.kind == "O" else set()
    names = np.asarray(values.tolist()) if values.dtype.kind == "O" and len(kinds) == 1 else values
    if names.dtype.kind not in "Ubiuf" or (names.dtype.kind == "f" and np.isnan(names).any()):
        raise InputError(name, None, "expected labels that are all text or all numbers, none missing")
    return names
