"""The arithmetic of tuning on tables that can be checked on paper: choices, nested cross-validation, gap, curves."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from germane.learning.strategies.strategy import parse_strategy
from germane.learning.tuning.cells import Cells, rungs
from germane.learning.tuning.choices import choose_best, choose_by_razor, choose_simplest, levels_of
from germane.learning.tuning.nested_folds import Choose, Held, hold_out, learning_curve, procedure_of, validation_curves

BM25, TUNED, FEEDBACK, FUSED = map(parse_strategy, ("BM25", "BM25(k1=2)", "BM25+rm3", "fuse(rrf,BM25,QL)"))
STRATEGIES = [BM25, TUNED, FEEDBACK, FUSED]
LEVEL = levels_of(STRATEGIES)
ALL = np.arange(6)

BEST_BY_HAND = [
    # values of three strategies (rows) on two queries        best    why
    ([[0.1, 0.2], [0.3, 0.2], [0.2, 0.2]], 1, "the highest mean"),
    ([[0.1, 0.3], [0.2, 0.2], [0.1, 0.1]], 0, "of equal means the simplest"),
    ([[0.1, 0.1], [0.4, 0.0], [0.0, 0.4]], 1, "and of these the first"),
]


@pytest.mark.parametrize(("values", "best", "why"), BEST_BY_HAND)
def test_the_best_by_hand(values: list[list[float]], best: int, why: str) -> None:
    assert choose_best(np.array(values), np.array([0, 1, 1]), np.array([0, 1])) == best, why


def test_levels_and_the_simplest() -> None:
    assert LEVEL.tolist() == [0, 1, 2, 3]
    assert choose_simplest(np.array([1, 0, 0])) == 1


# Differences of the winner to BM25, by query: t = mean / (s / sqrt 6).
STEADY = np.array([0.10, 0.12, 0.08, 0.11, 0.09, 0.10])  # s = .0141, t = 17: significant
SHAKY = np.array([0.60, -0.40, 0.50, -0.30, 0.20, 0.00])  # mean .1, s = .405, t = .6: not


@pytest.mark.parametrize(("gain", "chosen"), [(STEADY, 3), (SHAKY, 0)])
def test_occams_razor_by_hand(gain: np.ndarray, chosen: int) -> None:
    plain = np.array([0.3, 0.5, 0.4, 0.6, 0.5, 0.4])
    poor = plain - 0.2 - STEADY
    values = np.stack([plain, poor, poor, plain + gain])
    assert choose_best(values, LEVEL, ALL) == 3
    assert choose_by_razor(values, LEVEL, ALL) == chosen


def test_the_razor_takes_the_best_of_the_equally_simple() -> None:
    plain = np.array([0.3, 0.5, 0.4, 0.6, 0.5, 0.4])
    values = np.stack([plain, plain + 0.01, plain + SHAKY])
    # The second differs from the first by the same everywhere, but neither differs significantly from the winner.
    assert choose_by_razor(values, np.array([0, 0, 1]), ALL) == 1


def test_one_query_cannot_be_tested_and_the_best_is_taken() -> None:
    assert choose_by_razor(np.array([[0.1], [0.2]]), np.array([0, 1]), np.array([0])) == 1


FOLD = np.array([0, 0, 1, 1, 2, 2])
VALUES = np.array(
    [
        [0.4, 0.4, 0.4, 0.4, 0.4, 0.4],
        [0.9, 0.9, 0.3, 0.3, 0.3, 0.3],  # best by far on fold 1 (.9), and nowhere else
        [0.2, 0.2, 0.5, 0.5, 0.2, 0.2],
    ]
)
"""Without fold 1 the means are .4, .3, .35; without fold 2 .4, .6, .2; without fold 3 .4, .6, .35."""


def cells_of(sign: float) -> Cells:
    return Cells(STRATEGIES, [], lambda _strategy, places: np.zeros(len(places)), sign)


def best(values: np.ndarray) -> Choose:
    return lambda rows: choose_best(values, np.zeros(len(values), np.int64), rows)


def test_nested_choice_and_gap_by_hand() -> None:
    held = hold_out(VALUES, FOLD, best(VALUES))
    assert held.choice.tolist() == [0, 1, 1]
    assert held.tuned == pytest.approx([0.4, 0.6, 0.6])
    assert held.values.tolist() == [0.4, 0.4, 0.3, 0.3, 0.3, 0.3]
    found = procedure_of("best", held, cells_of(1.0), VALUES[0], TUNED, level=0.95, alpha=0.05)
    assert found.tuned == pytest.approx((0.4 + 0.6 + 0.6) / 3)
    assert found.held_out == pytest.approx(2 / 6)
    assert found.gap == pytest.approx(1.6 / 3 - 2 / 6)  # .2: choosing promised that much too much
    assert found.difference == pytest.approx(2 / 6 - 0.4)
    assert [choice.strategy for choice in found.by_fold] == [BM25, TUNED, TUNED]
    assert [choice.held_out for choice in found.by_fold] == pytest.approx([0.4, 0.3, 0.3])
    assert found.low < found.held_out < found.high
    # the fold on which the second strategy shines never sees it chosen by its own shine
    assert found.held_out < VALUES[1].mean()


def test_where_less_is_better_all_is_told_in_its_own_units() -> None:
    held = hold_out(-VALUES, FOLD, best(-VALUES))
    found = procedure_of("best", held, cells_of(-1.0), -VALUES[0], BM25, level=0.95, alpha=0.05)
    assert held.choice.tolist() == [1, 2, 2]
    assert held.values.tolist() == [-0.9, -0.9, -0.5, -0.5, -0.2, -0.2]
    assert (found.tuned, found.held_out) == pytest.approx(((0.3 + 0.2 + 0.35) / 3, 1.6 / 3))
    assert found.gap == pytest.approx(1.6 / 3 - 0.85 / 3)  # lower is better, and it turned out higher: above 0


def gaps_of_one_strategy(tuned_mean: Callable[[Held], float]) -> Iterator[str]:
    """Law: a single strategy has gap 0 whatever the folds, for nothing was chosen."""
    generator = np.random.default_rng(3)
    for trial in range(20):
        fold = np.concatenate([[0, 1, 2], generator.integers(0, 3, 9)])  # of any sizes, none empty
        held = hold_out(generator.random((1, 12)), fold, lambda _: 0)
        if tuned_mean(held) != pytest.approx(held.values.mean()):
            yield f"trial {trial}"


def test_a_single_strategy_has_no_gap_whatever_the_folds() -> None:
    assert list(gaps_of_one_strategy(Held.tuned_mean)) == []
    assert list(gaps_of_one_strategy(lambda held: float(held.tuned[held.fold].mean()))) != []  # by held-out size


def test_uneven_folds_by_hand() -> None:
    values, fold = np.array([[0.0, 0.0, 0.0, 0.9]]), np.array([0, 0, 0, 1])
    held = hold_out(values, fold, lambda _: 0)
    assert held.tuned.tolist() == [0.9, 0.0]  # by one query, and by three
    assert held.tuned_mean() == pytest.approx((1 * 0.9 + 3 * 0.0) / 4)


def test_the_learning_curve_of_a_single_strategy_has_no_gap_in_uneven_folds() -> None:
    values, fold = np.array([[0.0, 0.0, 0.0, 0.3, 0.6, 0.9]]), np.array([0, 0, 0, 1, 1, 2])
    curve = learning_curve(values, np.array([0]), fold, draws=4000)
    assert curve[0].tuned == pytest.approx(values.mean(), abs=0.005)  # .3; by held-out size it would be .42
    assert curve[0].held_out == pytest.approx(values.mean())


def scores_that_saw_the_answer(choose_from: object) -> Iterator[str]:
    """Law: what a fold's queries score does not change which strategy is taken for them.

    Each fold's own values are replaced by those of a strategy that is best there only; its choice must not move.
    """
    generator = np.random.default_rng(5)
    for trial in range(20):
        values = generator.random((4, 12))
        fold = np.arange(12) % 3
        for number in range(3):
            planted = values.copy()
            planted[3, fold == number] = 9.0
            planted[:3, fold == number] = 0.0
            before = choose_from(values, fold)[number]  # type: ignore[operator]
            if choose_from(planted, fold)[number] != before:  # type: ignore[operator]
                yield f"trial {trial}, fold {number}"


def test_held_out_scores_never_use_the_held_out_queries() -> None:
    for level in (np.zeros(4, np.int64), np.arange(4)):
        for rule in (choose_best, choose_by_razor):

            def nested(
                values: np.ndarray, fold: np.ndarray, rule: object = rule, level: np.ndarray = level
            ) -> np.ndarray:
                return hold_out(values, fold, lambda rows: rule(values, level, rows)).choice  # type: ignore[operator]

            assert list(scores_that_saw_the_answer(nested)) == []


def test_the_law_catches_a_choice_by_all_queries() -> None:
    def peeking(values: np.ndarray, fold: np.ndarray) -> np.ndarray:
        everything = np.arange(len(fold))
        return hold_out(values, fold, lambda _: choose_best(values, np.zeros(4, np.int64), everything)).choice

    assert list(scores_that_saw_the_answer(peeking)) != []


def test_a_space_of_chance_overfits_and_one_strategy_does_not() -> None:
    noise = np.random.default_rng(1).random((200, 20))  # no strategy is better than any other
    fold, level = np.arange(20) % 5, np.zeros(200, np.int64)
    held = hold_out(noise, fold, best(noise))
    assert held.tuned_mean() > 0.6
    assert held.values.mean() == pytest.approx(0.5, abs=0.15)
    alone = hold_out(noise[:1], fold, lambda _: 0)
    assert alone.tuned_mean() == pytest.approx(alone.values.mean())  # no choice, no gap
    curve = learning_curve(noise, level, fold)
    assert (curve[0].x, curve[-1].x) == (2, 16)
    assert curve[0].tuned > curve[-1].tuned > curve[-1].held_out  # fewer queries promise more
    assert curve == learning_curve(noise, level, fold)  # the same seed, the same draws
    assert curve[-1].tuned == pytest.approx(held.tuned_mean())
    assert curve[-1].held_out == pytest.approx(float(held.values.mean()))


def test_validation_curves_by_hand() -> None:
    strategies = [parse_strategy(text) for text in ("BM25", "BM25(k1=2)", "BM25(k1=2)+rm3")]
    curves = validation_curves(VALUES, np.array([0, 0, 0]), FOLD, strategies)
    assert list(curves) == ["BM25.k1", "parts"]
    default, two = curves["BM25.k1"]
    assert (default.x, default.tuned, default.held_out) == pytest.approx((1.2, 0.4, 0.4))
    # k1 = 2: of the last two the third is taken without fold 1 (.35 against .3), else the second (.6)
    assert (two.x, two.tuned, two.held_out) == pytest.approx((2.0, (0.35 + 0.6 + 0.6) / 3, (0.2 + 0.3 + 0.3) / 3))
    one, both = curves["parts"]
    assert (one.x, both.x) == (1, 2)
    assert both.held_out == pytest.approx(2 / 6)


RUNGS_BY_HAND = [
    (27, 180, [(27, 20), (9, 60), (3, 180)]),
    (3, 180, [(3, 180)]),  # nothing to drop
    (1, 180, [(1, 180)]),
    (9, 30, [(9, 10), (3, 30)]),
    (100, 7, [(100, 7)]),  # too few queries to drop anything by
]


@pytest.mark.parametrize(("strategies", "queries", "expected"), RUNGS_BY_HAND)
def test_rungs_by_hand(strategies: int, queries: int, expected: list[tuple[int, int]]) -> None:
    assert rungs(strategies, queries) == expected
