"""The Ranking SVM: on paper, against scikit-learn on pairs written out, and on real rankings."""

import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.svm import LinearSVC

from germane import evaluate
from germane.errors import GermaneError
from germane.learning.learners.kernel_map import FourierMap, NystroemMap
from germane.learning.learners.linear_score import LinearScore
from germane.learning.learners.ordinal import OrderedLogit
from germane.learning.learners.ranking_svm import RankingSVM
from germane.learning.learners.ranking_svm_newton import Hinges, pair_data
from germane.learning.learners.svm import SVMClassifier

Floats = npt.NDArray[np.float64]
Data = tuple[Floats, Floats, npt.NDArray[np.int64]]


def made(rows: int = 60, columns: int = 4, queries: int = 5, grades: int = 3, seed: int = 0) -> Data:
    """Grades that follow the features, with noise; queries of different lengths, their rows mixed."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(rows, columns))
    noisy = features @ np.linspace(1, -1, columns) + random.normal(size=rows)
    grade = np.digitize(noisy, np.quantile(noisy, np.linspace(0, 1, grades + 1)[1:-1])).astype(np.float64)
    return features, grade, random.integers(0, queries, rows)


def pairs_of(y: Floats, query: npt.NDArray[Any]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    better, worse = np.nonzero((y[:, None] > y) & (query[:, None] == query))
    return better, worse


def objective(w: Floats, C: float, data: Data, pair_weight: str = "pair") -> float:
    """The formula itself, on pairs written out."""
    X, y, query = data
    better, worse = pairs_of(y, query)
    weight = np.ones(len(better))
    if pair_weight == "query":
        weight /= np.bincount(query[better])[query[better]]
    return float(0.5 * w @ w + C * (weight * np.maximum(0, 1 - (X[better] - X[worse]) @ w) ** 2).sum())


def best_of_sklearn(C: float, data: Data) -> Floats:
    X, y, query = data
    better, worse = pairs_of(y, query)
    sign = np.where(np.arange(len(better)) % 2, 1.0, -1.0)  # it wants two classes
    solver = LinearSVC(loss="squared_hinge", dual=False, fit_intercept=False, C=C, tol=1e-8, max_iter=10**6)
    weights: Floats = solver.fit((X[better] - X[worse]) * sign[:, None], sign).coef_[0]
    return weights


PAPER = [
    # rows                       grades     C    weights               objective  why
    ([[1.0], [0.0]],             [1, 0],    1.0, [2 / 3],              1 / 3,     "½w² + (1-w)²: w = 2(1-w)"),
    ([[1.0], [0.0]],             [0, 1],    1.0, [-2 / 3],             1 / 3,     "the other one is better"),
    ([[1.0], [0.0]],             [7, 3],    0.5, [1 / 2],              1 / 4,     "only the order of grades counts"),
    ([[3.0, 5.0], [2.0, 5.0]],   [1, 0],    1.0, [2 / 3, 0],           1 / 3,     "what is constant gets no weight"),
    ([[1.0, 0.0], [0.0, 1.0]],   [1, 0],    1.0, [2 / 5, -2 / 5],      1 / 5,     "w = 2(1-2w), twice"),
    ([[2.0], [1.0], [0.0]],      [2, 1, 0], 1.0, [4 / 5],              2 / 5,     "margins w, w and 2w: w is open"),
]  # fmt: skip


@pytest.mark.parametrize("solver", ["hessian", "conjugate gradients"])
@pytest.mark.parametrize(("rows", "grades", "C", "weights", "value", "why"), PAPER)
def test_solved_on_paper(
    solver: Any, rows: list[list[float]], grades: list[int], C: float, weights: list[float], value: float, why: str
) -> None:
    model = RankingSVM(C, solver=solver, tol=1e-14).fit(rows, grades, ["q"] * len(rows))
    assert model.coef_ == pytest.approx(weights, abs=1e-6), why
    assert model.objective_ == pytest.approx(value), why


@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("solver", ["hessian", "conjugate gradients"])
def test_the_minimum_is_that_of_sklearn_on_pairs(C: float, solver: Any) -> None:
    data = made()
    model = RankingSVM(C, solver=solver).fit(*data)
    expected = objective(best_of_sklearn(C, data), C, data)
    assert model.objective_ == pytest.approx(objective(model.coef_, C, data), rel=1e-10)
    assert model.objective_ <= expected * (1 + 1e-8)
    assert model.num_pairs_ == len(pairs_of(data[1], data[2])[0])
    assert (model.objective_ - expected) / model.objective_ <= model.gap_ + 1e-12  # the last digits are rounding
    assert model.gap_ <= 1e-8


GRADED = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=25
)


@settings(max_examples=40)
@given(rows=GRADED, C=st.sampled_from([0.01, 1.0, 50.0]), weight=st.sampled_from(["pair", "query"]))
def test_no_step_away_from_the_minimum_is_better(rows: list[tuple[int, ...]], C: float, weight: Any) -> None:
    table = np.array(rows, dtype=np.float64)
    data = table[:, 2:] / 4, table[:, 0], table[:, 1].astype(np.int64)
    if not len(pairs_of(data[1], data[2])[0]):
        with pytest.raises(GermaneError, match="two grades"):
            RankingSVM(C).fit(*data)
        return
    model = RankingSVM(C, pair_weight=weight, tol=1e-12).fit(*data)
    assert better_neighbours(model.coef_, C, data, weight) == []


def better_neighbours(w: Floats, C: float, data: Data, weight: str) -> list[list[float]]:
    """Steps of a thousandth in each direction that lower the objective."""
    here = objective(w, C, data, weight)
    steps = [sign * 1e-3 * unit for unit in np.eye(len(w)) for sign in (-1, 1)]
    return [step.tolist() for step in steps if objective(w + step, C, data, weight) < here - 1e-9 * (1 + here)]


def test_the_law_catches_weights_that_are_no_minimum() -> None:
    data = made()
    model = RankingSVM(1.0).fit(*data)
    assert better_neighbours(model.coef_ * 1.05, 1.0, data, "pair") != []
    assert better_neighbours(model.coef_, 1.0, data, "query") != []  # the minimum of another objective


def test_the_slope_is_that_of_numerical_differences() -> None:
    data = made()
    w = np.array([0.3, -0.2, 0.1, 0.5])
    pairs = pair_data(*data, "query")
    hinges = Hinges.at(pairs, pairs.features @ w)
    slope = w + 2 * 0.7 * hinges.slope @ pairs.features
    ends = [[objective(w + sign * 1e-6 * unit, 0.7, data, "query") for sign in (1, -1)] for unit in np.eye(4)]
    assert slope == pytest.approx([(up - down) / 2e-6 for up, down in ends], rel=1e-6)
    upper = np.triu(hinges.hessian(pairs, 0.7))
    better, worse = pairs_of(data[1], data[2])
    differences = (data[0][better] - data[0][worse]) / np.sqrt(np.bincount(data[2][better])[data[2][better]])[:, None]
    still_open = (data[0][better] - data[0][worse]) @ w < 1
    assert upper == pytest.approx(np.triu(np.eye(4) + 1.4 * differences[still_open].T @ differences[still_open]))


def test_more_features_than_a_block_holds() -> None:
    data = made(rows=40, columns=150)
    formed, multiplied = (RankingSVM(0.1, solver=solver).fit(*data) for solver in ("hessian", "conjugate gradients"))
    assert formed.coef_ == pytest.approx(multiplied.coef_, abs=1e-5)
    assert formed.objective_ == pytest.approx(objective(best_of_sklearn(0.1, data), 0.1, data), rel=1e-8)


def test_order_of_rows_and_constants_of_queries_change_nothing() -> None:
    X, y, query = made()
    model = RankingSVM(1.0).fit(X, y, query)
    turned = np.random.default_rng(1).permutation(len(y))
    assert RankingSVM(1.0).fit(X[turned], y[turned], query[turned]).coef_ == pytest.approx(model.coef_, abs=1e-7)
    constants = np.random.default_rng(2).normal(size=(5, 4)) * 1000
    assert RankingSVM(1.0).fit(X + constants[query], y, query).coef_ == pytest.approx(model.coef_, abs=1e-7)
    names = np.array(["c", "a", "e", "b", "d"])[query]
    assert RankingSVM(1.0).fit(X, y * 10 - 3, names).coef_ == pytest.approx(model.coef_, abs=1e-7)


def test_a_constant_for_rows_of_different_queries_would_matter_if_pairs_crossed_queries() -> None:
    X, y, query = made()
    together = RankingSVM(1.0).fit(X, y, np.zeros(len(y)))
    constants = np.random.default_rng(2).normal(size=(5, 4)) * 1000
    assert RankingSVM(1.0).fit(X + constants[query], y, np.zeros(len(y))).coef_ != pytest.approx(together.coef_)


def test_queries_of_one_grade_change_nothing() -> None:
    X, y, query = made()
    model = RankingSVM(1.0).fit(X, y, query)
    more = RankingSVM(1.0).fit(np.vstack((X, 9 * X[:3])), np.append(y, [2, 2, 2]), np.append(query, [8, 8, 9]))
    assert more.coef_ == pytest.approx(model.coef_, abs=1e-9)
    assert (more.num_pairs_, more.num_queries_) == (model.num_pairs_, 5)


KERNELS = [None, FourierMap(components=64), NystroemMap(components=20), NystroemMap(10, "polynomial")]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_model_survives_json(kernel: Any) -> None:
    X, y, query = made()
    model = RankingSVM(0.5, kernel=kernel, pair_weight="query").fit(X, y, query)
    again = RankingSVM.from_json(json.loads(json.dumps(model.to_json())))
    assert again.decision_function(X).tolist() == model.decision_function(X).tolist()
    assert again.get_params() == model.get_params()
    assert (again.objective_, again.num_pairs_) == (model.objective_, model.num_pairs_)


def test_a_kernel_ranks_what_no_line_ranks() -> None:
    """The nearer to 0 the better: linear scores see nothing of it."""
    x = np.linspace(-2, 2, 41)
    grade = (np.abs(x) < 1).astype(float)
    for kernel, lowest, highest in (
        (None, 0, 0.6),
        (FourierMap(128), 0.99, 1),
        (NystroemMap(40), 0.99, 1),
        (NystroemMap(40, "polynomial"), 0.99, 1),
    ):
        score = RankingSVM(10.0, kernel=kernel).fit(x[:, None], grade, np.zeros(41)).decision_function(x[:, None])
        kept = np.mean(np.subtract.outer(score[grade == 1], score[grade == 0]) > 0)
        assert lowest <= kept <= highest, kernel


WRONG: list[tuple[Any, Any, Any, dict[str, Any], str]] = [
    ([[1.0], [np.nan]], [1, 0], [1, 1], {}, "found nan in row 2, column 1"),
    ([[np.inf], [0.0]], [1, 0], [1, 1], {}, "found inf in row 1, column 1"),
    ([[1.0], [0.0]], [1, 1], [1, 1], {}, "expected two grades"),
    ([[1.0], [0.0]], [1, 0], [1, 2], {}, "expected two grades"),
    ([[1.0], [0.0]], [1], [1, 1], {}, "a grade for each of 2 rows, found 1"),
    ([[1.0], [0.0]], [1, 0], [2], {}, "a query for each of 2 rows, found 1"),
    ([[1.0], [0.0]], [1, "x"], [1, 1], {}, "a number as grade in every row"),
    ([[1.0], [0.0]], [1, np.nan], [1, 1], {}, "found nan in row 2"),
    ([1.0, 0.0], [1, 0], [1, 1], {}, "rows × columns of numbers as feature"),
    (np.zeros((0, 2)), [], [], {}, "expected two grades"),
    ([["a"], ["b"]], [1, 0], [1, 1], {}, "a number as feature in every row"),
    ([[1e200], [0.0]], [1, 0], [1, 1], {}, "overflows"),
    ([[1.0], [0.0]], [1, 0], [1, 1], {"C": 0}, "a positive C"),
    ([[1.0], [0.0]], [1, 0], [1, 1], {"C": np.inf}, "a positive C"),
    ([[1.0], [0.0]], [1, 0], [1, 1], {"pair_weight": "doc"}, "expected pair_weight pair or query"),
    ([[1.0], [0.0]], [1, 0], [1, 1], {"solver": "magic"}, "expected solver to be one of auto"),
    ([[1.0], [0.0]], [1, 0], [1, 1], {"max_iter": 0}, "did not converge within 0 steps"),
]


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize(("X", "y", "query", "params", "message"), WRONG)
def test_wrong_input_is_told(X: Any, y: Any, query: Any, params: dict[str, Any], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        RankingSVM(**params).fit(X, y, query)


def test_a_model_for_other_features_is_told() -> None:
    model = RankingSVM().fit(*made())
    with pytest.raises(GermaneError, match="expected 4 features as in training, found 2"):
        model.decision_function([[1.0, 2.0]])
    with pytest.raises(GermaneError, match="expected a RankingSVM model, found 'OrderedLogit'"):
        RankingSVM.from_json({"learner": "OrderedLogit"})
    with pytest.raises(GermaneError, match="version 1"):
        RankingSVM.from_json({**model.to_json(), "version": 9})
    with pytest.raises(GermaneError, match="fit first"):
        RankingSVM().decision_function([[1.0]])
    with pytest.raises(GermaneError, match="no parameter 'c'; did you mean C"):
        RankingSVM().set_params(c=2)


def peak_of_fit(data: Data) -> int:
    model = RankingSVM(0.01)
    tracemalloc.start()
    try:
        model.fit(*data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_pairs() -> None:
    X, y, _ = made(rows=6000, columns=8, grades=5)
    few, many = (peak_of_fit((X, y, np.arange(6000) // size)) for size in (30, 6000))
    assert many < 3 * few  # 72 thousand pairs, and 14 million: two hundred times as many


def lambdarank(folder: Path, name: str) -> Data:
    sizes = np.loadtxt(folder / f"rank.{name}.query", dtype=int)
    with gzip.open(folder / f"rank.{name}.gz", "rt") as lines:
        rows = [line.split() for line in lines]
    features = np.zeros((len(rows), 300))
    for i, (_, *entries) in enumerate(rows):
        for entry in entries:
            column, value = entry.split(":")
            features[i, int(column) - 1] = float(value)
    return features, np.array([float(row[0]) for row in rows]), np.repeat(np.arange(len(sizes)), sizes)


def best_feature(X: Floats, y: Floats, query: npt.NDArray[Any]) -> int:
    """The column with the highest nDCG@10 over the queries that have something relevant."""
    discount = 1 / np.log2(np.arange(2, 12))
    total = np.zeros(X.shape[1])
    for number in np.unique(query):
        grade, rows = y[query == number], X[query == number]
        ideal = np.sort(grade)[::-1][:10] @ discount[: len(grade)]
        if ideal > 0:
            first = np.argsort(-rows, axis=0, kind="stable")[:10]
            total += discount[: len(first)] @ grade[first] / ideal
    return int(total.argmax())


def ndcg_at_10(score: Floats, y: Floats, query: npt.NDArray[Any]) -> float:
    names = [f"d{i:04d}" for i in range(len(y))]
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for name, q, grade, value in zip(names, query.tolist(), y.tolist(), score.tolist(), strict=True):
        qrels.setdefault(str(q), {})[name] = int(grade)
        run.setdefault(str(q), {})[name] = value
    [measured] = evaluate(qrels, run, "nDCG@10").mean().values()
    return measured["nDCG@10"]


@pytest.mark.shared
def test_real_rankings(shared: Path) -> None:
    train, test = (lambdarank(shared / "data" / "lambdarank", name) for name in ("train", "test"))
    weak, strong = (RankingSVM(C).fit(*train) for C in (0.01, 1.0))
    assert weak.num_pairs_ == strong.num_pairs_ == 13_543
    assert weak.objective_ == pytest.approx(96.836205783, abs=1e-8)  # both: LinearSVC on the pairs, tol = 1e-8
    assert strong.objective_ == pytest.approx(9127.761397523, abs=1e-8)
    single = best_feature(*train)
    X, y, query = test
    # held out: nothing of the test rows was seen, neither for the weights nor to choose the feature
    by_feature = ndcg_at_10(X[:, single], y, query)
    for model in (weak, strong):
        assert ndcg_at_10(model.decision_function(X), y, query) > by_feature


@pytest.mark.parametrize(
    "learner", [RankingSVM(2.0, tol=1e-5), OrderedLogit(0.5), SVMClassifier(3.0), LinearScore("F1")]
)
def test_learners_are_cloned_by_sklearn(learner: Any) -> None:
    copy = clone(learner)
    assert copy is not learner
    assert copy.get_params() == learner.get_params()
    assert repr(copy) == repr(learner)
