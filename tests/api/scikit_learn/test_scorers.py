"""Scorers: their values against scikit-learn's own, their sign, and how scikit-learn's tools use them."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_classification, make_multilabel_classification, make_regression
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import (
    brier_score_loss,
    fbeta_score,
    get_scorer,
    label_ranking_loss,
    make_scorer,
    roc_auc_score,
    silhouette_score,
)
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import germane as ge
from germane.api.scikit_learn.scored_measure import METHODS, ScoredMeasure
from germane.errors import MissingExtraError
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.sklearn import scorer
from tests.errors.provoking import provoked
from tests.laws.test_asked_for import LONG

X, Y = make_classification(200, flip_y=0.2, random_state=0)
MODEL = LogisticRegression().fit(X, Y)
WORDS = np.where(Y == 1, "dog", "cat")
OF_WORDS = LogisticRegression().fit(X, WORDS)
MANY_X, MANY_Y = load_iris(return_X_y=True)
OF_MANY = LogisticRegression(C=0.01, max_iter=1000).fit(MANY_X, MANY_Y)
FEW_X = MANY_X[:, :2]
OF_FEW = LogisticRegression(C=0.1).fit(FEW_X, MANY_Y)
NUMBERS_X, NUMBERS_Y = make_regression(80, noise=20, random_state=0)
OF_NUMBERS = LinearRegression().fit(NUMBERS_X[:, :20], NUMBERS_Y)
SETS_X, SETS_Y = make_multilabel_classification(80, random_state=0)
LINEAR_OF_SETS = OneVsRestClassifier(LinearSVC()).fit(SETS_X, SETS_Y)
OF_SETS = RandomForestClassifier(10, random_state=0).fit(SETS_X[:40], SETS_Y[:40])
WEIGHTS = np.random.default_rng(0).integers(1, 4, len(Y))

SAME = [
    # germane                      scikit-learn
    ("AUC", "roc_auc"),
    ("AP", "average_precision"),
    ("ACC", "accuracy"),
    ("F1", "f1"),
    ("precision", "precision"),
    ("recall", "recall"),
    ("balanced_accuracy", "balanced_accuracy"),
    ("MCC", "matthews_corrcoef"),
    ("Jaccard", "jaccard"),
    ("log_loss", "neg_log_loss"),
    ("Brier", "neg_brier_score"),
    ("F1[macro]", "f1_macro"),
    ("F1[weighted]", "f1_weighted"),
    ("recall[micro]", "recall_micro"),
]


@pytest.mark.parametrize(("ours", "theirs"), SAME)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
def test_a_scorer_has_the_value_and_the_sign_of_scikit_learn(ours: str, theirs: str, weights: Any) -> None:
    expected = get_scorer(theirs)(MODEL, X, Y, sample_weight=weights)
    assert scorer(ours)(MODEL, X, Y, sample_weight=weights) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("ACC", "accuracy"), ("BA", "balanced_accuracy"), ("MCC", "matthews_corrcoef"), ("log_loss", "neg_log_loss")]
    + [(f"{rate}[{average}]", f"{name}_{average}") for rate, name in (("F1", "f1"), ("PPV", "precision"))
       for average in ("macro", "micro", "weighted")],
)  # fmt: skip
def test_many_classes(ours: str, theirs: str) -> None:
    expected = get_scorer(theirs)(OF_MANY, MANY_X, MANY_Y)
    assert scorer(ours)(OF_MANY, MANY_X, MANY_Y) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("AUC[macro]", "roc_auc_ovr"),
        ("AUC[weighted]", "roc_auc_ovr_weighted"),
        ("AUC[ovo]", "roc_auc_ovo"),
        ("top_k_accuracy(k=2)", "top_k_accuracy"),
    ],
)
def test_scores_of_many_classes(ours: str, theirs: str) -> None:
    expected = get_scorer(theirs)(OF_FEW, FEW_X, MANY_Y)
    assert scorer(ours)(OF_FEW, FEW_X, MANY_Y) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("R2", "r2"),
        ("RMSE", "neg_root_mean_squared_error"),
        ("MAE", "neg_mean_absolute_error"),
        ("max_error", "neg_max_error"),
        ("explained_variance", "explained_variance"),
    ],
)
def test_numbers(ours: str, theirs: str) -> None:
    rows = NUMBERS_X[:, :20]
    expected = get_scorer(theirs)(OF_NUMBERS, rows, NUMBERS_Y)
    assert scorer(ours)(OF_NUMBERS, rows, NUMBERS_Y) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(f"F1[{average}]", f"f1_{average}") for average in ("macro", "micro", "samples")]
    + [("subset_accuracy", "accuracy")],
)
def test_several_labels_per_item(ours: str, theirs: str) -> None:
    some = SETS_Y.any(axis=1)  # an item without labels, of which none is predicted, is skipped here and counts 0 there
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = get_scorer(theirs)(OF_SETS, SETS_X[some], SETS_Y[some])
    assert scorer(ours)(OF_SETS, SETS_X[some], SETS_Y[some]) == pytest.approx(expected)


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("model", [OF_SETS, LINEAR_OF_SETS], ids=["list", "matrix"])
def test_scores_of_several_labels(average: str, model: Any) -> None:
    if hasattr(model, "decision_function"):
        scores = model.decision_function(SETS_X)
    else:
        scores = np.stack([columns[:, 1] for columns in model.predict_proba(SETS_X)], axis=1)
    expected = roc_auc_score(SETS_Y, scores, average=average)
    assert scorer(f"AUC[{average}]")(model, SETS_X, SETS_Y) == pytest.approx(expected)
    some = SETS_Y.any(axis=1) & ~SETS_Y.all(axis=1)  # other items rank nothing: skipped here, 0 there
    ranked = label_ranking_loss(SETS_Y[some], scores[some])
    assert scorer("ranking_loss")(model, SETS_X[some], SETS_Y[some]) == pytest.approx(-ranked)


def test_clusters_and_densities() -> None:
    clusters = KMeans(3, n_init=1, random_state=0).fit(MANY_X)
    expected = get_scorer("adjusted_rand_score")(clusters, MANY_X, MANY_Y)
    assert scorer("ARI")(clusters, MANY_X, MANY_Y) == pytest.approx(expected)
    shape = silhouette_score(MANY_X, clusters.predict(MANY_X))
    assert scorer("silhouette")(clusters, MANY_X) == pytest.approx(shape)
    density = KernelDensity().fit(MANY_X)
    found = scorer("log_likelihood")(density, MANY_X)
    assert found == pytest.approx(density.score(MANY_X) / len(MANY_X))
    assert cross_val_score(KernelDensity(), MANY_X, scoring=scorer("log_likelihood"), cv=3).shape == (3,)


def test_an_outlier_detector_without_classes() -> None:
    inliers = np.where(np.arange(len(X)) % 10, 1, -1)
    model = IsolationForest(n_estimators=10, random_state=0).fit(X)
    expected = roc_auc_score(inliers, model.decision_function(X))
    assert scorer("AUC")(model, X, inliers) == pytest.approx(expected)


@pytest.mark.parametrize("positive", ["cat", "dog"])
@pytest.mark.parametrize("measure", ["F1", "AP", "Brier", "AUC", "recall"])
def test_either_class_may_be_positive(measure: str, positive: str) -> None:
    expected = scorer(measure)(
        LogisticRegression().fit(X, positive == WORDS), X, positive == WORDS  # where True is positive
    )  # fmt: skip
    assert scorer(measure, positive=positive)(OF_WORDS, X, WORDS) == pytest.approx(expected, abs=1e-6)


def test_scorers_of_both_classes_in_one_dictionary_do_not_share_a_column() -> None:
    """scikit-learn keeps the response by method, whatever class it is of."""
    of_both = {name: scorer("AP", positive=name) for name in ("cat", "dog")}
    together = cross_validate(LogisticRegression(), X, WORDS, scoring=of_both, cv=3)
    alone = [cross_val_score(LogisticRegression(), X, WORDS, scoring=each, cv=3).tolist() for each in of_both.values()]
    assert [together[f"test_{name}"].tolist() for name in of_both] == alone
    assert alone[0] != alone[1]


def test_a_measure_that_does_not_depend_on_the_positive_class_needs_none() -> None:
    assert scorer("AUC")(OF_WORDS, X, WORDS) == get_scorer("roc_auc")(OF_WORDS, X, WORDS)
    assert -scorer("Brier")(OF_WORDS, X, WORDS) == pytest.approx(
        brier_score_loss(WORDS, OF_WORDS.predict_proba(X)[:, 1], pos_label="dog")
    )


def test_a_test_part_with_one_class_is_undefined_and_not_an_error() -> None:
    negatives = Y == 0
    assert np.isnan(scorer("AUC")(MODEL, X[negatives], Y[negatives]))
    assert np.isnan(scorer("recall")(MODEL, X[negatives], Y[negatives]))
    assert scorer("recall", zero_division=0.0)(MODEL, X[negatives], Y[negatives]) == 0
    assert scorer("F1", zero_division=0.0)(MODEL, X[negatives][:3], np.zeros(3, int)) >= 0


def test_probabilities_of_a_test_part_without_some_class() -> None:
    some = MANY_Y != 1
    found = scorer("log_loss")(OF_MANY, MANY_X[some], MANY_Y[some])
    assert found == pytest.approx(make_log_loss(OF_MANY, MANY_X[some], MANY_Y[some]))


def make_log_loss(model: Any, rows: Any, labels: Any) -> float:
    of_the_true = model.predict_proba(rows)[np.arange(len(rows)), labels]
    return float(np.log(of_the_true).mean())


# In scikit-learn's tools ----------------------------------------------------------------------------------------


def test_cross_validation_with_a_dictionary_of_scorers() -> None:
    scoring = {"ours": scorer("AUC"), "loss": scorer("log_loss"), "theirs": "roc_auc", "F": scorer("F1[macro]")}
    found = cross_validate(make_pipeline(StandardScaler(), LogisticRegression()), X, Y, scoring=scoring, cv=4)
    assert found["test_ours"] == pytest.approx(found["test_theirs"])
    assert (found["test_loss"] < 0).all()
    assert (found["test_F"] > 0.5).all()


def test_a_grid_search_chooses_the_lower_loss() -> None:
    grid = {"C": [1e-6, 1.0]}
    found = GridSearchCV(LogisticRegression(), grid, scoring=scorer("log_loss"), cv=3).fit(X, Y)
    assert found.best_params_ == {"C": 1.0}
    assert found.score(X, Y) == scorer("log_loss")(found, X, Y) < 0
    again = clone(found)
    assert again.scoring == found.scoring


def test_a_tuned_threshold() -> None:
    ours, theirs = (
        TunedThresholdClassifierCV(LogisticRegression(), scoring=each, cv=3).fit(X, Y)
        for each in (scorer("F2"), make_scorer(fbeta_score, beta=2))
    )
    assert ours.best_threshold_ == theirs.best_threshold_
    assert ours.best_score_ == pytest.approx(theirs.best_score_)


class Counting(LogisticRegression):  # type: ignore[misc]
    """Counts its predictions."""

    calls: list[str]

    def predict(self, X: Any) -> Any:
        self.calls.append("predict")
        return super().predict(X)


def test_scorers_of_a_dictionary_predict_once() -> None:
    model = Counting().fit(X, Y)
    model.calls = []
    sklearn.metrics.check_scoring(model, {"a": scorer("F1"), "b": scorer("MCC"), "c": scorer("ACC")})(model, X, Y)
    assert model.calls == ["predict"]


@pytest.fixture
def _with_routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("_with_routing")
def test_weights_are_routed_to_a_scorer_that_requests_them() -> None:
    weights = np.where(Y == 1, 5.0, 1.0)
    model = LogisticRegression().set_fit_request(sample_weight=False)
    scoring = {
        "weighted": scorer("ACC").set_score_request(sample_weight=True),
        "plain": scorer("ACC").set_score_request(sample_weight=False),
    }
    found = cross_validate(model, X, Y, scoring=scoring, params={"sample_weight": weights}, cv=3)
    of_theirs = make_scorer(sklearn.metrics.accuracy_score).set_score_request(sample_weight=True)
    theirs = cross_validate(model, X, Y, scoring=of_theirs, params={"sample_weight": weights}, cv=3)
    assert found["test_weighted"] == pytest.approx(theirs["test_score"])
    assert found["test_weighted"].tolist() != found["test_plain"].tolist()


def test_a_scorer_is_a_value() -> None:
    one = scorer("F1", positive=0, zero_division=0.5)
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one
    assert hash(one) == hash(scorer("F1", pos_label=0, zero_division=0.5))  # type: ignore[call-arg]
    assert one != scorer("F1", positive=1, zero_division=0.5)
    assert repr(one) == "scorer('F1', greater_is_better=True, pos_label=0, zero_division=0.5)"
    assert repr(scorer("F1[macro]")) == "scorer('F1[macro]', greater_is_better=True)"
    assert repr(scorer("brier_score_loss")) == "scorer('Brier', greater_is_better=False)"


def test_a_measure_without_a_direction() -> None:
    assert scorer("predicted", greater_is_better=True)(MODEL, X, Y) == pytest.approx(MODEL.predict(X).mean())
    assert scorer("predicted", greater_is_better=False)(MODEL, X, Y) < 0


@pytest.mark.parametrize("entry", [each for each in DECISION_MEASURES if each.of != "intervals"], ids=str)
def test_every_measure_has_a_response(entry: Any) -> None:
    assert ScoredMeasure.of(entry.name, None, None, {}).methods in {*METHODS.values(), ("decision_function",)}


CLASSIFIED = {
    "predictions": {"y_pred": MODEL.predict(X)},
    "scores": {"y_score": MODEL.decision_function(X)},
    "probabilities": {"y_score": MODEL.predict_proba(X)[:, 1]},
}


@pytest.mark.parametrize("name", [*LONG, "F1[macro]", "F2[0]", "kappa[micro]"])
def test_whatever_can_be_asked_for_is_a_scorer_with_the_value_of_classify(name: str) -> None:
    measure = ScoredMeasure.of(name, None, None, {})
    higher = measure.better != "lower"
    expected: Any = ge.classify(Y, measures=[name], resamples=40, **CLASSIFIED[measure.needs])[str(measure)].value
    found = scorer(name, greater_is_better=higher)(MODEL, X, Y)
    assert found == pytest.approx(expected if higher else -expected, rel=1e-12, nan_ok=True)


def test_importing_germane_does_not_import_scikit_learn() -> None:
    code = "import sys, germane, germane.sklearn; print([name for name in sys.modules if name.startswith('sklearn')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def without_scikit_learn(call: Callable[[], object]) -> Callable[[], object]:
    def called() -> object:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "germane.api.scikit_learn.measure_scorer", None)
            patch.setitem(sys.modules, "sklearn.model_selection", None)
            return call()

    return called


@pytest.mark.parametrize(
    "call",
    [
        lambda: scorer("AUC"),
        lambda: ge.sklearn.compare_cross_validated({"a": MODEL, "b": MODEL}, X, Y),
    ],
    ids=["scorer", "compare_cross_validated"],
)
def test_without_scikit_learn_the_error_says_what_to_install(call: Callable[[], object]) -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'germane\[sklearn\]'"):
        without_scikit_learn(call)()


test_errors = provoked(
    [
        ("unknown measure 'F1X'", lambda: scorer("F1X")),
        ("unknown average 'marco'; did you mean macro?", lambda: scorer("F1", average="marco")),  # type: ignore[arg-type]
        ("F1[macro] already names a class or an average", lambda: scorer("F1[macro]", average="micro")),
        ("no better direction is known for bias", lambda: scorer("bias")),
        ("lower values of log_loss are better", lambda: scorer("log_loss", greater_is_better=True)),
        ("F1 of 3 classes needs an average", lambda: scorer("F1")(OF_MANY, MANY_X, MANY_Y)),
        ("F1: cannot tell which label is positive: 'cat' and 'dog'", lambda: scorer("F1")(OF_WORDS, X, WORDS)),
        ("unknown class 'dogs'; did you mean dog?", lambda: scorer("F1", positive="dogs")(OF_WORDS, X, WORDS)),
        (
            "log_loss needs predict_proba, which LinearSVC does not have\nHint: use an estimator with predict_proba",
            lambda: scorer("log_loss")(LinearSVC().fit(X, Y), X, Y),
        ),
        (
            "AUC needs predict_proba, which LinearSVC does not have",
            lambda: scorer("AUC")(LinearSVC().fit(MANY_X, MANY_Y), MANY_X, MANY_Y),
        ),
        ("log_likelihood needs score_samples, which", lambda: scorer("log_likelihood")(MODEL, X, Y)),
        (
            "Cllr needs decision_function, which RandomForestClassifier does not have",
            lambda: scorer("Cllr")(RandomForestClassifier(2).fit(X, Y), X, Y),
        ),
        (
            "AUC of 3 classes needs probabilities, found only decision_function",
            lambda: scorer("AUC")(IsolationForest(n_estimators=5).fit(MANY_X), MANY_X, MANY_Y),
        ),
        ("AUC of 3 classes needs an average", lambda: scorer("AUC")(OF_MANY, MANY_X, MANY_Y)),
        ("ECE of 3 classes needs an average", lambda: scorer("ECE")(OF_MANY, MANY_X, MANY_Y)),
        ("AUC[macro] needs three classes or more, found 2", lambda: scorer("AUC[macro]")(MODEL, X, Y)),
        ("interval_score needs predicted intervals", lambda: scorer("interval_score")),
        ("ACC needs true values, found no y", lambda: scorer("ACC")(MODEL, X)),
    ]
)
