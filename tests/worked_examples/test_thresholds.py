"""Lecture 001 (Weber, Multimedia Retrieval), section 2.6: which threshold to take from the table of twenty rows."""

import math
from fractions import Fraction

import pytest

from germane.stats.thresholds.choice import choose_threshold
from germane.stats.thresholds.rules import parse_rule
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.decisions import Decisions
from tests.worked_examples.rows import as_printed

F = Fraction
CLASSES = [*"PPNPPPNNPNPNPNNNPNPN"]
# fmt: off
SCORES = [.90, .80, .70, .60, .55, .54, .53, .52, .51, .50, .40, .39, .38, .37, .36, .35, .34, .33, .30, .10]
LECTURE = Decisions.of([label == "P" for label in CLASSES], SCORES)

CHOICES = [
    # rule                              threshold  tied        value                      why
    ("accuracy",                        .54,       [.54],      F(14, 20),                 "the lecture: .54 has 70 %"),
    ("youden",                          .54,       [.54],      F(5, 10) + F(9, 10) - 1,   "sum of TPR and TNR 1.4"),
    ("closest",                         .51,       [.51, .40], F(4, 10)**2 + F(3, 10)**2, "(.3, .6) and (.4, .7) tie"),
    ("F1",                              .38,       [.38],      F(16, 23),                 "2·8 / (2·8 + 2 + 5)"),
    ("F2",                              .30,       [.30],      F(50, 59),                 "5·10 / (5·10 + 0 + 9)"),
    ("F0.5",                            .54,       [.54],      F(25, 34),                 "5·5 / (5·5 + 5 + 4·1)"),
    ("BA",                              .54,       [.54],      F(7, 10),                  "half the sum"),
    ("ERR",                             .54,       [.54],      F(6, 20),                  "lower is better"),
    ("MCC",                             .54,       [.54],      40 / math.sqrt(6 * 10 * 10 * 14), "(45 − 5) / √8400"),
    ("weighted(tpr=.5)",                .54,       [.54],      F(7, 10),                  "as balanced accuracy"),
    ("weighted(tpr=.7)",                .30,       [.30],      F(73, 100),                ".7·1 + .3·.1"),
    ("weighted(tpr=0)",                 math.inf,  [math.inf, .9, .8], F(1),              "TNR is 1 in three places"),
    ("cost",                            .54,       [.54],      F(6, 20),                  "equal costs: errors"),
    ("cost(cost_fn=5)",                 .30,       [.30],      F(9, 20),                  "9 false positives, 1 each"),
    ("cost(cost_fp=5)",                 .80,       [.80],      F(8, 20),                  "8 false negatives, 1 each"),
    ("cost(cost_fn=5, prevalence=.1)",  .54,       [.54],      F(5, 10) * F(5, 10) + F(9, 10) * F(1, 10), ".25 + .09"),
    ("TPR where TNR>=.9",               .54,       [.54],      F(5, 10),                  "FPR at most 10 %"),
    ("TPR where TNR>90%",               .80,       [.80],      F(2, 10),                  "the lecture's > 90 %"),
    ("TNR where TPR>=.8",               .38,       [.38],      F(5, 10),                  "the reverse"),
    ("TPR where PPV>=.8",               .54,       [.54],      F(5, 10),                  "5 of 6; .38 has 8 of 13"),
    ("TNR where NPV>=.7",               .38,       [.38],      F(5, 10),                  "5 of 7"),
    ("TPR where predicted<=25%",        .55,       [.55],      F(4, 10),                  "five may be called"),
    ("ACC where TPR>=.6 and TNR>=.6",   .51,       [.51, .40], F(13, 20),                 ".51 and .40 alike"),
]
# fmt: on


@pytest.mark.parametrize(("rule", "threshold", "tied", "value", "why"), CHOICES, ids=[row[0] for row in CHOICES])
def test_what_a_rule_chooses(rule: str, threshold: float, tied: list[float], value: Fraction, why: str) -> None:
    (point,) = choose_threshold(LECTURE, rule).points
    assert point.threshold == threshold, why
    assert list(point.tied) == tied, why
    assert point.value == float(value) or rule == "MCC", why
    assert point.value == pytest.approx(float(value)), why


def test_the_highlighted_row() -> None:
    """ "Using a threshold of 0.54": TP 5, FP 1, FN 5, TN 9; TPR 50 %, FPR 10 %, ACC 70 %."""
    choice = choose_threshold(LECTURE, "accuracy")
    assert choice.points[0].cells == Cells(TP=5, FP=1, FN=5, TN=9)
    assert as_printed(choice.points[0].value, "0.70") == "0.70"


# fmt: off
PAIRS = [
    # rule                                  out   in        +  -  why
    ("rule-out TPR>=.9, rule-in TNR>=.9",   .34, .54,       4, 7, "between: 4 P and 7 N of the twenty rows"),
    ("rule-in PPV>=.8, rule-out NPV>=.7",   .38, .54,       3, 4, "in any order; NPV 5/7, PPV 5/6"),
    ("rule-out FNR<=.1, rule-in FPR<=.1",   .34, .54,       4, 7, "the same by error rates"),
    ("rule-out TPR>=1, rule-in TNR>=1",     .30, .80,       8, 9, "nothing wrong: 17 of 20 undecided"),
    ("rule-out TPR>=.5, rule-in TNR>=.5",   .54, .38,       0, 0, "they cross: nothing is undecided"),
    ("rule-out TPR>=.5, rule-in TNR>=.9",   .54, .54,       0, 0, "they meet"),
]
# fmt: on


@pytest.mark.parametrize(("rule", "low", "high", "positives", "negatives", "why"), PAIRS)
def test_rule_out_and_rule_in(rule: str, low: float, high: float, positives: int, negatives: int, why: str) -> None:
    choice = choose_threshold(LECTURE, rule)
    assert (choice.rule_out, choice.rule_in) == (low, high), why
    assert choice.crossed == (high <= low)
    assert choice.undecided is not None
    assert (choice.undecided.positives, choice.undecided.negatives) == (positives, negatives), why
    assert choice.undecided.share == (positives + negatives) / 20
    assert str(parse_rule(rule)) == choice.rule


def test_the_lower_end_of_the_interval_is_harder_to_bring_over_a_target() -> None:
    """Wilson's interval of 10 of 10 begins at .722, that of 9 of 10 at .596."""
    on_point = choose_threshold(LECTURE, "TPR where TNR>=.7")
    on_lower = choose_threshold(LECTURE, "TPR where TNR>=.7", target_by="lower")
    assert (on_point.threshold, on_lower.threshold) == (0.51, 0.80)
    (target,) = on_lower.points[0].targets
    assert (target.value, round(target.bound, 4), target.met) == (1.0, 0.7225, True)
