"""Agreement between judges: worked tables, definitions written out, other libraries, and laws over the registry."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

from germane.errors import MeasureError
from germane.measures.agreement.kappa import kappa
from germane.measures.agreement.measure import AGREEMENT, NOTHING_SHARED
from germane.measures.agreement.tally import Patterns
from germane.tables.columns.ids import FloatArray

NAN = float("nan")
Measure = Callable[[FloatArray], float]


def rows(*counted: tuple[int, tuple[float, ...]]) -> FloatArray:
    """A table of items × judges, each row so many times."""
    return np.asarray([row for count, row in counted for _ in range(count)], dtype=np.float64)


# Lecture 004: 300 relevant to both, 70 to neither, 20 and 10 to one.
LECTURE = rows((300, (1, 1)), (70, (0, 0)), (20, (1, 0)), (10, (0, 1)))
# One grade prevails: 90 not relevant to both, 1 relevant to both, 9 to one of them.
SKEWED = rows((90, (0, 0)), (1, (1, 1)), (5, (0, 1)), (4, (1, 0)))
# Krippendorff's example of four observers and twelve units, with missing values.
FOUR_BY_TWELVE = np.asarray(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
# Fleiss's kind of table: 10 items, 14 judges, 5 grades; kappa .210.
FOURTEEN = np.asarray(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)
FOURTEEN_JUDGES = np.asarray([np.repeat(np.arange(5.0), counts) for counts in FOURTEEN])

WORKED = [
    # table           measure            value   digits  why
    (LECTURE, "observed", 0.925, 12, "370 of 400"),
    (LECTURE, "kappa_pooled", 0.776, 3, "lecture 004, with P(relevant) = 630/800 = .7875"),
    (LECTURE, "kappa", 0.7761, 4, "own marginals: 320/400 and 310/400"),
    (LECTURE, "overlap", 300 / 330, 12, "relevant to both, of those relevant to either"),
    (LECTURE, "positive", 600 / 630, 12, "2a / (2a + b + c)"),
    (LECTURE, "negative", 140 / 170, 12, "2d / (2d + b + c)"),
    (SKEWED, "observed", 0.91, 12, "91 of 100"),
    (SKEWED, "kappa", 0.135, 3, "hardly better than chance"),
    (SKEWED, "kappa_pooled", 0.134, 3, "Scott's pi"),
    (SKEWED, "fleiss", 0.134, 3, "with two judges, Scott's pi"),
    (SKEWED, "AC1", 0.90, 2, "chance agreement is small where one grade prevails"),
    (SKEWED, "PABAK", 0.82, 12, "2 * .91 - 1"),
    (SKEWED, "overlap", 0.10, 12, "1 of 10"),
    (FOUR_BY_TWELVE, "alpha_nominal", 0.7434, 4, "Krippendorff's example"),
    (FOUR_BY_TWELVE, "alpha_ordinal", 0.8154, 4, "Krippendorff's example"),
    (FOUR_BY_TWELVE, "alpha_interval", 0.8491, 4, "Krippendorff's example"),
    (FOUR_BY_TWELVE, "alpha_ratio", 0.7974, 4, "Krippendorff's example"),
    (FOUR_BY_TWELVE, "PABAK", 0.77273, 5, "(5 * 9/11 - 1) / 4"),
    (FOURTEEN_JUDGES, "fleiss", 0.210, 3, "the usual worked example"),
    (rows((2, (1, 1, 1)), (1, (1, 1, 0))), "overlap_all", 2 / 3, 12, "two of three are relevant to all"),
    (rows((1, (1, 1, 0))), "overlap", 1 / 3, 12, "the mean of 1, 0 and 0"),
    (rows((1, (1, 1, 0))), "observed", 1 / 3, 12, "one of three pairs of judges agrees"),
]


@pytest.mark.parametrize(("table", "name", "value", "digits", "why"), WORKED)
def test_worked_examples(table: FloatArray, name: str, value: float, digits: int, why: str) -> None:
    assert round(AGREEMENT.parse(name)(table), digits) == round(value, digits), why


def test_the_misprint_of_the_lecture_does_not_show() -> None:
    by_chance = 0.2125**2 + 0.7878**2
    assert round(by_chance, 3) == 0.666  # the lecture prints .665, which .7875 gives
    assert round(0.2125**2 + 0.7875**2, 3) == 0.665


def test_gwet_lets_items_with_one_grade_count_by_chance_and_we_do_not() -> None:
    """His .77544 for the same table takes the unit that one observer saw into the shares."""
    share = np.stack([np.equal(FOUR_BY_TWELVE, grade).sum(axis=1) for grade in range(1, 6)], axis=1).astype(float)
    share = (share / share.sum(axis=1, keepdims=True)).mean(axis=0)
    by_chance = (share * (1 - share)).sum() / 4
    observed = AGREEMENT.parse("observed")(FOUR_BY_TWELVE)
    assert (observed - by_chance) / (1 - by_chance) == pytest.approx(0.77544, abs=1e-5)
    assert AGREEMENT.parse("AC1")(FOUR_BY_TWELVE) == pytest.approx(0.77515, abs=1e-5)


def random_tables(num_judges: int, missing: float, seeds: range) -> Iterator[FloatArray]:
    for seed in seeds:
        random = np.random.default_rng(seed)
        truth = random.integers(0, 4, size=(40, 1))
        table = np.where(random.random((40, num_judges)) < 0.6, truth, random.integers(0, 4, (40, num_judges)))
        yield np.where(random.random(table.shape) < missing, NAN, table.astype(float))


@pytest.mark.parametrize("name", ["kappa", "kappa_linear", "kappa_quadratic"])
def test_kappa_equals_scikit_learn_and_statsmodels(name: str) -> None:
    weights = {"kappa": None, "kappa_linear": "linear", "kappa_quadratic": "quadratic"}[name]
    theirs = {None: None, "linear": "linear", "quadratic": "quadratic"}[weights]
    for table in random_tables(2, 0, range(5)):
        value = AGREEMENT.parse(name)(table, grades=[0, 1, 2, 3])
        assert value == pytest.approx(cohen_kappa_score(*table.T.astype(int), weights=weights))
        counts = np.zeros((4, 4))
        np.add.at(counts, tuple(table.T.astype(int)), 1)
        assert value == pytest.approx(cohens_kappa(counts, wt=theirs, return_results=False))


def test_fleiss_equals_statsmodels() -> None:
    for table in random_tables(5, 0, range(5)):
        counts, _ = aggregate_raters(table.astype(int))
        assert AGREEMENT.parse("fleiss")(table) == pytest.approx(fleiss_kappa(counts))


def alpha_by_definition(table: FloatArray, apart: Callable[[float, float], float]) -> float:
    """One minus the mean difference of two grades of one item, over that of any two grades; item by item."""
    units = [row[~np.isnan(row)].tolist() for row in table]
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    seen = sum(sum(apart(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units)
    any_two = sum(apart(a, b) for a, b in permutations(values, 2)) / (len(values) - 1)
    return 1 - seen / any_two


@pytest.mark.parametrize(
    ("name", "apart"),
    [
        ("alpha_nominal", lambda a, b: float(a != b)),
        ("alpha_interval", lambda a, b: (a - b) ** 2),
        ("alpha_ratio", lambda a, b: 0.0 if a == b else ((a - b) / (a + b)) ** 2),
    ],
)
def test_alpha_equals_its_definition(name: str, apart: Callable[[float, float], float]) -> None:
    for table in random_tables(4, 0.3, range(3)):
        assert AGREEMENT.parse(name)(table) == pytest.approx(alpha_by_definition(table, apart))


def gwet_by_definition(table: FloatArray, near: Callable[[float, float], float], grades: list[float]) -> float:
    units = [row[~np.isnan(row)].tolist() for row in table]
    units = [unit for unit in units if len(unit) > 1]
    observed = np.mean([np.mean([near(a, b) for a, b in combinations(unit, 2)]) for unit in units])
    share = [float(np.mean([unit.count(grade) / len(unit) for unit in units])) for grade in grades]
    total, q = sum(near(a, b) for a in grades for b in grades), len(grades)
    by_chance = total / (q * (q - 1)) * sum(pi * (1 - pi) for pi in share)
    return float((observed - by_chance) / (1 - by_chance))


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("AC1", lambda a, b: float(a == b)),
        ("AC2_linear", lambda a, b: 1 - abs(a - b) / 3),
        ("AC2_quadratic", lambda a, b: 1 - (a - b) ** 2 / 9),
    ],
)
def test_gwet_equals_its_definition(name: str, near: Callable[[float, float], float]) -> None:
    for table in random_tables(4, 0.3, range(3)):
        expected = gwet_by_definition(table, near, [0, 1, 2, 3])
        assert AGREEMENT.parse(name)(table, grades=[0, 1, 2, 3]) == pytest.approx(expected)


def test_weights_go_by_the_grades_and_not_by_their_places() -> None:
    table = rows((5, (0, 0)), (2, (0, 1)), (3, (3, 1)), (4, (3, 3)))
    by_place = kappa([[5, 2, 0], [0, 0, 0], [0, 3, 4]], weights="linear").item()
    by_grade = AGREEMENT.parse("kappa_linear")(table)
    assert by_grade == pytest.approx(AGREEMENT.parse("kappa_linear")(table, grades=[0, 1, 2, 3]))
    assert by_grade != pytest.approx(by_place)


# Laws, over all measures

SMALL_TABLES = st.lists(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, NAN]), min_size=3, max_size=3), min_size=3, max_size=12
).map(np.asarray)
MEASURES = [pytest.param(entry, id=entry.name) for entry in AGREEMENT]


def same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or a == pytest.approx(b, abs=1e-9)


def changed_by_relabelling(measure: Measure, table: FloatArray) -> list[tuple[int, ...]]:
    """Orders of the judges that change the value."""
    value = measure(table)
    return [order for order in permutations(range(table.shape[1])) if not same(measure(table[:, list(order)]), value)]


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=12)
@given(table=SMALL_TABLES)
def test_relabelling_judges_changes_nothing(measure: Measure, table: FloatArray) -> None:
    assert changed_by_relabelling(measure, table) == []


def test_the_relabelling_law_catches_a_measure_that_trusts_the_first_judge() -> None:
    first_is_right = lambda table: float(np.mean(table[:, 1] >= table[:, 0]))
    assert changed_by_relabelling(first_is_right, rows((1, (0, 1, 1)), (2, (1, 1, 0)))) != []


def short_of_one(measure: Measure) -> list[int]:
    """Numbers of judges whose full agreement on several grades is not 1."""
    grades = np.asarray([0.0, 1.0, 1.0, 2.0])
    return [judges for judges in (2, 3, 5) if measure(np.repeat(grades[:, None], judges, axis=1)) != 1]


@pytest.mark.parametrize("measure", MEASURES)
def test_all_agree_gives_exactly_one(measure: Measure) -> None:
    assert short_of_one(measure) == []


def test_the_law_of_full_agreement_catches_a_measure_that_counts_only_relevant_items() -> None:
    relevant = lambda table: float(np.mean((table > 0).all(axis=1)))
    assert short_of_one(relevant) != []


def changed_by_lone_grades(measure: Measure, table: FloatArray) -> list[float]:
    """Grades that change the value when an item gets them from one judge alone."""
    lone = [[grade, NAN, NAN] for grade in (0.0, 1.0, 2.0)]
    return [row[0] for row in lone if not same(measure(np.vstack([table, [row]])), measure(table))]


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=12)
@given(table=SMALL_TABLES)
def test_missing_values_only_reduce_pairs(measure: Measure, table: FloatArray) -> None:
    full = np.vstack([table, [[0, 1, 2]]])  # the scale is the same with and without
    assert changed_by_lone_grades(measure, full) == []


def test_the_law_of_missing_values_catches_a_measure_that_takes_them_for_zero() -> None:
    zero = lambda table: AGREEMENT.parse("observed")(np.nan_to_num(table))
    assert changed_by_lone_grades(zero, rows((2, (1, 1, 1)), (1, (0, 1, 2)))) != []


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=12)
@given(table=SMALL_TABLES)
def test_nothing_exceeds_one(measure: Measure, table: FloatArray) -> None:
    value = measure(table)
    assert math.isnan(value) or value <= 1 + 1e-12


@pytest.mark.parametrize("measure", AGREEMENT, ids=lambda entry: entry.name)
def test_every_measure_says_what_it_is(measure: object) -> None:
    entry = AGREEMENT.parse(getattr(measure, "name"))  # noqa: B009 - parametrised by object
    assert set(entry.sections) == {"Formula", "Reference", "Edge cases"}
    assert entry.summary.endswith((".", ":"))


# Undefined

UNDEFINED = [
    # table                 measure          reason contains
    (rows((3, (0, 0))), "kappa", "only one grade"),
    (rows((3, (0, 0))), "alpha_ordinal", "only one grade"),
    (rows((3, (0, 0))), "AC1", "scale has only one grade"),
    (rows((3, (0, 0))), "overlap", "no shared item was graded relevant by any assessor"),
    (rows((3, (1, 1))), "negative", "non-relevant"),
    (rows((3, (0, NAN)), (3, (NAN, 1))), "observed", NOTHING_SHARED),
    (np.zeros((0, 2)), "kappa", NOTHING_SHARED),
]


@pytest.mark.parametrize(("table", "name", "reason"), UNDEFINED)
def test_undefined_is_nan_with_a_reason(table: FloatArray, name: str, reason: str) -> None:
    measure = AGREEMENT.parse(name)
    assert math.isnan(measure(table))
    assert reason in (measure.reason(Patterns(table)) or "")


def test_a_stated_scale_defines_ac1_where_one_grade_was_given() -> None:
    table = rows((3, (0, 0)))
    assert AGREEMENT.parse("AC1")(table, grades=[0, 1]) == 1
    assert AGREEMENT.parse("AC1").reason(Patterns(table, grades=[0, 1])) is None


def test_a_grade_outside_the_scale_is_an_error() -> None:
    with pytest.raises(MeasureError, match=r"scale 0, 1, found 2"):
        Patterns([[0, 2]], grades=[0, 1])


def test_a_slip_in_a_name_is_explained() -> None:
    with pytest.raises(MeasureError, match="did you mean kappa"):
        AGREEMENT.parse("kapa")
