"""Only what was asked for is computed, and each number is the one that the whole result has."""

import json
import pickle
from typing import Any

import numpy as np
import pytest

import germane as ge
from germane.api.decisions import matrix
from germane.errors import GermaneError
from germane.stats.intervals import resampling, scores

RNG = np.random.default_rng(1)
TRUTH = (RNG.random(300) < 0.3).astype(int)
PROBABILITY = np.round(1 / (1 + np.exp(-RNG.normal(size=300) - TRUTH)), 2)
ANIMALS = np.asarray(["cat", "dog", "cow"])
TRUE_ANIMALS, CALLED = ANIMALS[RNG.integers(0, 3, 90)], ANIMALS[RNG.integers(0, 3, 90)]
DATA = {
    "scores": ((TRUTH,), {"y_score": PROBABILITY}),
    "scores and a threshold": ((TRUTH,), {"y_score": PROBABILITY, "threshold": 0.3}),
    "scores outside [0, 1]": ((TRUTH,), {"y_score": PROBABILITY * 9}),
    "predictions": ((TRUTH, (PROBABILITY > 0.4).astype(int)), {}),
    "predictions and scores": ((TRUTH, (PROBABILITY > 0.4).astype(int)), {"y_score": PROBABILITY}),
    "three classes": ((TRUE_ANIMALS, CALLED), {}),
    "macro": ((TRUE_ANIMALS, CALLED), {"average": "macro"}),
    "costs": ((TRUTH, (PROBABILITY > 0.4).astype(int)), {"cost_fp": 2, "prevalence": 0.1}),
}
"""Arguments and options."""
ASKED = [["AUC"], ["F1", "AUC"], ["MCC"], ["ACC"], ["Brier"], ["ECE"], ["cost"], ["kappa", "BA"]]


@pytest.mark.parametrize("name", DATA)
def test_each_measure_alone_is_that_of_the_whole_result(name: str) -> None:
    data, options = DATA[name]
    whole = ge.classify(*data, **options)[0]
    for asked in ASKED:
        if not set(asked) <= set(whole.overall):
            continue
        found = ge.classify(*data, measures=asked, **options)[0]
        assert repr(found.overall) == repr({each: whole.overall[each] for each in whole.overall if each in asked})
        assert repr(dict(found.by_class)) == repr(dict(whole.by_class))
        assert repr(dict(found.averages)) == repr(dict(whole.averages))
        assert found.notes == whole.notes


def test_formats_are_those_of_the_whole_result() -> None:
    (data, options), kept = DATA["three classes"], ["ACC", "MCC"]
    whole, some = ge.classify(*data, **options), ge.classify(*data, measures=kept, **options)
    assert list(some[0].overall) == kept
    first, second = (json.loads(each.to_json())["classifiers"][0] for each in (some, whole))
    assert [first[name] for name in ("averages", "by_class")] == [second[name] for name in ("averages", "by_class")]
    multi, binary = (ge.classify(*DATA[name][0], measures=["MCC"])[0] for name in ("three classes", "predictions"))
    for found in (multi.by_class, binary.averages):
        assert repr(pickle.loads(pickle.dumps(found))) == repr(found) == repr(dict(found))


@pytest.mark.parametrize("options", [{}, {"threshold": 0.5}])
def test_nothing_is_resampled_for_an_auc(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its interval is DeLong's; other measures' intervals cost forty times as much."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("resampled")

    for module, name in ((scores, "bootstrap_counts"), (resampling, "cell_draws"), (matrix, "rate_estimates")):
        monkeypatch.setattr(module, name, refuse)
    found = ge.classify(TRUTH, y_score=PROBABILITY, measures=["AUC"], **options)
    assert found["AUC"].has_interval
    with pytest.raises(AssertionError, match="resampled"):
        ge.classify(TRUTH, y_score=PROBABILITY, measures=["F1"], threshold=0.5)
    with pytest.raises(AssertionError, match="resampled"):
        found[0].by_class[1]


@pytest.mark.parametrize("option", [{"level": 0.9999}, {"resamples": 5}, {"bootstrap": "jackknife"}])
def test_a_wrong_setting_is_said_at_once(option: dict[str, Any]) -> None:
    with pytest.raises(GermaneError):
        ge.classify(TRUTH, y_score=PROBABILITY, measures=["AUC"], **option)
