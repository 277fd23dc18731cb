"""`germane explain MEASURE DATA`: the worked tables of decisions."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from germane.cli import group
from germane.errors import GermaneError
from tests.worked_examples.test_thresholds import CLASSES, SCORES

# Lecture 001, section 2.6, as printed there: class, score, TP, FP, FN, TN, TPR, FPR, ACC.
LECTURE = """
P 0.9  1  0  9 10 0.1 0.0 0.55
P 0.8  2  0  8 10 0.2 0.0 0.60
N 0.7  2  1  8  9 0.2 0.1 0.55
P 0.6  3  1  7  9 0.3 0.1 0.60
P 0.55 4  1  6  9 0.4 0.1 0.65
P 0.54 5  1  5  9 0.5 0.1 0.70
N 0.53 5  2  5  8 0.5 0.2 0.65
N 0.52 5  3  5  7 0.5 0.3 0.60
P 0.51 6  3  4  7 0.6 0.3 0.65
N 0.5  6  4  4  6 0.6 0.4 0.60
P 0.4  7  4  3  6 0.7 0.4 0.65
N 0.39 7  5  3  5 0.7 0.5 0.60
P 0.38 8  5  2  5 0.8 0.5 0.65
N 0.37 8  6  2  4 0.8 0.6 0.60
N 0.36 8  7  2  3 0.8 0.7 0.55
N 0.35 8  8  2  2 0.8 0.8 0.50
P 0.34 9  8  1  2 0.9 0.8 0.55
N 0.33 9  9  1  1 0.9 0.9 0.50
P 0.3  10 9  0  1 1.0 0.9 0.55
N 0.1  10 10 0  0 1.0 1.0 0.50
"""


@pytest.fixture
def lecture(tmp_path: Path) -> Path:
    path = tmp_path / "lecture.csv"
    path.write_text("truth,score\n" + "".join(f"{c},{s}\n" for c, s in zip(CLASSES, SCORES, strict=True)))
    return path


@pytest.fixture
def spam(tmp_path: Path) -> Path:
    path = tmp_path / "spam.csv"
    path.write_text("label,pred,p\nspam,spam,0.9\nham,spam,0.8\nspam,ham,0.7\nham,ham,0.1\n")
    return path


def explain(*arguments: object) -> Result:
    return CliRunner().invoke(group, ["explain", *map(str, arguments)])


def as_json(*arguments: object) -> Any:
    return json.loads(explain(*arguments, "--format", "json").stdout, parse_constant=pytest.fail)


def test_the_table_of_the_lecture(lecture: Path) -> None:
    printed = [line.split() for line in LECTURE.strip().splitlines()]
    lines = explain("ACC", lecture, "--digits", 2).stdout.splitlines()
    assert lines[0].split()[:9] == ["class", "score", "TP", "FP", "FN", "TN", "TPR", "FPR", "ACC"]
    shown = [line.split()[:9] for line in lines[1:21]]
    assert [[*row[:6], *map(float, row[6:])] for row in shown] == [[*row[:6], *map(float, row[6:])] for row in printed]
    assert lines[22] == "ACC is highest at 0.54: 0.7000"
    assert lines[0].split().count("ACC") == 1


def test_the_area_of_the_lecture_is_the_sum_of_its_column(lecture: Path) -> None:
    found = as_json("AUC", lecture)
    assert sum(row["area"] for row in found["rows"]) == pytest.approx(found["value"])
    assert (found["term"], found["value"]) == ("area", 0.68)
    assert explain("AUC", lecture).stdout.splitlines()[-1] == "AUC = sum of the areas = 0.6800"


BY_THRESHOLD = [
    # measure, options                times    what the note says
    (["ACC"],                         1,   "ACC is explained at every threshold; use --threshold 0.5"),
    (["ACC"],                         100, "ACC is explained at every threshold; use --threshold for"),
    (["ACC", "--threshold", "0.5"],   1,   None),
    (["AUC"],                         1,   None),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "times", "note"), BY_THRESHOLD)
def test_a_rate_over_all_thresholds_is_said_to_be_that(
    arguments: list[str], times: int, note: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "items.csv"
    rows = zip(CLASSES, SCORES, strict=True)
    path.write_text("truth,score\n" + "".join(f"{c},{s * times}\n" for c, s in rows))
    said = explain(arguments[0], path, *arguments[1:]).stderr
    assert note in said if note else "every threshold" not in said


def test_what_was_guessed_is_said(lecture: Path) -> None:
    assert explain("AUC", lecture).stderr.splitlines() == [
        "note: using column 'truth' as true labels (change with --truth)",
        "note: using column 'score' as scores (change with --score)",
        "note: using 'P' as positive label, 'N' as negative (change with --positive)",
    ]


def test_a_rate_is_that_of_the_predictions_or_at_the_threshold(spam: Path) -> None:
    assert explain("recall", spam, "--positive", "spam").stdout.splitlines() == [
        "TPR = TP / (TP + FN)",
        "    = 1 / (1 + 1)",
        "    = 0.5000",
    ]
    at_threshold = explain("recall", spam, "--score", "p", "--positive", "spam", "--threshold", ".7")
    assert at_threshold.stdout.splitlines()[1:] == ["    = 2 / (2 + 0)", "    = 1.0000"]
    assert as_json("AP", spam, "--positive", "spam")["value"] == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["recall", "--positive", "spam", "--threshold", ".5"], "--threshold needs scores, found predicted labels"),
        (["recall", "--predicted", "pred"], "cannot tell which label is positive: 'ham' and 'spam'"),
        (["recall", "--positive", "egg"], "the positive label 'egg' does not occur"),
        (["AUC", "--predicted", "pred", "--positive", "spam"], "AUC needs scores, found none"),
        (["nonsense", "--positive", "spam"], "'nonsense'"),
        (["ROC", "--positive", "spam"], "unknown measure 'ROC'; did you mean AUC?"),
        (["RMSE", "--positive", "spam"], "RMSE has no breakdown, because it is not a measure of classes"),
        (["F1[macro]", "--score", "p", "--positive", "spam"], "F1[macro] needs decisions, found scores"),
        (["AUC", "--score", "p", "--positive", "spam", "--labels", "spam,ham"], "--labels requires predicted labels"),
        (["F1[egg]", "--predicted", "pred"], "unknown class or average 'egg'"),
        (["AUC[macro]", "--score", "p", "--positive", "spam"], "scores of one class have one value of AUC"),
        (["kappa(weights=linear)[spam]", "--predicted", "pred"], "a measure of the whole matrix, not of a class"),
        (["LR+[macro]", "--predicted", "pred"], "LR+[macro] may be infinite for a class"),
        (["PPV_at", "--positive", "spam"], "PPV_at requires prevalence"),
        (["AUC", "--score", "q"], "unknown column 'q'"),
        (["AUC", "--query", "301"], "--query requires QRELS and RUN"),
    ],
)
def test_what_cannot_be_explained_is_said(spam: Path, arguments: list[str], said: str) -> None:
    result = explain(arguments[0], spam, *arguments[1:])
    assert isinstance(result.exception, GermaneError)
    assert said in str(result.exception)


def test_columns_are_not_for_a_ranking(spam: Path) -> None:
    result = explain("AP", spam, spam, "--query", "1", "--score", "p")
    assert "--score requires labelled DATA" in str(result.exception)


def test_judgments_without_a_run_are_no_items(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 d 1\n")
    told = str(CliRunner().invoke(group, ["explain", "AP", str(tmp_path / "qrels.txt")]).exception)
    assert "expected judgments and at least one run" in told
    assert "use `germane explain AP QRELS RUN` or `germane explain AP DATA.csv`" in told


@pytest.fixture
def animals(tmp_path: Path) -> Path:
    path = tmp_path / "animals.csv"
    path.write_text(",cat,dog,rabbit\ncat,5,3,0\ndog,2,3,1\nrabbit,0,2,11\n")
    return path


def test_a_rate_of_a_matrix(tmp_path: Path, animals: Path) -> None:
    cancer = tmp_path / "cancer.csv"
    cancer.write_text(",no,yes\nno,1820,180\nyes,10,20\n")
    found = explain("PPV", cancer, "--matrix")
    assert found.stdout.splitlines() == ["PPV = TP / (TP + FP)", "    = 20 / (20 + 180)", "    = 0.1000"]
    assert found.stderr == "note: using 'yes' as positive label, 'no' as negative (change with --positive)\n"
    one_of_three = explain("TPR", animals, "--matrix", "--positive", "dog")
    assert one_of_three.stdout.splitlines()[1:] == ["    = 3 / (3 + 3)", "    = 0.5000"]
    assert one_of_three.stderr == "note: 2 other labels treated as negative (positive: dog)\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["TPR", "--matrix"], "cannot tell which class to explain: cat, dog, rabbit"),
        (["TPR", "--matrix", "--positive", "cow"], "the positive label 'cow' does not occur"),
        (["TPR", "--matrix", "--score", "p"], "--score cannot be combined with --matrix"),
        (["TPR", "--matrix", "--threshold", "0.5"], "--threshold cannot be combined with --matrix"),
        (["AUC", "--matrix"], "AUC needs scores, found a confusion matrix"),
        (["TPR"], "Hint: this looks like a confusion matrix; add --matrix"),
    ],
)
def test_what_cannot_be_said_of_a_matrix(animals: Path, arguments: list[str], said: str) -> None:
    assert said in str(explain(arguments[0], animals, *arguments[1:]).exception)


def test_a_matrix_is_not_for_a_ranking(animals: Path) -> None:
    assert "--matrix requires labelled DATA" in str(explain("AP", animals, animals, "--matrix").exception)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [("a", 0.7, 0.2), ("b", 0.3, 0.5), ("c", 0.1, 0.2), ("a", 0.2, 0.5), ("b", 0.1, 0.8), ("c", 0.3, 0.4)]
    lines = [f"{label},{a},{b},{round(1 - a - b, 1)}" for label, a, b in rows]
    path = tmp_path / "table.csv"
    path.write_text("truth,p_a,p_b,p_c\n" + "\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("measure", ["AUC[b]", "AUC[macro]", "AUC[weighted]", "ECE(bins=2)[c]", "AP[a]", "Brier[a]"])
def test_a_class_of_probabilities_and_a_mean_over_classes_are_explained(table: Path, measure: str) -> None:
    found = as_json(measure, table, "--probabilities", "p")
    assert found["measure"] == measure
    asked = CliRunner().invoke(
        group, ["classify", str(table), "--probabilities", "p", "-m", measure, "--format", "json", "--resamples", "40"]
    )
    if not measure.startswith("Brier"):  # which classify has of the whole table only
        assert found["value"] == json.loads(asked.stdout)["classifiers"][0]["overall"][measure]["value"]
    terms = [row[found["term"]] for row in found["rows"]]
    assert sum(terms) == pytest.approx(found["value"])


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("AUC", "AUC needs scores of one class, found a table of probabilities"),
        ("log_loss", "log_loss has no breakdown, because it is a measure of the whole table of probabilities"),
        ("AUC[ovo]", "AUC[ovo] has no breakdown, because it is not a mean over classes"),
        ("AUC[fox]", "unknown class or average 'fox'"),
        ("F1[fox]", "unknown class or average 'fox'"),
    ],
)
def test_what_a_table_of_probabilities_does_not_explain(table: Path, measure: str, said: str) -> None:
    result = explain(measure, table, "--probabilities", "p")
    assert isinstance(result.exception, GermaneError)
    assert said in str(result.exception)


def test_classes_without_items_are_not_explained(tmp_path: Path) -> None:
    path = tmp_path / "missing.csv"
    path.write_text("truth,p_a,p_b,p_c\na,0.5,0.3,0.2\nb,0.2,0.7,0.1\n")
    result = explain("AUC[c]", path, "--probabilities", "p")
    assert "AUC[c] is undefined, because the class has no items" in str(result.exception)
    assert "--probabilities cannot be combined with --matrix" in str(
        explain("TPR", path, "--matrix", "--probabilities", "p").exception
    )


def test_two_probabilities_are_one_score(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("truth,p_a,p_b\na,0.7,0.3\na,0.4,0.6\nb,0.2,0.8\nb,0.45,0.55\n")
    columns = ["--probabilities", "p", "--positive", "b"]
    assert as_json("AUC", path, *columns)["value"] == 0.75
    assert as_json("TPR", path, *columns)["value"] == 1
    assert "--threshold needs scores" in str(explain("TPR", path, *columns, "--threshold", ".7").exception)


def test_the_order_of_classes_counts(tmp_path: Path) -> None:
    path = tmp_path / "ordered.csv"
    path.write_text("truth,predicted\nlow,low\nmid,high\nhigh,high\nmid,mid\nlow,mid\n")
    declared, usual = (
        as_json("kappa(weights=linear)", path, *order)["value"] for order in (["--labels", "low,mid,high"], [])
    )
    assert (declared, usual) == (pytest.approx(6 / 11), pytest.approx(8 / 23))
