"""Word features: query words in the document, their rarity and proximity."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from germane.learning.features.candidates import Candidates
from germane.learning.features.feature import FEATURES
from germane.tables.columns.ids import BoolArray, FloatArray


@FEATURES.add("omega", better="lower", needs_positions=True)
def omega(pair: Candidates) -> FloatArray:
    """ω: size of the smallest document window that contains all query words.

    Formula:    ω = min over windows with every word of (last position - first position + 1), stop words counted
    Reference:  lecture 004, minimum query window; Manning, Raghavan & Schütze, Introduction to IR (2008), 15.4.
    Edge cases: If a word is missing, ω is one more than the last word position of the document: larger than any window
        in it. Words that occur in no document are ignored. One word: 1.
    """
    whole = pair.holds.all(axis=1) & (len(pair.words) > 0)
    return np.where(whole, pair.window, pair.extent + 1).astype(np.float64)


@FEATURES.add("proximity", better="higher", needs_positions=True)
def proximity(pair: Candidates) -> FloatArray:
    """Proximity of the query words in the document; 1 if they are adjacent.

    Formula:    (query words in the document) / (size of the smallest window that contains them)
    Edge cases: One word: 1. None: 0.
    """
    close: FloatArray = np.divide(pair.holds.sum(axis=1), pair.window, out=np.zeros(len(pair)), where=pair.window > 0)
    return close


@FEATURES.add("covered", better="higher")
def covered(pair: Candidates) -> FloatArray:
    """Number of distinct query words in the document.

    Formula:    |q ∩ d|
    """
    return _total(pair.holds)


@FEATURES.add("coverage", better="higher")
def coverage(pair: Candidates) -> FloatArray:
    """Share of the distinct query words that are in the document.

    Formula:    |q ∩ d| / |q|
    Edge cases: Words that occur in no document count in |q|. A query without words: 0.
    """
    return covered(pair) / max(pair.num_words, 1)


@FEATURES.add("length")
def length(pair: Candidates) -> FloatArray:
    """Document length in words.

    Formula:    |d|, counting repeated words
    Edge cases: Stop words of the index's analyser are not counted.
    """
    return pair.length


@FEATURES.add("tf_sum", better="higher")
def tf_sum(pair: Candidates) -> FloatArray:
    """Sum of the frequencies of the query words in the document.

    Formula:    Σ tf over the distinct query words
    """
    return _total(pair.tf)


@FEATURES.add("tf_min", better="higher")
def tf_min(pair: Candidates) -> FloatArray:
    """Minimum frequency of a query word in the document.

    Formula:    min tf over the distinct query words
    Edge cases: A word missing from the document counts as 0; words that occur in no document are ignored. No words: 0.
    """
    return _least(pair.tf.astype(np.float64))


@FEATURES.add("tf_max", better="higher")
def tf_max(pair: Candidates) -> FloatArray:
    """Maximum frequency of a query word in the document.

    Formula:    max tf over the distinct query words
    """
    return _most(pair.tf)


@FEATURES.add("tf_mean", better="higher")
def tf_mean(pair: Candidates) -> FloatArray:
    """Mean frequency of a query word in the document.

    Formula:    Σ tf / (number of distinct query words)
    Edge cases: Words that occur in no document are ignored. No words: 0.
    """
    return tf_sum(pair) / max(len(pair.words), 1)


@FEATURES.add("tf_share", better="higher")
def tf_share(pair: Candidates) -> FloatArray:
    """Share of the document's words that are query words.

    Formula:    Σ tf / |d|
    Edge cases: A document without words: 0.
    """
    return tf_sum(pair) / np.maximum(pair.length, 1)


@FEATURES.add("idf_sum", better="higher")
def idf_sum(pair: Candidates) -> FloatArray:
    """Sum of the idf of the query words in the document.

    Formula:    Σ ln(N/n) over the words of q ∩ d
    """
    return _total(pair.holds * pair.idf)


@FEATURES.add("idf_min")
def idf_min(pair: Candidates) -> FloatArray:
    """Minimum idf of the query words in the document.

    Formula:    min ln(N/n) over the words of q ∩ d
    Edge cases: No words in common: 0.
    """
    return _least(np.broadcast_to(pair.idf, pair.tf.shape), pair.holds)


@FEATURES.add("idf_max", better="higher")
def idf_max(pair: Candidates) -> FloatArray:
    """Maximum idf of the query words in the document.

    Formula:    max ln(N/n) over the words of q ∩ d
    Edge cases: No words in common: 0.
    """
    return _most(pair.holds * pair.idf)


@FEATURES.add("idf_mean")
def idf_mean(pair: Candidates) -> FloatArray:
    """Mean idf of the query words in the document.

    Formula:    Σ ln(N/n) / |q ∩ d| over the words of q ∩ d
    Edge cases: No words in common: 0.
    """
    return idf_sum(pair) / np.maximum(covered(pair), 1)


@FEATURES.add("tfidf_sum", better="higher")
def tfidf_sum(pair: Candidates) -> FloatArray:
    """Sum of tf·idf over the query words.

    Formula:    Σ tf · ln(N/n) over the distinct query words
    """
    return _total(pair.tf * pair.idf)


@FEATURES.add("tfidf_min", better="higher")
def tfidf_min(pair: Candidates) -> FloatArray:
    """Minimum tf·idf of a query word.

    Formula:    min tf · ln(N/n) over the distinct query words
    Edge cases: A word missing from the document counts as 0; words that occur in no document are ignored. No words: 0.
    """
    return _least(pair.tf * pair.idf)


@FEATURES.add("tfidf_max", better="higher")
def tfidf_max(pair: Candidates) -> FloatArray:
    """Maximum tf·idf of a query word.

    Formula:    max tf · ln(N/n) over the distinct query words
    """
    return _most(pair.tf * pair.idf)


@FEATURES.add("tfidf_mean", better="higher")
def tfidf_mean(pair: Candidates) -> FloatArray:
    """Mean tf·idf of a query word.

    Formula:    Σ tf · ln(N/n) / (number of distinct query words)
    Edge cases: Words that occur in no document are ignored. No words: 0.
    """
    return tfidf_sum(pair) / max(len(pair.words), 1)


def _most(values: npt.NDArray[Any]) -> FloatArray:
    """Return the maximum of each row; 0 for an empty row."""
    return np.asarray(values.max(axis=1, initial=0), np.float64)


def _total(values: npt.NDArray[Any]) -> FloatArray:
    """Return the sum of each row, in the same order on every machine."""
    total = np.zeros(len(values))
    for column in values.T:
        total += column
    return total


def _least(values: FloatArray, among: BoolArray | None = None) -> FloatArray:
    """Return the minimum of each row (over selected entries); 0 for an empty row."""
    taken = values if among is None else np.where(among, values, np.inf)
    least: FloatArray = taken.min(axis=1, initial=np.inf)
    return np.where(np.isfinite(least), least, 0.0)
