"""Operating points through `classify` and `threshold`: rates at limits, the equal error rate, slices."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import germane as ge
from germane.cli import group
from germane.errors import GermaneError, InputError
from germane.measures.decisions.scores.detection_error import equal_error_rate
from germane.tables.decisions.decisions import Decisions

RANDOM = np.random.default_rng(5)
TRUTH = (RANDOM.random(200) < 0.4).astype(int)
SCORE = RANDOM.normal(size=200) + TRUTH
SITE = np.where(np.arange(200) % 3 == 0, "small", "large")
TABLE = {"truth": TRUTH, "score": SCORE, "site": SITE}
FEW: dict[str, Any] = {"resamples": 100}


def test_a_rate_at_a_limit_is_asked_for_by_any_spelling() -> None:
    found = ge.classify(TRUTH, y_score=SCORE, measures="TPR@FPR=10% lift(at=0.2)", **FEW)
    decisions = Decisions.of(TRUTH, SCORE)
    fpr = decisions.false_positives / decisions.num_negative
    best = (decisions.true_positives / decisions.num_positive)[fpr <= 0.1].max()
    assert found["TPR(at_fpr=0.1)"].value == found["recall@fallout=0.1"].value == pytest.approx(best)
    assert found["TPR(at_fpr=0.1)"].method == "wilson, order statistics"
    assert found["lift(at=0.2)"].has_interval


def test_rates_at_limits_are_listed_with_the_quality_of_scores_and_compared() -> None:
    other = {**TABLE, "weak": RANDOM.normal(size=200)}
    found = ge.classify(other, truth="truth", score=["score", "weak"], measures=["FPR(at_tpr=0.9)"], **FEW)
    assert found.comparison is not None
    assert [pair.measure for pair in found.comparison.pairs] == ["FPR(at_tpr=0.9)"]
    assert found[0].about("FPR(at_tpr=0.9)")[0] == "scores"


def test_a_limit_that_nothing_meets_is_undefined_with_the_reason() -> None:
    found = ge.classify([1, 0, 1, 0], y_score=[0.1, 0.9, 0.3, 0.8], measures="TPR(at_ppv=0.9)", **FEW)
    estimate = found["TPR(at_ppv=0.9)"]
    assert math.isnan(estimate.value)
    assert estimate.remark == "no threshold meets PPV >= 0.9; the highest PPV is 0.5"


def test_a_measure_of_scores_is_refused_for_predictions() -> None:
    with pytest.raises(GermaneError, match=r"cannot compute TPR\(at_fpr=0.1\): needs scores"):
        ge.classify(TRUTH, TRUTH, measures="TPR(at_fpr=0.1)", **FEW)


# The equal error rate ------------------------------------------------------------------------------------------------


def test_the_eer_rule_finds_the_equal_error_rate_with_its_interval() -> None:
    report = ge.threshold((TRUTH, SCORE), "eer", **FEW)
    eer = equal_error_rate(Decisions.of(TRUTH, SCORE))
    assert report.choice.points[0].value == pytest.approx(eer)
    assert report.dev["EER"].value == pytest.approx(eer)
    assert report.dev["HTER"].value == pytest.approx(eer)
    assert report.dev["EER"].low < eer < report.dev["EER"].high
    assert report.dev["EER"].method == "bootstrap, logit"


def test_on_a_test_set_its_own_equal_error_rate_stands_beside_the_error_at_the_threshold() -> None:
    first, second = (TRUTH[:100], SCORE[:100]), (TRUTH[100:], SCORE[100:])
    report = ge.threshold(first, "eer", test=second, **FEW)
    assert report.test is not None
    assert report.test["EER"].value == equal_error_rate(Decisions.of(*second))
    cells = Decisions.of(*second).at(report.threshold)
    hter = (cells.FP / (cells.FP + cells.TN) + cells.FN / (cells.FN + cells.TP)) / 2
    assert report.test["HTER"].value == pytest.approx(hter)


def test_a_rule_with_a_prevalence_projects_the_predictive_values() -> None:
    report = ge.threshold((TRUTH, SCORE), "cost(cost_fn=5, prevalence=0.1)", **FEW)
    assert 0 < report.dev["PPV_at(prevalence=0.1)"].value < report.dev["PPV"].value


# Slices --------------------------------------------------------------------------------------------------------------


def test_each_slice_has_its_own_choice_and_the_rates_of_the_common_one() -> None:
    report = ge.threshold(TABLE, "youden", slices="site", **FEW)
    assert [each.name for each in report.slices] == ["site=large", "site=small"]
    for each in report.slices:
        mine = np.asarray(SITE) == each.name.partition("=")[2]
        alone = ge.threshold((TRUTH[mine], SCORE[mine]), "youden", **FEW)
        assert each.own is not None
        assert each.own.threshold == alone.threshold
        assert each.results["dev"]["own"]["TPR"] == alone.dev["TPR"]
        common = each.results["dev"]["common"]
        assert common.cells["threshold"] == Decisions.of(TRUTH[mine], SCORE[mine]).at(report.threshold)
        assert common.num_rows == mine.sum()


def test_slices_of_a_test_set_take_thresholds_of_the_first_set() -> None:
    first, second = ({name: column[part] for name, column in TABLE.items()} for part in (slice(120), slice(120, None)))
    report = ge.threshold(first, "F1", test=second, slices=["site"], **FEW)
    for each in report.slices:
        mine = second["site"] == each.name.partition("=")[2]
        assert each.own is not None
        expected = Decisions.of(second["truth"][mine], second["score"][mine]).at(each.own.threshold)
        assert each.results["test"]["own"].cells["threshold"] == expected


def test_several_columns_and_pairs_of_thresholds_have_slices() -> None:
    data = {**TABLE, "odd": np.arange(200) % 2}
    report = ge.threshold(data, "rule-out TPR>=0.9, rule-in TNR>=0.9", slices=["site", "odd"], truth="truth", **FEW)
    assert [each.name for each in report.slices] == ["site=large", "site=small", "odd=0", "odd=1"]
    printed = str(report)
    assert printed.count("Slices of dev") == 2
    document = json.loads(report.to_json())
    assert [len(each["thresholds"]) for each in document["slices"]] == [2] * 4


def test_a_slice_without_a_choice_gets_a_note_with_the_reason() -> None:
    data = {"truth": [1, 0, 1, 0, 1, 1], "score": [0.9, 0.2, 0.7, 0.8, 0.6, 0.5], "site": list("aaaabb")}
    report = ge.threshold(data, slices="site", **FEW)
    (without,) = (each for each in report.slices if each.own is None)
    assert without.name == "site=b"
    (note,) = (note for note in report.notes if note.code == "no-choice-in-slice")
    assert note.examples == ("site=b: choosing a threshold requires positives and negatives, found no negatives",)
    assert "–" in str(report).partition("Slices of dev")[2]


def test_a_slice_of_the_test_set_alone_has_no_threshold_of_its_own() -> None:
    first = {"truth": [1, 0, 1, 0], "score": [0.9, 0.2, 0.7, 0.8], "site": list("aaaa")}
    second = {"truth": [1, 0, 1, 0], "score": [0.9, 0.2, 0.7, 0.8], "site": list("aabb")}
    report = ge.threshold(first, test=second, slices="site", **FEW)
    assert [(each.name, each.reason) for each in report.slices] == [("site=a", ""), ("site=b", "not in dev")]


def test_too_many_slices_and_arrays_without_columns_are_errors() -> None:
    with pytest.raises(InputError, match="expected at most 100 slices in column 'item', found 200"):
        ge.threshold({**TABLE, "item": np.arange(200)}, slices="item", **FEW)
    with pytest.raises(GermaneError, match="requires a table"):
        ge.threshold((TRUTH, SCORE), slices="site", **FEW)
    with pytest.raises(GermaneError, match="site2"):
        ge.threshold(TABLE, slices="site2", **FEW)


def on_the_command_line(*arguments: object) -> Result:
    return CliRunner().invoke(group, [*map(str, arguments)])


def test_slices_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    rows = zip(TRUTH.tolist(), SCORE.tolist(), SITE.tolist(), strict=True)
    path.write_text("truth,score,site\n" + "".join(f"{t},{s},{site}\n" for t, s, site in rows))
    result = on_the_command_line(
        "threshold", path, "--slices", "site", "--resamples", 100, "--format", "csv", "--table", "slices"
    )
    lines = result.stdout.splitlines()
    assert lines[0] == "slice,set,num_rows,chosen_on,point,threshold,measure,value,low,high,interval,remark"
    assert {line.split(",")[3] for line in lines[1:]} == {"common", "own"}
    gated = on_the_command_line(
        "classify", path, "--truth", "truth", "--score", "score", "--fail-under", "TPR@FPR=10%=1"
    )
    assert gated.exit_code == 1
    assert "the value of TPR(at_fpr=0.1) is" in gated.stderr
