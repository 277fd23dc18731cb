"""Measures of several labels per item, asked for by name: values worked on paper, intervals, gates and refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import germane as ge
from germane.cli import group
from tests.errors.provoking import provoked

# Five items; the worked example of the how-to page.
TAGS = """truth,predicted
sport;politics,sport
politics,politics;film
film,film
-,sport
sport,sport
"""
TRUE = [{"sport", "politics"}, {"politics"}, {"film"}, set(), {"sport"}]
CALLED = [{"sport"}, {"politics", "film"}, {"film"}, {"sport"}, {"sport"}]
# fmt: off
BY_HAND = [
    # measure              value                     why
    ("subset_accuracy",    2 / 5,                    "items 3 and 5"),
    ("hamming_loss",       3 / 15,                   "politics missing, film and sport too many"),
    ("TPR[micro]",         4 / 5,                    "4 of 5 true labels are found"),
    ("PPV[micro]",         4 / 6,                    "4 of 6 predicted labels are true"),
    ("F1[micro]",          8 / 11,                   "2 TP / (2 TP + FP + FN)"),
    ("Jaccard[micro]",     4 / 7,                    "TP / (TP + FP + FN)"),
    ("TPR[macro]",         (1 + 1 / 2 + 1) / 3,      "film, politics, sport"),
    ("TPR[weighted]",      (1 + 2 / 2 + 2) / 5,      "by 1, 2 and 2 items"),
    ("TPR[samples]",       (1 / 2 + 1 + 1 + 1) / 4,  "item 4 has no true label"),
    ("PPV[samples]",       (1 + 1 / 2 + 1 + 0 + 1) / 5, "nothing true is predicted for item 4"),
    ("F1[sport]",          4 / 5,                    "2 TP, 1 FP"),
    ("F2[sport]",          10 / 11,                  "5 TP / (5 TP + 4 FN + FP)"),
]
# fmt: on


@pytest.mark.parametrize(("measure", "value", "why"), BY_HAND)
def test_by_hand(measure: str, value: float, why: str) -> None:
    found = ge.classify(TRUE, CALLED, task="label-sets", measures=[measure])
    assert found[measure].value == pytest.approx(value), why
    assert [*found.only.overall] == [measure]


def test_intervals_by_kind() -> None:
    (found,) = ge.classify(TRUE * 6, CALLED * 6, task="label-sets")
    methods = {name: found[name].method for name in ("subset_accuracy", "hamming_loss")}
    assert methods == {"subset_accuracy": "wilson", "hamming_loss": "t, logit"}
    assert {average: found["F1", average].method for average in found.averages} == {
        "macro": "bca",
        "micro": "bca",
        "weighted": "bca",
        "samples": "t, logit",
    }
    for table in (found.overall, *found.averages.values(), *found.by_class.values()):
        for name, each in table.items():
            assert not each.has_interval or each.low <= each.value <= each.high, name
            assert not each.has_interval or each.low < each.high, name
            assert each.has_interval or each.remark, name


def test_the_interval_of_proportions_is_the_one_asked_for() -> None:
    (found,) = ge.classify(TRUE, CALLED, task="label-sets", interval="clopper-pearson")
    exact = stats.binomtest(2, 5).proportion_ci(method="exact")
    assert [found["subset_accuracy"].low, found["subset_accuracy"].high] == pytest.approx([exact.low, exact.high])
    assert found["TPR", "sport"].method == "clopper-pearson"


def test_a_perfect_prediction_has_a_degenerate_interval_and_says_so() -> None:
    (found,) = ge.classify(TRUE, TRUE, task="label-sets")
    assert found["F1", "macro"].method == "degenerate"
    assert math.isnan(found["F1", "macro"].low)
    assert found["hamming_loss"].remark == "every item gives 0"


def test_an_undefined_rate_counts_as_zero_division_says() -> None:
    how: dict[str, Any] = {"task": "label-sets", "labels": ["film", "sport", "never"], "measures": ["TPR"]}
    true, called = [{"film"}, {"sport"}], [{"film"}, {"film"}]
    assert ge.classify(true, called, **how)["TPR", "macro"].value == 1 / 2
    found = ge.classify(true, called, zero_division=0.0, **how)
    assert found["TPR", "macro"].value == 1 / 3
    assert found["TPR", "never"].remark == "0 / 0, set by zero_division"


def test_any_measure_of_scores_is_that_of_each_label() -> None:
    scores = np.asarray([[0.9, 0.2], [0.3, 0.8], [0.4, 0.6], [0.1, 0.7]])
    truth = np.asarray([[1, 0], [0, 1], [1, 1], [0, 0]])
    found = ge.classify(truth, y_score=scores, task="label-sets", measures=["EER", "Brier", "AUC[macro]"])
    for label in (0, 1):
        (alone,) = ge.classify(truth[:, label], y_score=scores[:, label], measures=["EER", "Brier"])
        assert found["EER", label] == alone["EER"]
        assert found["Brier", label] == alone["Brier"]
    assert [*found.only.overall] == ["AUC[macro]"]


def test_the_average_of_scikit_learn_is_an_overall_measure() -> None:
    found = ge.classify(TRUE, CALLED, task="label-sets", average="micro")
    assert found["F1"].value == pytest.approx(8 / 11)


def test_many_scores_have_no_interval_by_default() -> None:
    chance = np.random.default_rng(0)
    truth, scores = chance.random((50_001, 4)) < 0.3, chance.random((50_001, 4))
    (found,) = ge.classify(truth, y_score=scores, task="label-sets", measures=["AP"])
    assert found["AP", "macro"].remark == "no interval by default above 200,000 items × labels; use --resamples 200"
    assert not found["AP", "macro"].has_interval


MATRIX = np.asarray([[1, 0], [0, 1], [1, 1]])
HIGH = np.asarray([[3, -1], [2, 4], [5, 0.5]])
test_what_cannot_be_computed = provoked(
    [
        ("cannot compute AUC: needs a score for each label (use --score 'PREFIX_*')",
         lambda: ge.classify(TRUE, CALLED, task="label-sets", measures=["AUC"])),
        ("cannot compute LRAP: needs a score for each label",
         lambda: ge.classify(TRUE, CALLED, task="label-sets", measures=["LRAP"])),
        ("cannot compute hamming_loss: needs decisions, found none (use --threshold)",
         lambda: ge.classify(MATRIX, y_score=HIGH, task="label-sets", measures=["hamming_loss"])),
        ("cannot compute F1[macro]: needs decisions, found none (use --threshold)",
         lambda: ge.classify(MATRIX, y_score=HIGH, task="label-sets", measures=["F1[macro]"])),
        ("cannot compute Brier: needs probabilities, found scores outside [0, 1]",
         lambda: ge.classify(MATRIX, y_score=HIGH, task="label-sets", measures=["Brier"])),
        ("cannot compute MSE: requires --task regression",
         lambda: ge.classify(TRUE, CALLED, task="label-sets", measures=["MSE"])),
        ("cannot compute hamming_loss[macro]: hamming_loss is a measure of whole items, not of a label",
         lambda: ge.classify(TRUE, CALLED, task="label-sets", measures=["hamming_loss[macro]"])),
        ("cannot compute LR+[macro]: LR+ has no such average",
         lambda: ge.classify(TRUE, CALLED, task="label-sets", measures=["LR+[macro]"])),
        ("unknown label or average 'ski'; did you mean",
         lambda: ge.classify([{"skis"}], [{"skis"}], task="label-sets", measures=["F1[ski]"])),
        ("'macro' is both a label and an average",
         lambda: ge.classify([{"macro"}], [{"macro"}], task="label-sets", measures=["F1[macro]"])),
    ]
)  # fmt: skip


def run(*arguments: str, exit_code: int = 0) -> Any:
    result = CliRunner().invoke(group, list(arguments))
    assert result.exit_code == exit_code, result.output
    return result


@pytest.fixture
def tags(tmp_path: Path) -> str:
    path = tmp_path / "tags.csv"
    path.write_text(TAGS)
    return str(path)


def test_gates_on_the_command_line(tags: str) -> None:
    of_sets = ["classify", tags, "--task", "label-sets"]
    run(*of_sets, "--fail-under", "F1[macro]=0.7", "--fail-under", "hamming_loss=0.2", "--fail-under", "F1[sport]=80%")
    missed = run(*of_sets, "-m", "F1[micro]", "--fail-under", "F1[micro]=0.8", exit_code=1)
    assert "F1[micro] is 0.7273, below 0.8" in missed.output
    worse = run(*of_sets, "--gate", "lower", "--fail-under", "subset_accuracy=0.2", exit_code=1)
    assert "the lower end of subset_accuracy is 0.1176, below 0.2" in worse.output


def test_columns_by_prefix_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(
        "id,true_a,true_b,old_a,old_b,new_a,new_b\n1,1,0,1,0,1,0\n2,0,1,1,0,0,1\n3,1,1,1,1,0,1\n4,0,0,0,1,0,0\n"
    )
    columns = ["--truth", "true_*", "--predicted", "old_*", "--predicted", "new_*"]
    how = ["--task", "label-sets", "--baseline", "old", "--correction", "bonferroni", "--format", "json"]
    found = json.loads(run("classify", str(path), *columns, *how).stdout)
    assert [each["name"] for each in found["classifiers"]] == ["old", "new"]
    assert found["classifiers"][1]["overall"]["hamming_loss"]["value"] == 1 / 8
    assert found["comparison"]["baseline"] == "old"


def test_no_matrix_is_printed_for_several_labels(tags: str) -> None:
    refused = CliRunner().invoke(group, ["classify", tags, "--task", "label-sets", "--shares", "truth"])
    assert "--shares is not supported with --task label-sets" in str(refused.exception)


def test_the_separator_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "bars.csv"
    path.write_text(TAGS.replace(";", "|"))
    refused = CliRunner().invoke(group, ["classify", str(path), "--task", "label-sets"])
    assert str(refused.exception).startswith(f"{path}: expected ';' between labels, found none, but '|' as in")
    found = run("classify", str(path), "--task", "label-sets", "--separator", "|", "-m", "F1[micro]")
    assert "0.7273" in found.output
