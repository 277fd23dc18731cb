"""Each rule against trying every threshold with fractions; the grammar; what cannot be chosen; stability."""

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.errors import GermaneError, MeasureError
from germane.measures.decisions.rates import RATES, Rate
from germane.stats.thresholds.aims import BestRule, PairRule
from germane.stats.thresholds.choice import choose_threshold
from germane.stats.thresholds.rules import THRESHOLD_RULES, RuleEntry, parse_rule, parse_target
from germane.stats.thresholds.stability import threshold_stability
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.decisions import Decisions

F = Fraction
Counts = tuple[int, int, int, int]
Value = Callable[[int, int, int, int], Fraction | None]
Rows = list[tuple[bool, float]]


def squared_mcc(tp: int, fp: int, fn: int, tn: int) -> Fraction | None:
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return F((tp * tn - fp * fn) * abs(tp * tn - fp * fn), below) if below else None


def share(a: int, b: int) -> Fraction | None:
    return F(a, b) if b else None


def always(a: int, b: int) -> Fraction:
    """A share of the positives, or of the negatives: there are some."""
    return F(a, b)


# The value by hand (None: not defined), whether more is better, and which thresholds may be chosen.
# fmt: off
BY_HAND: dict[str, tuple[Value, bool, Callable[[int, int, int, int], bool]]] = {
    "accuracy": (lambda tp, fp, fn, tn: F(tp + tn, tp + fp + fn + tn), True, lambda *_: True),
    "youden": (lambda tp, fp, fn, tn: always(tp, tp + fn) + always(tn, tn + fp), True, lambda *_: True),
    "closest": (lambda tp, fp, fn, tn: always(fn, tp + fn)**2 + always(fp, tn + fp)**2, False, lambda *_: True),
    "eer": (lambda tp, fp, fn, tn: abs(always(fp, tn + fp) - always(fn, tp + fn)), False, lambda *_: True),
    "weighted(tpr=.7)": (
        lambda tp, fp, fn, tn: F(7, 10) * always(tp, tp + fn) + F(3, 10) * always(tn, tn + fp), True, lambda *_: True),
    "F2": (lambda tp, fp, fn, tn: F(5 * tp, 5 * tp + 4 * fn + fp), True, lambda *_: True),
    "MCC": (squared_mcc, True, lambda *_: True),
    "PPV": (lambda tp, fp, fn, tn: share(tp, tp + fp), True, lambda *_: True),
    "FOR": (lambda tp, fp, fn, tn: share(fn, fn + tn), False, lambda *_: True),
    "cost(cost_fn=5)": (lambda tp, fp, fn, tn: F(fp + 5 * fn, tp + fp + fn + tn), False, lambda *_: True),
    "cost(cost_fp=.1, cost_fn=.7, prevalence=.3)": (
        lambda tp, fp, fn, tn: F(7, 10) * F(3, 10) * F(fn, tp + fn) + F(1, 10) * F(7, 10) * F(fp, fp + tn),
        False, lambda *_: True),
    "TPR where TNR>=.7": (
        lambda tp, fp, fn, tn: F(tp, tp + fn), True, lambda tp, fp, fn, tn: F(tn, tn + fp) >= F(7, 10)),
    "TNR where TPR>.6": (
        lambda tp, fp, fn, tn: F(tn, tn + fp), True, lambda tp, fp, fn, tn: F(tp, tp + fn) > F(6, 10)),
    "TPR where FPR<=30%": (
        lambda tp, fp, fn, tn: F(tp, tp + fn), True, lambda tp, fp, fn, tn: F(fp, tn + fp) <= F(3, 10)),
    "TPR where PPV>=.6": (
        lambda tp, fp, fn, tn: F(tp, tp + fn), True, lambda tp, fp, fn, tn: (share(tp, tp + fp) or 0) >= F(6, 10)),
}
# fmt: on


def tried(rows: Rows) -> Iterator[tuple[float, Counts]]:
    """Every threshold, highest first, and its cells counted one by one."""
    for threshold in [math.inf, *sorted({score for _, score in rows}, reverse=True)]:
        called = [(positive, score >= threshold) for positive, score in rows]
        yield (
            threshold,
            tuple(called.count(kind) for kind in ((True, True), (False, True), (True, False), (False, False))),
        )  # type: ignore[misc]


def best_by_hand(rule: str, rows: Rows) -> list[float]:
    """All tied thresholds, highest first; none if nothing may be chosen."""
    value, more, allowed = BY_HAND[rule]
    found = [(value(*cells), threshold) for threshold, cells in tried(rows) if allowed(*cells)]
    defined = [(v, threshold) for v, threshold in found if v is not None]
    if not defined:
        return []
    best = (max if more else min)(v for v, _ in defined)
    return [threshold for v, threshold in defined if v == best]


def decisions(rows: Rows) -> Decisions:
    return Decisions.of([positive for positive, _ in rows], [score for _, score in rows])


def chosen(rule: str, rows: Rows) -> list[float]:
    try:
        return list(choose_threshold(decisions(rows), rule).points[0].tied)
    except GermaneError:
        return []


def both_classes(rows: Rows) -> bool:
    return len({positive for positive, _ in rows}) == 2


ROWS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.1, 0.2, 0.25, 0.3, 0.5, 0.7, 0.9, -1.0, 2.0])), min_size=2, max_size=40
).filter(both_classes)


@pytest.mark.parametrize("rule", BY_HAND)
@given(rows=ROWS)
@settings(max_examples=40, deadline=None)
def test_a_rule_chooses_what_trying_every_threshold_finds(rule: str, rows: Rows) -> None:
    assert chosen(rule, rows) == best_by_hand(rule, rows)


def made_rows(num: int) -> Iterator[Rows]:
    draw = random.Random(4)
    while num:
        rows = [(draw.random() < 0.5, draw.randrange(12) / 12) for _ in range(draw.randrange(5, 40))]
        if both_classes(rows):
            num -= 1
            yield rows


def wrongly_chosen(choose: Callable[[str, Rows], list[float]], rule: str) -> list[Rows]:
    return [rows for rows in made_rows(300) if choose(rule, rows) != best_by_hand(rule, rows)]


def by_rounded_values(rule: str, rows: Rows) -> list[float]:
    """A broken chooser: ties are what happens to be equal in floating point."""
    parsed = parse_rule(rule)
    assert isinstance(parsed, BestRule)
    found = [(float(parsed.objective(Cells(*cells))), threshold) for threshold, cells in tried(rows)]
    found = [(value, threshold) for value, threshold in found if not math.isnan(value)]
    best = (max if parsed.objective.better == "higher" else min)(value for value, _ in found)
    return [threshold for value, threshold in found if value == best]


@pytest.mark.parametrize("rule", ["youden", "weighted(tpr=.7)"])
def test_the_law_catches_a_chooser_that_trusts_rounded_values(rule: str) -> None:
    assert wrongly_chosen(by_rounded_values, rule) != []
    assert wrongly_chosen(chosen, rule) == []


def test_the_law_catches_a_chooser_that_takes_the_lowest_of_tied_thresholds() -> None:
    assert wrongly_chosen(lambda rule, rows: chosen(rule, rows)[::-1], "accuracy") != []


@pytest.mark.parametrize(
    "rate", [r for r in RATES if r.better != "neither" and not r.needs_parameters], ids=lambda r: r.name
)
def test_any_rate_can_be_at_its_best(rate: Rate) -> None:
    up = 1 if rate.better == "higher" else -1
    for rows in made_rows(15):
        point = choose_threshold(decisions(rows), rate.name).points[0]
        values = [float(rate(Cells(*cells))) for _, cells in tried(rows)]
        assert up * point.value >= max(up * value for value in values if not math.isnan(value)) - 1e-12
        assert point.cells == decisions(rows).at(point.threshold)


@given(rows=ROWS, out=st.sampled_from([0.5, 0.7, 0.9, 1]), into=st.sampled_from([0.5, 0.7, 0.9, 1]))
@settings(max_examples=60, deadline=None)
def test_a_pair_by_trying_every_threshold(rows: Rows, out: float, into: float) -> None:
    choice = choose_threshold(decisions(rows), f"rule-out TPR>={out}, rule-in TNR>={into}")
    every = list(tried(rows))
    rules_out = [t for t, (tp, _, fn, _) in every if F(tp, tp + fn) >= F(str(out))]
    rules_in = [t for t, (_, fp, _, tn) in every if F(tn, tn + fp) >= F(str(into))]
    assert (choice.rule_out, choice.rule_in) == (max(rules_out), min(rules_in))
    zone = [positive for positive, score in rows if choice.rule_out <= score < choice.rule_in]
    assert choice.undecided is not None
    assert (choice.undecided.positives, choice.undecided.negatives) == (zone.count(True), zone.count(False))


@pytest.mark.parametrize("rule", [entry.example for entry in THRESHOLD_RULES.values()])
def test_whole_weights_are_repetitions_and_the_scale_of_scores_plays_no_part(rule: str) -> None:
    for rows in made_rows(10):
        weights = [1 + i % 3 for i in range(len(rows))]
        weighted = Decisions.of([p for p, _ in rows], [s for _, s in rows], weights)
        repeated = decisions([row for row, times in zip(rows, weights, strict=True) for _ in range(times)])
        assert choose_threshold(weighted, rule).points == choose_threshold(repeated, rule).points
        stretched = decisions([(p, math.exp(5 * s)) for p, s in rows])
        cells = [point.cells for point in choose_threshold(stretched, rule).points]
        assert cells == [point.cells for point in choose_threshold(decisions(rows), rule).points]


def test_long_runs_of_tied_thresholds_cost_little() -> None:
    """Below the last positive TPR stays 1: each of these thresholds is as good, and none is worked out twice."""
    below = 20_000
    scores = np.arange(below + 2, dtype=float)
    point = choose_threshold(Decisions.of(scores >= below, scores), "TPR").points[0]
    assert point.threshold == below
    assert len(point.tied) == below + 1


def test_a_score_that_is_infinite_leaves_no_room_to_call_nothing_positive() -> None:
    point = choose_threshold(Decisions.of([False, True], [math.inf, 0.5]), "accuracy").points[0]
    assert (point.threshold, point.cells) == (0.5, Cells(TP=1, FP=1, FN=0, TN=0))


# fmt: off
WRITTEN = [
    # what a person types                          what it is
    ("accuracy",                                   "accuracy"),
    (" Youden ",                                   "youden"),
    ("informedness",                               "informedness"),
    ("weighted(tpr=.7)",                           "weighted(tpr=0.7)"),
    ("cost(cost_fp=1, cost_fn=5, prevalence=.01)", "cost(cost_fn=5, prevalence=0.01)"),
    ("f(beta=2)",                                  "F2"),
    ("sensitivity where specificity ≥ 90%",        "TPR where TNR >= 0.9"),
    ("TPR WHERE PPV>=.8 AND predicted<.1",         "TPR where PPV >= 0.8 and predicted < 0.1"),
    ("net_benefit(act_at=.1)",                     "net_benefit(act_at=0.1)"),
    ("TPR where PPV_at(prevalence=.01)>=.5",       "TPR where PPV_at(prevalence=0.01) >= 0.5"),
    ("rule-in PPV>=.9, rule-out recall>=.95",      "rule-out TPR >= 0.95, rule-in PPV >= 0.9"),
]

NOT_RULES = [
    ("yuden",                                "unknown rule or rate 'yuden'; did you mean youden?"),
    ("TNR>=.9",                              "missing objective: .*\n.*TPR where TNR>=.9"),
    ("TPR where TNR",                        "such as TNR>=0.9; found 'TNR'"),
    ("TPR where TNR>=.9.9",                  "found 'TNR>=.9.9'"),
    ("TPR where TNR>=90",                    "TNR is between 0 and 1"),
    ("TPR where QQQ>=.9",                    "unknown rate 'QQQ'"),
    ("weighted",                             "requires tpr"),
    ("weighted(tpr=2)",                      "weighted: expected a number between 0 and 1 for tpr"),
    ("weighted(tpr=nan)",                    "weighted: expected a number between 0 and 1 for tpr"),
    ("weighted(tnr=.2)",                     "no parameter 'tnr'; did you mean tpr?"),
    ("closest(x=1)",                         "no parameter 'x'"),
    ("cost(cost_fn=-1)",                     "cost: expected a number of 0 or more for cost_fn"),
    ("cost(prevalence=2)",                   "cost: expected a number between 0 and 1 for prevalence"),
    ("PPV_at",                               "requires prevalence"),
    ("prevalence",                           "has no better direction"),
    ("rule-out TPR>=.9",                     "expected rule-out and rule-in with one target each"),
    ("rule-out TPR>=.9, rule-out TPR>=.8",   "expected rule-out and rule-in with one target each"),
    ("rule-out TNR>=.9, rule-in TPR>=.9",    "cannot rule out\n.*TPR>=… or NPV>=…"),
    ("rule-out TPR<=.9, rule-in TNR>=.9",    "cannot rule out"),
    ("",                                     "expected a rate such as"),
    ("recal where precision>=.9",            "unknown rule or rate 'recal'; did you mean TPR"),
]
# fmt: on


@pytest.mark.parametrize(("typed", "meant"), WRITTEN)
def test_how_a_rule_is_written(typed: str, meant: str) -> None:
    assert str(parse_rule(typed)) == meant
    assert str(parse_rule(meant)) == meant


@pytest.mark.parametrize(("typed", "said"), NOT_RULES)
def test_what_is_not_a_rule(typed: str, said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        parse_rule(typed)


@pytest.mark.parametrize("entry", THRESHOLD_RULES.values(), ids=lambda entry: entry.name)
def test_every_listed_rule_has_an_example_that_works(entry: RuleEntry) -> None:
    assert isinstance(parse_rule(entry.example), BestRule | PairRule)
    assert entry.description.endswith(".")


SEEN = Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.6])

# fmt: off
CANNOT = [
    # rule                           on       what is said
    ("TPR where PPV>=.9 and TPR>=.9", "value", "no threshold meets all of PPV >= 0.9, TPR >= 0.9"),
    ("TPR where TNR>=.9",            "lower", "the highest 95% Wilson limit of TNR is 0.3424, at inf"),
    ("rule-out NPV>=.8, rule-in TNR>=.5", "lower", "no threshold meets NPV >= 0.8"),
    ("TPR where LR->=3",             "value", r"no threshold meets LR- >= 3: the highest LR- is 1, at inf"),
    ("TPR where F1>=.9",             "lower", "F1 is not a proportion"),
    ("youden",                       "lower", "requires a rule with a target, found youden"),
    ("youden",                       "upper", "expected target_by='value' or 'lower', found 'upper'"),
]
# fmt: on


@pytest.mark.parametrize(("rule", "on", "said"), CANNOT)
def test_what_cannot_be_chosen_is_an_error_that_says_what_can(rule: str, on: str, said: str) -> None:
    with pytest.raises(GermaneError, match=said):
        choose_threshold(SEEN, rule, target_by=on)  # type: ignore[arg-type]


def test_an_unreached_target_names_the_best_there_is_and_where() -> None:
    unlucky = Decisions.of([False, True, True, False], [0.9, 0.8, 0.7, 0.6])
    with pytest.raises(GermaneError, match=r"no threshold meets PPV >= 0.7: the highest PPV is 0.6667, at 0.7"):
        choose_threshold(unlucky, "TPR where PPV>=.7")


def test_one_class_leaves_nothing_to_choose() -> None:
    with pytest.raises(GermaneError, match="found no negatives"):
        choose_threshold(Decisions.of([True, True], [0.2, 0.3]))


def test_fractional_weights_have_points_but_no_wilson_interval() -> None:
    weighted = Decisions.of([True, True, False], [0.9, 0.5, 0.4], [0.5, 1.5, 2.5])
    assert choose_threshold(weighted, "TPR where TNR>=.9").threshold == 0.5
    with pytest.raises(GermaneError, match="requires integer weights"):
        choose_threshold(weighted, "TPR where TNR>=.9", target_by="lower")
    assert threshold_stability(weighted).remark == "not resampled: weights are not integers"


def test_a_target_near_its_limit_is_decided_by_fractions() -> None:
    """In floating point 1 - .9 is below .1; 9 of 90 is .1 exactly and meets FPR <= .1."""
    rows = [(True, 0.8)] * 3 + [(False, 0.9)] * 9 + [(False, 0.1)] * 81
    assert choose_threshold(decisions(rows), "TPR where FPR<=.1").threshold == 0.8
    assert choose_threshold(decisions(rows), "TPR where FPR<.1").threshold == math.inf
    assert str(parse_target("FPR < .1")) == "FPR < 0.1"


def test_choices_by_resample_are_those_of_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the resamples choose at once is what `choose_threshold` chooses on each, one after the other."""
    rows = next(made_rows(1))
    draw = random.Random(1)
    counts = np.asarray(
        [np.bincount(draw.choices(range(len(rows)), k=len(rows)), minlength=len(rows)) for _ in range(40)]
    )
    ordered = sorted(rows, key=lambda row: (-row[1], not row[0]))
    monkeypatch.setattr(
        "germane.stats.thresholds.stability.bootstrap_counts", lambda *_, **__: iter([counts.astype(np.float64)])
    )
    for rule in ("accuracy", "closest", "FPR", "MCC", "TPR where PPV>=.6", "rule-out TPR>=.9, rule-in TNR>=.9"):
        original = choose_threshold(decisions(rows), rule)
        found: dict[str, list[float]] = {point.name: [] for point in original.points}
        for times in counts:
            resample = [row for row, t in zip(ordered, times, strict=True) for _ in range(t)]
            try:
                for point in choose_threshold(decisions(resample), rule).points:
                    found[point.name].append(point.threshold)
            except GermaneError:
                pass
        stability = threshold_stability(decisions(rows), rule, resamples=40)
        for point in original.points:
            movement = stability[point.name]
            assert movement.same == pytest.approx(found[point.name].count(point.threshold) / 40), rule
            assert movement.unmet == pytest.approx(1 - len(found[point.name]) / 40), rule
            ends = np.quantile(found[point.name], [0.025, 0.975], method="inverted_cdf")
            assert [movement.low, movement.high] == ends.tolist(), rule


def test_stability_is_reproducible_and_optimism_is_on_the_side_of_better() -> None:
    draw = np.random.default_rng(3)
    truth = draw.random(150) < 0.4
    dev = Decisions.of(truth, draw.normal(size=150) + truth)
    for rule in ("youden", "HTER"):  # higher is better, and lower is
        movement = threshold_stability(dev, rule, resamples=300, seed=5)["threshold"]
        assert movement == threshold_stability(dev, rule, resamples=300, seed=5)["threshold"]
        assert movement != threshold_stability(dev, rule, resamples=300, seed=6)["threshold"]
        assert movement.optimism > 0
        assert movement.low <= choose_threshold(dev, rule).threshold <= movement.high


def test_rows_drawn_one_by_one_and_by_group_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(7)
    truth = draw.random(2_000) < 0.4
    dev = Decisions.of(truth, np.round(draw.normal(size=2_000) + truth, 1))
    by_row = threshold_stability(dev, resamples=4_000)["threshold"]
    monkeypatch.setattr("germane.stats.thresholds.stability.MOST_ROWS", 1_000)
    by_group = threshold_stability(dev, resamples=4_000)["threshold"]
    assert by_group != by_row
    assert (by_group.low, by_group.high) == (by_row.low, by_row.high)
    assert by_group.same == pytest.approx(by_row.same, abs=0.04)
    assert by_group.optimism == pytest.approx(by_row.optimism, abs=0.002)
    assert threshold_stability(dev, resamples=100).remark == ""


def test_very_many_rows_are_resampled_less_often_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("germane.stats.thresholds.stability.MOST_ROWS", 3)
    monkeypatch.setattr("germane.stats.thresholds.stability.MOST_GROUPS", 3)
    monkeypatch.setattr("germane.stats.thresholds.stability.MOST_DRAWS", 200)
    many = "4 rows with 4 distinct scores take long"
    fewer = threshold_stability(SEEN)
    assert (fewer.resamples, fewer.remark) == (50, f"only 50 resamples: {many}; use --resamples 2000 for more")
    assert threshold_stability(SEEN, resamples=50)["threshold"] == fewer["threshold"]
    monkeypatch.setattr("germane.stats.thresholds.stability.MOST_DRAWS", 100)
    none = threshold_stability(SEEN)
    assert (none.resamples, none.remark) == (0, f"not resampled: {many}; use --resamples 200 to resample anyway")
    assert math.isnan(none["threshold"].low)
    asked = threshold_stability(SEEN, resamples=100)
    assert (asked.resamples, asked.remark) == (100, "")
    assert not math.isnan(asked["threshold"].low)


def test_too_few_resamples_are_refused() -> None:
    with pytest.raises(GermaneError, match="expected at least 40 resamples"):
        threshold_stability(SEEN, resamples=10)


def test_an_infinite_cost_is_refused() -> None:
    with pytest.raises(MeasureError, match="cost_fn"):
        parse_rule("cost(cost_fn=inf)")
