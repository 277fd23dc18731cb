"""Tasks on two systems and the same queries: paired tests, and the confidence interval of the mean difference."""

from __future__ import annotations

import math

import numpy as np

from germane.exercises.task import Kind, Mistake, Table, Task, one_of
from germane.stats.intervals.means import INTERVALS, mean_interval
from germane.stats.significance.columns import column_means, standard_errors
from germane.stats.significance.paired_tests import PAIRED_TESTS
from germane.stats.significance.unpaired_tests import UNPAIRED_TESTS
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.results.columns import table_of_texts

ASKED = {
    "t": "the t statistic of the paired t-test",
    "sign": "the two-sided p-value of the sign test",
    "wilcoxon": "Wilcoxon's statistic, the sum of the ranks of the positive differences",
    "interval": "the upper end of the 95% confidence interval of the mean difference, with z = 1.96",
}
LEVEL = 0.95
N_NOT_LESS_1 = "divided by n, not by n - 1, in the standard deviation"


def _draw(topic: str, rng: np.random.Generator) -> Task | None:
    size = int(rng.integers(5, 8))
    a, b = (rng.integers(20, 80, size) / 100 for _ in range(2))
    gain = np.round(b - a, 2)
    sizes = np.abs(gain)
    if gain.mean() <= 0.02 or len(set(sizes.tolist())) < size or (gain > 0).all() or (sizes < 0.01).any():
        return None
    value = _value(topic, gain)
    if topic == "sign" and value > 0.99:
        return None
    rows = [(f"Q{place}", f"{x:.2f}", f"{y:.2f}") for place, (x, y) in enumerate(zip(a, b, strict=True), start=1)]
    described = INTERVALS["normal"].summary if topic == "interval" else PAIRED_TESTS[topic].summary
    return Task(
        topic,
        f"The table shows AP of two systems on the same queries. Differences are b - a. What is {ASKED[topic]}?",
        (Table(("query", "a", "b"), tuple(rows)),),
        (described,),
        value,
        _solution(topic, gain, value),
        _mistakes(topic, a, b, gain),
    )


def _value(topic: str, gain: FloatArray) -> float:
    if topic == "interval":
        return float(mean_interval(gain, "normal", LEVEL).high)
    result = PAIRED_TESTS[topic](gain)
    return float(result.p if topic == "sign" else result.statistic)


def _mistakes(topic: str, a: FloatArray, b: FloatArray, gain: FloatArray) -> list[Mistake]:
    n, value, mean = len(gain), _value(topic, gain), float(gain.mean())
    if topic == "t":
        return [
            Mistake(N_NOT_LESS_1, value * math.sqrt(n / (n - 1))),
            Mistake("not divided the standard deviation by the square root of n", value / math.sqrt(n)),
            Mistake("subtracted b from a", -value),
            Mistake("not paired the queries (Welch's t)", float(UNPAIRED_TESTS["welch"](b, a).statistic)),
            Mistake("given the mean difference", mean),
        ]
    if topic == "sign":
        sign = PAIRED_TESTS["sign"]
        return [
            Mistake("used a one-sided test", float(sign(gain, "greater").p)),
            Mistake("used a one-sided test in the wrong direction", float(sign(gain, "less").p)),
            Mistake("given the number of queries with a gain, not a p-value", float(sign(gain).statistic)),
            Mistake(
                "used only the probability of exactly this number of gains", math.comb(n, int((gain > 0).sum())) / 2**n
            ),
            Mistake("used the t-test", float(PAIRED_TESTS["t"](gain).p)),
        ]
    if topic == "wilcoxon":
        return [
            Mistake("added the ranks of the negative differences", float(PAIRED_TESTS["wilcoxon"](-gain).statistic)),
            Mistake("subtracted the ranks of the negative differences", 2 * value - n * (n + 1) / 2),
            Mistake("ranked the signed differences, not their absolute values", float(_ranks(gain)[gain > 0].sum())),
            Mistake("counted the positive differences", float((gain > 0).sum())),
            Mistake("given the p-value", float(PAIRED_TESTS["wilcoxon"](gain).p)),
        ]
    return [
        Mistake("given the lower end", float(mean_interval(gain, "normal", LEVEL).low)),
        Mistake("used Student's t instead of 1.96", float(mean_interval(gain, "t", LEVEL).high)),
        Mistake("not divided the standard deviation by the square root of n", mean + (value - mean) * math.sqrt(n)),
        Mistake(N_NOT_LESS_1, mean + (value - mean) * math.sqrt((n - 1) / n)),
        Mistake("given half the width of the interval", value - mean),
    ]


def _ranks(values: FloatArray) -> IntArray:
    return np.argsort(np.argsort(values, kind="stable"), kind="stable") + 1


def _solution(topic: str, gain: FloatArray, value: float) -> str:
    n = len(gain)
    mean, error = (float(found(gain[:, None])[0]) for found in (column_means, standard_errors))
    rank = _ranks(np.abs(gain))
    rows = [
        [f"Q{place}", f"{d:+.2f}", str(r), f"{r:+d}" if d > 0 else str(-r)]
        for place, (d, r) in enumerate(zip(gain.tolist(), rank.tolist(), strict=True), start=1)
    ]
    gains = int((gain > 0).sum())
    last = {
        "t": f"mean = {mean:.4f}, s = {error * math.sqrt(n):.4f}, n = {n}\n"
        f"t = mean / (s / sqrt(n)) = {mean:.4f} / {error:.4f} = {value:.4f}",
        "sign": f"{gains} of {n} queries have a gain\n"
        f"p = 2 * (smaller tail of the binomial distribution with n = {n}, 1/2) = {value:.4f}",
        "wilcoxon": f"W = {' + '.join(str(r) for d, r in zip(gain, rank, strict=True) if d > 0)} = {value:g}",
        "interval": f"mean = {mean:.4f}, s = {error * math.sqrt(n):.4f}, n = {n}\n"
        f"upper end = mean + 1.96 * s / sqrt(n) = {mean:.4f} + 1.96 * {error:.4f} = {value:.4f}",
    }
    columns = 4 if topic == "wilcoxon" else 2
    header = ["query", "b - a", "rank by absolute value", "signed rank"][:columns]
    return f"{table_of_texts(header, [row[:columns] for row in rows])}\n{last[topic]}"


KINDS = (Kind("tests", "Two systems", tuple(ASKED), one_of(ASKED), _draw),)
