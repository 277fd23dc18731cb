import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from germane.api.thresholds.choice import threshold as choose_threshold
from germane.cli import group
from germane.errors import GermaneError, InputError
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.decisions import Decisions
from tests.worked_examples.test_thresholds import CLASSES, LECTURE, SCORES


@pytest.fixture
def dev(tmp_path: Path) -> Path:
    """The twenty rows of lecture 001, section 2.6."""
    path = tmp_path / "dev.csv"
    path.write_text("truth,score\n" + "".join(f"{c},{s}\n" for c, s in zip(CLASSES, SCORES, strict=True)))
    return path


@pytest.fixture
def kept_apart(tmp_path: Path) -> Path:
    path = tmp_path / "test.csv"
    path.write_text("truth,score\nP,0.9\nP,0.6\nP,0.2\nN,0.7\nN,0.5\nN,0.4\nN,0.3\nN,0.1\n")
    return path


def threshold(*arguments: object) -> Result:
    return CliRunner().invoke(group, ["threshold", *map(str, arguments), "--resamples", "100"])


def as_json(*arguments: object) -> Any:
    return json.loads(threshold(*arguments, "--format", "json").stdout, parse_constant=pytest.fail)


def test_the_lecture_takes_054(dev: Path) -> None:
    result = threshold(dev, "--rule", "accuracy")
    lines = result.stdout.splitlines()
    assert lines[0] == "Truth in 'truth', score in 'score'. Rule: highest ACC (accuracy)"
    assert lines[2].split()[:5] == ["point", "score", "low", "high", "accuracy"]
    assert lines[3].split()[:2] == ["threshold", "0.54"]
    assert lines[3].split()[4] == "0.7000"
    at = lines.index("truth \\ predicted   N  P  total")
    assert [line.split() for line in lines[at + 1 : at + 3]] == [["N", "9", "1", "10"], ["P", "5", "5", "10"]]
    assert ["TPR", "0.5000", "0.2366", "0.7634", "wilson"] in [line.split() for line in lines]
    assert "note: using 'P' as positive label, 'N' as negative (change with --positive)" in result.stderr
    assert (
        "note: threshold chosen and evaluated on the same rows, so rates are optimistic; use --test FILE"
        in result.stderr
    )


def test_ties_are_listed(dev: Path) -> None:
    result = threshold(dev, "--rule", "closest", "--positive", "P")
    assert "note: using the highest of 2 equally good thresholds (0.51, 0.4)" in result.stderr
    assert as_json(dev, "--rule", "closest")["thresholds"][0]["tied"] == [0.51, 0.4]


def test_dev_and_test_stand_side_by_side(dev: Path, kept_apart: Path) -> None:
    result = threshold(dev, "--test", kept_apart, "--rule", "TPR where TNR>=.9", "--digits", 2)
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["rate", "dev", "low", "high", "test", "low", "high", "interval"] in [row[:8] for row in rows]
    assert ["TNR", "0.90", "0.60", "0.98", "0.80", "0.38", "0.96", "wilson"] in rows
    assert "TNR >= 0.9 on test" in result.stdout
    assert "missed (0.80)" in result.stdout
    assert "note: TNR >= 0.9 is not met on the test set" in result.stderr
    assert "optimistic" not in result.stderr


def test_json_holds_everything(dev: Path, kept_apart: Path) -> None:
    found = as_json(dev, "--test", kept_apart, "--rule", "rule-out TPR>=.9, rule-in TNR>=.9")
    assert [(point["name"], point["threshold"]) for point in found["thresholds"]] == [
        ("rule-out", 0.34),
        ("rule-in", 0.54),
    ]
    assert found["undecided"] == {"positives": 4, "negatives": 7, "share": 0.55}
    assert found["sets"]["test"]["undecided"] == {"positives": 0, "negatives": 2, "share": 0.25}
    assert found["sets"]["test"]["at"]["rule-in"]["cells"] == {"TP": 2, "FP": 1, "FN": 1, "TN": 4}
    assert found["sets"]["test"]["at"]["rule-in"]["rates"]["ACC"]["value"] == 0.75
    assert found["sets"]["test"]["at"]["rule-in"]["targets"][0]["met"] is False
    assert set(found["stability"]["thresholds"]["rule-in"]) == {"low", "high", "same", "unmet", "optimism"}
    assert found["columns"] == {"truth": "truth", "score": "score"}
    assert list(found) == [
        "germane",
        "schema",
        "rule",
        "description",
        "objective",
        "target_by",
        "level",
        "seed",
        "resamples",
        "positive",
        "negative",
        "columns",
        "thresholds",
        "undecided",
        "sets",
        "stability",
        "notes",
    ]


def test_a_threshold_that_calls_nothing_positive_is_said_and_is_valid_json(dev: Path) -> None:
    assert as_json(dev, "--rule", "TNR")["thresholds"][0]["threshold"] == "Infinity"
    assert "note: the threshold classifies all items as negative" in threshold(dev, "--rule", "TNR").stderr


def test_thresholds_that_cross_leave_nothing_undecided(dev: Path) -> None:
    result = threshold(dev, "--rule", "rule-out TPR>=.5, rule-in TNR>=.5")
    assert "there is no undecided zone" in result.stderr


def test_csv_is_one_tidy_table(dev: Path, kept_apart: Path) -> None:
    lines = threshold(dev, "--test", kept_apart, "--rule", "F2", "--format", "csv").stdout.splitlines()
    assert lines[0] == "set,point,threshold,measure,value,low,high,interval,remark"
    assert lines[1].startswith("dev,threshold,0.3,F2,0.847")
    assert {line.split(",")[0] for line in lines[1:]} == {"dev", "test"}


def test_markdown_has_its_tables(dev: Path) -> None:
    lines = threshold(dev, "--rule", "weighted(tpr=.5)", "--format", "markdown").stdout.splitlines()
    assert lines[0] == "**Truth in 'truth', score in 'score'. Rule: highest 0.5 TPR + 0.5 TNR**"
    assert any(line.startswith("| weighted(tpr=0.5) | 0.7000 |") for line in lines)


def test_the_help_lists_every_rule() -> None:
    text = CliRunner().invoke(group, ["threshold", "--help"]).stdout
    for rule in (
        "accuracy",
        "closest",
        "youden",
        "weighted(tpr=0.7)",
        "F2",
        "TPR where TNR>=0.9",
        "rule-out TPR>=0.95",
    ):
        assert f"\n  {rule}" in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rule", "yuden"], "did you mean youden"),
        (["--rule", "TPR where PPV>=.99", "--target-by", "lower"], "no threshold meets PPV >= 0.99"),
        (["--positive", "Q"], "the positive label 'Q' does not occur\nHint: choose from N, P"),
        (["--score", "truth"], "score"),
        (["--score", "nothing"], "nothing"),
    ],
)
def test_wrong_choices_are_said(dev: Path, options: list[str], said: str) -> None:
    problem = threshold(dev, *options).exception
    assert isinstance(problem, GermaneError)
    assert said in str(problem)


# The library function behind it


def test_pairs_frames_dicts_and_decisions_are_the_same_data() -> None:
    import pandas as pd

    truth = [int(label == "P") for label in CLASSES]
    for data in (
        (truth, SCORES),
        (np.asarray(truth), np.asarray(SCORES), np.ones(20)),
        {"y_true": truth, "score": SCORES},
        pd.DataFrame({"y_true": truth, "score": SCORES}),
        LECTURE,
    ):
        report = choose_threshold(data, "youden", resamples=100)
        assert report.threshold == 0.54
        assert report.dev.cells["threshold"] == Cells(TP=5, FP=1, FN=5, TN=9)


def test_the_test_set_is_read_as_the_dev_set_was() -> None:
    dev = {"y": ["sick", "well", "sick"], "s": [0.9, 0.3, 0.8], "t": [1, 2, 3]}
    report = choose_threshold(
        dev, test={**dev, "s": [0.1, 0.9, 0.2]}, truth="y", score="s", positive="sick", resamples=100
    )
    assert report.positive == "sick"
    assert report.columns == {"truth": "y", "score": "s"}
    assert report.test is not None
    assert report.test.cells["threshold"] == Cells(TP=0, FP=1, FN=2, TN=0)


def test_other_labels_count_as_negative_once_the_positive_one_is_named() -> None:
    data = (["cat", "dog", "cow", "cat"], [0.9, 0.3, 0.4, 0.8])
    with pytest.raises(InputError, match="expected two labels, found 3"):
        choose_threshold(data)
    report = choose_threshold(data, positive="cat", resamples=100)
    assert report.threshold == 0.8
    assert "2 other labels treated as negative (positive: cat)" in [note.message for note in report.notes]


def test_scores_that_point_the_wrong_way_are_said_and_not_turned() -> None:
    report = choose_threshold(([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1]), resamples=100)
    assert report.threshold == math.inf
    assert "below-diagonal" in [note.code for note in report.notes]


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_an_error(label: int) -> None:
    with pytest.raises(InputError, match=f"found {label} in all rows"):
        choose_threshold(([label, label], [0.9, 0.8]))


def test_a_score_that_is_nan_is_an_error() -> None:
    with pytest.raises(GermaneError, match="row 2"):
        choose_threshold(([1, 0], [0.5, math.nan]))


def test_fractional_weights_give_values_without_intervals() -> None:
    data = ([1, 1, 0, 0], [0.9, 0.4, 0.5, 0.1], [0.5, 1.5, 1.0, 0.5])
    report = choose_threshold(data, "accuracy", resamples=100)
    assert report.dev.rates["threshold"]["TPR"].method == "none"
    assert "stability not resampled: weights are not integers" in [note.message for note in report.notes]
    with pytest.raises(GermaneError, match="requires integer weights"):
        choose_threshold(
            Decisions.of([1, 0], [0.9, 0.1]), "TPR where TNR>=.1", test=data, target_by="lower", resamples=100
        )


def test_a_test_set_that_is_the_dev_set_is_said(dev: Path, kept_apart: Path) -> None:
    again = "threshold chosen on the test set itself, so rates are optimistic; use other rows for --test"
    same = dev.parent / "." / dev.name
    assert again in threshold(dev, "--test", same).stderr
    assert again not in threshold(dev, "--test", kept_apart).stderr
    rows = (CLASSES, SCORES)
    assert again in [note.message for note in choose_threshold(rows, test=rows, positive="P", resamples=100).notes]
