"""Features that are counted: words of the query in the document, how rare they are, how close together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from germane.learning.features.candidates import Candidates
from germane.learning.features.feature import FEATURES
from germane.tables.columns.ids import BoolArray, FloatArray


@FEATURES.add("omega", better="lower", needs_positions=True)
def omega(pair: Candidates) -> FloatArray:
    """ω: the shortest stretch of the document that holds all words of the query.

    Formula:    ω = min over stretches that hold every word of (last place - first place + 1), stop words counted
    Reference:  lecture 004, minimum query window; Manning, Raghavan & Schütze, Introduction to IR (2008), 15.4.
    Edge cases: Where a word is missing, ω is one more than the document has places up to its last word: longer than
        any window in it. Words that no document holds are left out. One word: 1.
    """
    whole = pair.holds.all(axis=1) & (len(pair.words) > 0)
    return np.where(whole, pair.window, pair.extent + 1).astype(np.float64)


@FEATURES.add("proximity", better="higher", needs_positions=True)
def proximity(pair: Candidates) -> FloatArray:
    """How close together the query's words stand that the document holds: 1 where nothing is in between.

    Formula:    (words of the query that the document holds) / (the shortest stretch that holds them)
    Edge cases: One word: 1. None: 0.
    """
    close: FloatArray = np.divide(pair.holds.sum(axis=1), pair.window, out=np.zeros(len(pair)), where=pair.window > 0)
    return close


@FEATURES.add("covered", better="higher")
def covered(pair: Candidates) -> FloatArray:
    """How many different words of the query the document holds.

    Formula:    |q ∩ d|
    """
    return _total(pair.holds)


@FEATURES.add("coverage", better="higher")
def coverage(pair: Candidates) -> FloatArray:
    """Which share of the query's different words the document holds.

    Formula:    |q ∩ d| / |q|
    Edge cases: Words that no document holds count in |q|. A query without words: 0.
    """
    return covered(pair) / max(pair.num_words, 1)


@FEATURES.add("length")
def length(pair: Candidates) -> FloatArray:
    """How many words the document has.

    Formula:    |d|, each word as often as it occurs
    Edge cases: Stop words of the index's analyser are not counted.
    """
    return pair.length


@FEATURES.add("tf_sum", better="higher")
def tf_sum(pair: Candidates) -> FloatArray:
    """How often the query's words occur in the document, all together.

    Formula:    Σ tf over the query's different words
    """
    return _total(pair.tf)


@FEATURES.add("tf_min", better="higher")
def tf_min(pair: Candidates) -> FloatArray:
    """How often the word of the query occurs that occurs least.

    Formula:    min tf over the query's different words
    Edge cases: A word that the document lacks counts 0; words that no document holds are left out. No words: 0.
    """
    return _least(pair.tf.astype(np.float64))


@FEATURES.add("tf_max", better="higher")
def tf_max(pair: Candidates) -> FloatArray:
    """How often the word of the query occurs that occurs most.

    Formula:    max tf over the query's different words
    """
    return _most(pair.tf)


@FEATURES.add("tf_mean", better="higher")
def tf_mean(pair: Candidates) -> FloatArray:
    """How often a word of the query occurs, on average.

    Formula:    Σ tf / (number of the query's different words)
    Edge cases: Words that no document holds are left out. No words: 0.
    """
    return tf_sum(pair) / max(len(pair.words), 1)


@FEATURES.add("tf_share", better="higher")
def tf_share(pair: Candidates) -> FloatArray:
    """Which share of the document's words are the query's.

    Formula:    Σ tf / |d|
    Edge cases: A document without words: 0.
    """
    return tf_sum(pair) / np.maximum(pair.length, 1)


@FEATURES.add("idf_sum", better="higher")
def idf_sum(pair: Candidates) -> FloatArray:
    """How rare the query's words are that the document holds, all together.

    Formula:    Σ ln(N/n) over the words of q ∩ d
    """
    return _total(pair.holds * pair.idf)


@FEATURES.add("idf_min")
def idf_min(pair: Candidates) -> FloatArray:
    """How rare the most frequent of the query's words is that the document holds.

    Formula:    min ln(N/n) over the words of q ∩ d
    Edge cases: No words in common: 0.
    """
    return _least(np.broadcast_to(pair.idf, pair.tf.shape), pair.holds)


@FEATURES.add("idf_max", better="higher")
def idf_max(pair: Candidates) -> FloatArray:
    """How rare the rarest of the query's words is that the document holds.

    Formula:    max ln(N/n) over the words of q ∩ d
    Edge cases: No words in common: 0.
    """
    return _most(pair.holds * pair.idf)


@FEATURES.add("idf_mean")
def idf_mean(pair: Candidates) -> FloatArray:
    """How rare the query's words are that the document holds, on average.

    Formula:    Σ ln(N/n) / |q ∩ d| over the words of q ∩ d
    Edge cases: No words in common: 0.
    """
    return idf_sum(pair) / np.maximum(covered(pair), 1)


@FEATURES.add("tfidf_sum", better="higher")
def tfidf_sum(pair: Candidates) -> FloatArray:
    """Frequency times rarity of the query's words, all together.

    Formula:    Σ tf · ln(N/n) over the query's different words
    """
    return _total(pair.tf * pair.idf)


@FEATURES.add("tfidf_min", better="higher")
def tfidf_min(pair: Candidates) -> FloatArray:
    """Frequency times rarity of the query's weakest word.

    Formula:    min tf · ln(N/n) over the query's different words
    Edge cases: A word that the document lacks counts 0; words that no document holds are left out. No words: 0.
    """
    return _least(pair.tf * pair.idf)


@FEATURES.add("tfidf_max", better="higher")
def tfidf_max(pair: Candidates) -> FloatArray:
    """Frequency times rarity of the query's strongest word.

    Formula:    max tf · ln(N/n) over the query's different words
    """
    return _most(pair.tf * pair.idf)


@FEATURES.add("tfidf_mean", better="higher")
def tfidf_mean(pair: Candidates) -> FloatArray:
    """Frequency times rarity of a word of the query, on average.

    Formula:    Σ tf · ln(N/n) / (number of the query's different words)
    Edge cases: Words that no document holds are left out. No words: 0.
    """
    return tfidf_sum(pair) / max(len(pair.words), 1)


def _most(values: npt.NDArray[Any]) -> FloatArray:
    """The largest of each row; 0 where there is none."""
    return np.asarray(values.max(axis=1, initial=0), np.float64)


def _total(values: npt.NDArray[Any]) -> FloatArray:
    """The sum of each row, in one order on every machine."""
    total = np.zeros(len(values))
    for column in values.T:
        total += column
    return total


def _least(values: FloatArray, among: BoolArray | None = None) -> FloatArray:
    """The smallest of each row (among some of its entries); 0 where there is none."""
    taken = values if among is None else np.where(among, values, np.inf)
    least: FloatArray = taken.min(axis=1, initial=np.inf)
    return np.where(np.isfinite(least), least, 0.0)
