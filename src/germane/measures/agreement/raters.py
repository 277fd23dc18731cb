"""Inter-assessor agreement of two or more assessors, who need not have graded the same items."""

from __future__ import annotations

from functools import partial

import numpy as np

from germane.measures.agreement.kappa import Disagreement, distances, kappa
from germane.measures.agreement.measure import AGREEMENT
from germane.measures.agreement.tally import Tally
from germane.tables.columns.ids import BoolArray, FloatArray

ONE_GRADE = "only one grade was given, so agreement expected by chance is 100%"
ONE_CLASS = "the scale has only one grade"
NONE_RELEVANT = "no shared item was graded relevant by any assessor"
NONE_OF_ALL = "no item graded by all assessors is relevant to any of them"
NONE_NOT_RELEVANT = "no shared item was graded non-relevant by any assessor"


_of_judges = partial(AGREEMENT.add, over="judges")
_of_pairs = partial(AGREEMENT.add, over="pairs")


@_of_judges("observed", title="observed agreement", undefined="", beyond_chance=False)
def observed(tally: Tally) -> FloatArray:
    """Observed agreement, P(A): share of pairs of assessors who give the same item the same grade.

    Formula:    mean over items of (pairs of assessors that agree) / (pairs of assessors that graded the item)
    Reference:  lecture 004; for more than two assessors Fleiss, Psychological Bulletin 76 (1971), 378-382.
    Edge cases: items with a single grade are ignored. It is high by chance alone if one grade dominates.
    """
    agreed: FloatArray = np.trace(tally.pairs, axis1=-2, axis2=-1)
    return agreed / tally.items


@_of_pairs("kappa_pooled", title="kappa, pooled marginals (Scott's pi)", undefined=ONE_GRADE)
def kappa_pooled(table: FloatArray, grades: FloatArray, rel: float) -> FloatArray:
    """Scott's pi: chance-corrected agreement with the marginals of both assessors pooled.

    Formula:    (P(A) − P(E)) / (1 − P(E)), P(E) = sum over grades of (share among the grades of both assessors)²;
                averaged over pairs of assessors if there are more than two
    Reference:  lecture 004; Scott, Public Opinion Quarterly 19 (1955), 321-325.
    Edge cases: NaN if both assessors gave the same single grade; the mean skips such pairs.
    """
    return kappa(table, chance="pooled")


@_of_pairs("kappa", title="kappa, own marginals (Cohen)", undefined=ONE_GRADE)
def kappa_own(table: FloatArray, grades: FloatArray, rel: float) -> FloatArray:
    """Cohen's kappa: chance-corrected agreement with each assessor's own marginals. The usual kappa.

    Formula:    (P(A) − P(E)) / (1 − P(E)), P(E) = sum over grades of (share for assessor 1) · (share for assessor 2);
                averaged over pairs of assessors if there are more than two
    Reference:  Cohen, Educational and Psychological Measurement 20 (1960), 37-46.
    Edge cases: NaN if both assessors gave the same single grade; the mean skips such pairs.
    """
    return kappa(table)


@_of_pairs("kappa_linear", title="kappa, linear weights", undefined=ONE_GRADE, weighted=True)
def kappa_linear(table: FloatArray, grades: FloatArray, rel: float) -> FloatArray:
    """Weighted kappa: a disagreement is weighted by the distance between the two grades.

    Formula:    1 − (sum of observed |i − j|) / (sum of |i − j| expected by chance, own marginals)
    Reference:  Cohen, Psychological Bulletin 70 (1968), 213-220.
    Edge cases: as kappa. Distances are between the grade values: 0 and 3 are three apart.
    """
    return kappa(table, weights="linear", values=grades)


@_of_pairs("kappa_quadratic", title="kappa, quadratic weights", undefined=ONE_GRADE, weighted=True)
def kappa_quadratic(table: FloatArray, grades: FloatArray, rel: float) -> FloatArray:
    """Weighted kappa: a disagreement is weighted by the squared distance between the two grades.

    Formula:    1 − (sum of observed (i − j)²) / (sum of (i − j)² expected by chance, own marginals)
    Reference:  Cohen, Psychological Bulletin 70 (1968), 213-220.
    Edge cases: as kappa. Distances are between the grade values: 0 and 3 are three apart.
    """
    return kappa(table, weights="quadratic", values=grades)


@_of_judges("fleiss", title="Fleiss' kappa", undefined=ONE_GRADE)
def fleiss(tally: Tally) -> FloatArray:
    """Fleiss' kappa: chance-corrected agreement with one grade distribution for all assessors.

    Formula:    (P − E) / (1 − E); P is the observed agreement, E = sum over grades of π², π is the mean over items of
                the share of the item's assessors that gave the grade
    Reference:  Fleiss, Psychological Bulletin 76 (1971), 378-382; for unequal numbers of assessors Gwet, Handbook of
                Inter-Rater Reliability, 4th edition 2014, chapter 2.
    Edge cases: items with a single grade are ignored in both P and E. NaN if only one grade was given.
    """
    share = tally.shares / tally.items[..., None]
    return _beyond(observed(tally), (share**2).sum(axis=-1))


def _alpha(tally: Tally, apart: FloatArray) -> FloatArray:
    total = tally.coincidences.sum(axis=-1)
    given = total.sum(axis=-1)
    seen = (tally.coincidences * apart).sum(axis=(-2, -1))
    expected = (total[..., :, None] * total[..., None, :] * apart).sum(axis=(-2, -1))
    value: FloatArray = 1 - (given - 1) * seen / expected
    return value


@_of_judges("alpha_nominal", title="Krippendorff's alpha, nominal", undefined=ONE_GRADE)
def alpha_nominal(tally: Tally) -> FloatArray:
    """Krippendorff's alpha for nominal grades: 1 − observed / expected disagreement; missing grades are allowed.

    Formula:    1 − D_o / D_e; D_o over pairs of grades of the same item, D_e over all pairs; δ = 0 if equal, else 1
    Reference:  Krippendorff, Content Analysis, 2nd edition 2004, chapter 11.
    Edge cases: items with a single grade are ignored. NaN if only one grade was given.
    """
    return _alpha(tally, distances(tally.grades, None))


@_of_judges("alpha_ordinal", title="Krippendorff's alpha, ordinal", undefined=ONE_GRADE, weighted=True)
def alpha_ordinal(tally: Tally) -> FloatArray:
    """Krippendorff's alpha for ordinal grades, of which only the order matters.

    Formula:    1 − D_o / D_e; δ = (number of grades given between the two, counting half of those at either end)²
    Reference:  Krippendorff, Content Analysis, 2nd edition 2004, chapter 11.
    Edge cases: as alpha_nominal, which it equals with two grades.
    """
    total = tally.coincidences.sum(axis=-1)
    middle = np.cumsum(total, axis=-1) - total / 2
    return _alpha(tally, (middle[..., :, None] - middle[..., None, :]) ** 2)


@_of_judges("alpha_interval", title="Krippendorff's alpha, interval", undefined=ONE_GRADE, weighted=True)
def alpha_interval(tally: Tally) -> FloatArray:
    """Krippendorff's alpha for interval-scaled grades, whose differences matter.

    Formula:    1 − D_o / D_e; δ = (i − j)²
    Reference:  Krippendorff, Content Analysis, 2nd edition 2004, chapter 11.
    Edge cases: as alpha_nominal, which it equals with two grades.
    """
    return _alpha(tally, distances(tally.grades, "quadratic"))


@_of_judges("alpha_ratio", title="Krippendorff's alpha, ratio", undefined=ONE_GRADE, weighted=True)
def alpha_ratio(tally: Tally) -> FloatArray:
    """Krippendorff's alpha for ratio-scaled grades, whose ratios matter.

    Formula:    1 − D_o / D_e; δ = ((i − j) / (i + j))²
    Reference:  Krippendorff, Content Analysis, 2nd edition 2004, chapter 11.
    Edge cases: as alpha_nominal, which it equals with two grades. Grades must be ≥ 0; δ(0, 0) = 0.
    """
    total = np.add.outer(tally.grades, tally.grades)
    apart = np.subtract.outer(tally.grades, tally.grades) / np.where(total == 0, 1.0, total)
    return _alpha(tally, apart**2)


def _gwet(tally: Tally, weights: Disagreement | None) -> FloatArray:
    apart, q = distances(tally.grades, weights), len(tally.grades)
    near = 1 - apart / max(apart.max(initial=0.0), 1e-300)
    share = tally.shares / tally.items[..., None]
    by_chance = np.divide(near.sum(), q * (q - 1)) * (share * (1 - share)).sum(axis=-1)
    return _beyond((tally.pairs * near).sum(axis=(-2, -1)) / tally.items, by_chance)


@_of_judges("AC1", title="Gwet's AC1", undefined=ONE_CLASS)
def ac1(tally: Tally) -> FloatArray:
    """Gwet's AC1: chance-corrected agreement that stays stable when one grade dominates.

    Formula:    (P − E) / (1 − E); P is the observed agreement, E = sum over the q grades of π · (1 − π) / (q − 1), π
                as for Fleiss' kappa
    Reference:  Gwet, British J. of Mathematical and Statistical Psychology 61 (2008), 29-48.
    Edge cases: items with a single grade are ignored (Gwet includes them in π). q is the size of the scale; specify
                the scale if not all of its grades were given. NaN if the scale has one grade.
    """
    return _gwet(tally, None)


@_of_judges("AC2_linear", title="Gwet's AC2, linear weights", undefined=ONE_CLASS, weighted=True)
def ac2_linear(tally: Tally) -> FloatArray:
    """Gwet's AC2: AC1 with disagreements weighted by the distance between the two grades.

    Formula:    (P − E) / (1 − E); P is the weighted agreement with w = 1 − |i − j| / (range of the scale),
                E = (sum of all w) / (q · (q − 1)) · sum over grades of π · (1 − π)
    Reference:  Gwet, Handbook of Inter-Rater Reliability, 4th edition 2014, chapter 4.
    Edge cases: as AC1.
    """
    return _gwet(tally, "linear")


@_of_judges("AC2_quadratic", title="Gwet's AC2, quadratic weights", undefined=ONE_CLASS, weighted=True)
def ac2_quadratic(tally: Tally) -> FloatArray:
    """Gwet's AC2: AC1 with disagreements weighted by the squared distance between the two grades.

    Formula:    as AC2_linear, with w = 1 − (i − j)² / (range of the scale)²
    Reference:  Gwet, Handbook of Inter-Rater Reliability, 4th edition 2014, chapter 4.
    Edge cases: as AC1.
    """
    return _gwet(tally, "quadratic")


@_of_judges("PABAK", title="PABAK (Brennan-Prediger)", undefined=ONE_CLASS)
def pabak(tally: Tally) -> FloatArray:
    """Prevalence- and bias-adjusted kappa: kappa as if all grades were equally frequent.

    Formula:    (q · P − 1) / (q − 1); P is the observed agreement, q the number of grades
    Reference:  Brennan & Prediger, Educational and Psychological Measurement 41 (1981), 687-699; Byrt, Bishop & Carlin,
                J. of Clinical Epidemiology 46 (1993), 423-429, for two grades.
    Edge cases: q is the size of the scale, as for AC1. NaN if the scale has one grade.
    """
    return _beyond(observed(tally), np.asarray(1 / len(tally.grades)))


@_of_judges("positive", title="agreement on relevant", undefined=NONE_RELEVANT, beyond_chance=False)
def positive(tally: Tally) -> FloatArray:
    """Positive agreement: if one assessor grades an item relevant, how often another assessor does too.

    Formula:    2a / (2a + b + c) for two assessors: a items are relevant to both, b + c to one; in general, among the
                ordered pairs of grades of an item whose first is relevant, the share whose second is relevant too
    Reference:  Cicchetti & Feinstein, J. of Clinical Epidemiology 43 (1990), 551-558.
    Edge cases: relevant is a grade of `rel` or more. NaN if no item is relevant to any assessor.
    """
    return _specific(tally, tally.grades >= tally.rel)


@_of_judges("negative", title="agreement on non-relevant", undefined=NONE_NOT_RELEVANT, beyond_chance=False)
def negative(tally: Tally) -> FloatArray:
    """Negative agreement: if one assessor grades an item non-relevant, how often another assessor does too.

    Formula:    2d / (2d + b + c) for two assessors: d items are relevant to neither, b + c to one; in general as for
                `positive`
    Reference:  Cicchetti & Feinstein, J. of Clinical Epidemiology 43 (1990), 551-558.
    Edge cases: non-relevant is a grade below `rel`. NaN if every item is relevant to every assessor.
    """
    return _specific(tally, tally.grades < tally.rel)


@_of_pairs("overlap", title="overlap of relevant sets", undefined=NONE_RELEVANT, beyond_chance=False)
def overlap(table: FloatArray, grades: FloatArray, rel: float) -> FloatArray:
    """Jaccard index of the sets of relevant items of two assessors.

    Formula:    |A ∩ B| / |A ∪ B| among the items both graded; averaged over pairs of assessors if there are more
    Reference:  Voorhees, "Variations in Relevance Judgments", Information Processing & Management 36 (2000), 697-716.
    Edge cases: relevant is a grade of `rel` or more. NaN if nothing is relevant to either; such pairs are skipped.
    """
    relevant = grades >= rel
    both = table[..., relevant, :][..., relevant].sum(axis=(-2, -1))
    neither = table[..., ~relevant, :][..., ~relevant].sum(axis=(-2, -1))
    share: FloatArray = both / (table.sum(axis=(-2, -1)) - neither)
    return share


@_of_judges("overlap_all", title="overlap of all assessors", undefined=NONE_OF_ALL, beyond_chance=False)
def overlap_all(tally: Tally) -> FloatArray:
    """Share of items relevant to all assessors, among those relevant to at least one.

    Formula:    |A ∩ B ∩ …| / |A ∪ B ∪ …| among the items graded by every assessor
    Reference:  Voorhees, "Variations in Relevance Judgments", Information Processing & Management 36 (2000), 697-716.
    Edge cases: equals overlap with two assessors. It can only fall as assessors are added.
    """
    return tally.relevant_to_all / tally.relevant_to_any


def _specific(tally: Tally, which: BoolArray) -> FloatArray:
    rows = tally.coincidences[..., which, :]
    share: FloatArray = rows[..., which].sum(axis=(-2, -1)) / rows.sum(axis=(-2, -1))
    return share


def _beyond(agreement: FloatArray, by_chance: FloatArray) -> FloatArray:
    # Written as one minus a quotient, so that full agreement gives exactly 1 despite rounding of the shares.
    value: FloatArray = 1 - (1 - agreement) / (1 - by_chance)
    return value
