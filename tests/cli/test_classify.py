"""`germane classify`: what it prints, what it refuses, and its gates."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from germane.cli import group
from germane.errors import GermaneError
from germane.measures.decisions.rates import RATES
from germane.tables.decisions.confusion import Cells

ANIMALS = [("cat", "cat")] * 5 + [("cat", "dog")] * 3 + [("dog", "cat")] * 2 + [("dog", "dog")] * 3
ANIMALS += [("dog", "rabbit"), ("rabbit", "dog"), ("rabbit", "dog")] + [("rabbit", "rabbit")] * 11


@pytest.fixture
def animals(tmp_path: Path) -> Path:
    path = tmp_path / "animals.csv"
    path.write_text("truth,predicted\n" + "".join(f"{truth},{called}\n" for truth, called in ANIMALS))
    return path


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    """Three classes called 0, 1 and 2 with predictions, scores of class 1, weights and probabilities."""
    draw = random.Random(4)
    lines = ["truth,predicted,score,other,weight,minus,p_0,p_1,p_2"]
    for row in range(60):
        truth = row % 3
        called = truth if draw.random() < 0.7 else draw.randrange(3)
        score, other = (round(draw.random() * 0.6 + 0.4 * (truth == 1), 2) for _ in range(2))
        p = round(draw.random(), 2)
        weights = f"{draw.randint(1, 3)},{-(row % 2)}"
        lines.append(
            f"{truth},{called},{score},{other},{weights},{p},{round((1 - p) / 4, 4)},{round((1 - p) * 0.75, 4)}"
        )
    path = tmp_path / "numbers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    path = tmp_path / "cancer.csv"
    path.write_text(",no,yes\nno,1820,180\nyes,10,20\n")
    return path


def classify(*arguments: object) -> Result:
    return CliRunner().invoke(group, ["classify", *map(str, arguments)])


def as_json(*arguments: object) -> Any:
    return json.loads(classify(*arguments, "--format", "json").stdout, parse_constant=pytest.fail)


def value(found: Any, name: str) -> Any:
    return found["classifiers"][0]["overall"][name]["value"]


def test_labels_are_ordered_as_asked(animals: Path) -> None:
    found = as_json(animals, "--labels", "rabbit,dog,cat")["classifiers"][0]
    assert found["confusion"]["counts"] == [[11, 2, 0], [1, 3, 2], [0, 3, 5]]
    assert found["overall"]["ACC"]["value"] == 19 / 27
    assert found["averages"]["macro"]["TPR"]["value"] == pytest.approx((5 / 8 + 3 / 6 + 11 / 13) / 3)


def test_labels_that_are_numbers_are_those_of_the_data(numbers: Path) -> None:
    found = as_json(numbers, "--predicted", "predicted", "--labels", "2,1,0,7")["classifiers"][0]
    assert found["confusion"]["labels"] == [2, 1, 0, 7]


def test_one_class_against_the_rest(animals: Path, numbers: Path) -> None:
    found = as_json(animals, "--class", "dog")["classifiers"][0]
    assert found["confusion"] == {"labels": ["not dog", "dog"], "rows": "truth", "counts": [[16, 5], [3, 3]]}
    assert (found["positive"], found["overall"]["TPR"]["value"]) == ("dog", 0.5)
    by_number = as_json(numbers, "--class", "1", "--predicted", "predicted")["classifiers"][0]
    assert by_number["confusion"]["labels"] == ["not 1", "1"]
    by_probability = as_json(numbers, "--class", "1", "--probabilities", "p")
    alone = as_json(numbers, "--positive", "1", "--score", "p_1")
    assert value(by_probability, "AUC") == value(alone, "AUC")


def test_each_prefix_of_probabilities_is_a_classifier(tmp_path: Path) -> None:
    path = tmp_path / "models.csv"
    rows = ["cat,.5,.3,.2,.8,.1,.1", "dog,.3,.4,.3,.2,.7,.1", "eel,.3,.3,.4,.1,.2,.7"] * 5
    path.write_text("\n".join(["truth,old_cat,old_dog,old_eel,new_cat,new_dog,new_eel", *rows]) + "\n")
    prefixes = ["--probabilities", "old", "--probabilities", "new"]
    found = as_json(path, "--truth", "truth", *prefixes, "-m", "log_loss", "-m", "AUC[ovo]")
    assert [each["name"] for each in found["classifiers"]] == ["old", "new"]
    assert [(pair["measure"], pair["a"], pair["b"]) for pair in found["comparison"]["pairs"]] == [
        ("log_loss", "old", "new"),
        ("AUC[ovo]", "old", "new"),
    ]
    gated = classify(path, "--truth", "truth", "--probabilities", "old", "--fail-under", "AUC[ovo]=1.01")
    assert gated.exit_code == 1
    assert "the value of AUC[ovo] is 1.0000, below 1.01" in gated.stderr


def test_a_matrix_in_both_orientations(matrix: Path, tmp_path: Path) -> None:
    transposed = tmp_path / "transposed.csv"
    transposed.write_text(",no,yes\nno,1820,10\nyes,180,20\n")
    assert value(as_json(matrix, "--matrix"), "PPV") == 0.1
    assert value(as_json(transposed, "--matrix", "--rows", "prediction"), "PPV") == 0.1
    assert value(as_json(transposed, "--matrix"), "TPR") == 0.1


def test_several_scores_of_one_class_are_compared_by_it(numbers: Path) -> None:
    columns = ["--truth", "truth", "--score", "score", "--score", "other", "--predicted", "predicted", "--positive", 1]
    found = as_json(numbers, *columns)
    accuracy = {each["name"]: each["overall"]["ACC"]["value"] for each in found["classifiers"]}
    for pair in found["comparison"]["pairs"]:
        if pair["measure"] == "ACC":
            assert (pair["value_a"], pair["value_b"]) == pytest.approx((accuracy[pair["a"]], accuracy[pair["b"]]))
    assert {pair["measure"] for pair in found["comparison"]["pairs"]} == {"ACC", "F1", "MCC", "AUC", "AP"}


def test_a_note_of_all_is_said_once(numbers: Path) -> None:
    result = classify(numbers, "--score", "score", "--score", "other", "--positive", "1", "--weight", "weight")
    assert result.stderr.count("using column 'truth' as true labels") == 1
    assert "classifiers are not compared, because items have weights" in result.stderr
    assert "None" not in result.stderr


def test_streaming_counts_the_same_and_shows_no_bound_as_an_interval(numbers: Path) -> None:
    for columns in (["--score", "score", "--positive", "1", "--threshold", ".5"], ["--predicted", "predicted"]):
        whole, stream = as_json(numbers, *columns), as_json(numbers, *columns, "--stream")
        first, second = (found["classifiers"][0] for found in (whole, stream))
        assert first["confusion"] == second["confusion"]
        assert first["columns"] == second["columns"]
        assert set(first["overall"]) - set(second["overall"]) <= {"AP(area=interpolated)"}
        for name, estimate in second["overall"].items():
            assert estimate["value"] == pytest.approx(first["overall"][name]["value"], rel=1e-12, abs=1e-12)
            assert estimate["method"] in (first["overall"][name]["method"], "none")
    found = [as_json(numbers, "--score", "score", "--positive", "1", *more) for more in ([], ["--stream"])]
    assert found[0]["classifiers"][0]["overall"]["AUC"] == found[1]["classifiers"][0]["overall"]["AUC"]


def test_streaming_leaves_only_the_measures_asked_for(numbers: Path) -> None:
    columns = ["--score", "score", "--positive", "1", "--threshold", ".5", "--stream"]
    found = as_json(numbers, *columns, "-m", "recall roc_auc", "--fail-under", "MCC=-1")["classifiers"][0]
    assert set(found["overall"]) == {"TPR", "AUC", "MCC"}
    everything = as_json(numbers, *columns)["classifiers"][0]["overall"]
    assert found["overall"] == {name: everything[name] for name in found["overall"]}


GATES = [
    # gates                              looked at  status  said
    (["ACC=.7"],                         "value",   0,      ""),
    (["ACC=.7"],                         "lower",   1,      "the lower end of ACC is 0.5"),
    (["accuracy=.8"],                    "value",   1,      "the value of ACC is 0.7037, below 0.8"),
    (["ERR=.3"],                         "value",   0,      ""),
    (["ERR=.2"],                         "value",   1,      "the value of ERR is 0.2963, above 0.2"),
    (["ERR=.4"],                         "lower",   1,      "the upper end of ERR is 0.4"),
    (["F1[macro]=.6"],                   "value",   0,      ""),
    (["F1[macro]=.8", "TPR[dog]=.6"],    "value",   1,      "the value of TPR[dog] is 0.5000, below 0.6"),
    (["F2[macro]=.5", "F3[dog]=.2"],     "value",   0,      ""),
    (["F0.5[weighted]=.99"],             "value",   1,      "the value of F0.5[weighted] is"),
    (["kappa(weights=linear)=.9"],       "value",   1,      "the value of kappa(weights=linear) is"),
    (["kappa(weights=linear)=.7"],       "lower",   1,      "the lower end of kappa(weights=linear) is"),
    (["cost(prevalence=.3)[cat]=0"],     "value",   1,      "the value of cost(prevalence=0.3)[cat] is"),
]  # fmt: skip


@pytest.mark.parametrize(("gates", "look_at", "status", "said"), GATES)
def test_gates(animals: Path, gates: list[str], look_at: str, status: int, said: str) -> None:
    options = [part for gate in gates for part in ("--fail-under", gate)]
    result = classify(animals, *options, "--gate", look_at)
    assert (result.exit_code, said in result.stderr) == (status, True)


def test_a_gate_adds_its_measure_to_the_usual_ones(numbers: Path) -> None:
    scores = ["--score", "score", "--positive", "1", "--prevalence", ".1"]
    usual = as_json(numbers, *scores)["classifiers"][0]
    gates = ["ECE(bins=4)=1", "F2[macro]=0", "AUC=0", "F1[macro]=0", "PPV_at=0"]
    options = [part for gate in gates for part in ("--fail-under", gate)]
    gated = as_json(numbers, *scores, *options)["classifiers"][0]
    assert set(gated["overall"]) - set(usual["overall"]) == {"ECE(bins=4)", "F2[macro]"}
    assert {name: gated["overall"][name] for name in usual["overall"]} == usual["overall"]
    assert gated["averages"]["macro"]["F2"] == gated["overall"]["F2[macro]"]


def test_all_stands_for_the_usual_measures(numbers: Path) -> None:
    scores = ["--score", "score", "--positive", "1"]
    usual, more = (as_json(numbers, *scores, *asked)["classifiers"][0] for asked in ([], ["-m", "all F2 MCE"]))
    assert set(more["overall"]) == {*usual["overall"], "F2", "MCE"}


def test_rates_with_any_parameter_at_every_threshold(numbers: Path) -> None:
    scores = ["--score", "score", "--positive", "1", "--at-thresholds", "--format", "csv"]
    header, first, *_ = classify(numbers, *scores, "-m", "F2 PPV_at", "--prevalence", ".1").stdout.splitlines()
    assert header == "threshold,TP,FP,FN,TN,F2,PPV_at(prevalence=0.1)"
    _, *cells, f2, ppv = map(float, first.split(","))
    assert f2 == pytest.approx(float(RATES.parse("F2")(Cells(*cells))))
    assert ppv == pytest.approx(float(RATES.parse("PPV_at(prevalence=0.1)")(Cells(*cells))))
    usual = classify(numbers, *scores).stdout.splitlines()[0]
    assert classify(numbers, *scores, "-m", "all F2").stdout.splitlines()[0] == f"{usual},F2"
    for asked, said in (
        ("ECE", "ECE is not a rate of four cells, so a table of all thresholds cannot have it"),
        ("F1[macro]", "F1[macro] is of classes or averages, so a table of all thresholds cannot have it"),
        ("cost", "cost requires prevalence"),
    ):
        assert said in str(classify(numbers, *scores, "-m", asked).exception)


@pytest.mark.parametrize("weight", [[], ["--weight", "weight"]])
def test_what_is_asked_for_is_in_every_output(numbers: Path, weight: list[str]) -> None:
    asked = ["-m", "F2 F2[macro] TPR[not 1] kappa(weights=linear) minDCF(prior=0.2)", *weight]
    scores = ["--score", "score", "--positive", "1", "--threshold", ".5"]
    names = ["F2", "F2[macro]", "TPR[not 1]", "kappa(weights=linear)", "minDCF(prior=0.2)"]
    assert sorted(as_json(numbers, *scores, *asked)["classifiers"][0]["overall"]) == sorted(names)
    for style in ("table", "csv", "markdown", "latex"):
        printed = classify(numbers, *scores, *asked, "--format", style).stdout
        assert all(name.partition("(")[0] in printed.replace("\\", "") for name in names), style


REFUSED = [
    (["--fail-under", "F1=.5"], "cannot tell which F1 is meant: that of a class, or an average"),
    (["--fail-under", "F1[dgo]=.5"], "unknown class or average 'dgo'; did you mean dog?"),
    (["--fail-under", "MCCC=.5"], "'MCCC'"),
    (["--fail-under", "PPV_at=.5"], "PPV_at requires prevalence"),
    (["--fail-under", "AUC=.5"], "cannot compute AUC: needs scores of one class"),
    (["--fail-under", "MCC"], "expected --fail-under MEASURE=VALUE"),
    (["--fail-under", "MCC=high"], "expected --fail-under MEASURE=VALUE"),
    (["--fail-under", "LR+[macro]=1"], "cannot compute LR+[macro]: may be infinite"),
    (["--labels", "cat,dog"], "found 'rabbit'"),
    (["--labels", "cat,cat"], "expected distinct labels"),
    (["--labels", ""], "expected one of the labels ''"),
    (["--class", "fox"], "unknown class 'fox'"),
    (["--class", "dog", "--positive", "dog"], "--positive cannot be combined with --class"),
    (["--average", "binary"], "needs a positive class"),
    (["--positive", "fox"], "the positive label 'fox' does not occur"),
    (["--threshold", ".5"], "--threshold needs scores, found none"),
    (["--predicted", "guess"], "unknown column 'guess'"),
    (["--predicted", "predicted", "--score", "predicted"], "cannot be used as both predictions and scores"),
    (["--score", "predicted", "--positive", "cat"], "predicted"),
    (["--weight", "predicted"], "predicted"),
    (["--matrix", "--threshold", ".5"], "--threshold cannot be combined with --matrix"),
    (["--matrix", "--truth", "truth"], "--truth cannot be combined with --matrix"),
    (["--matrix"], "animals.csv"),
    (["--stream", "--labels", "cat,dog"], "--labels cannot be combined with --stream"),
    (["--stream", "--class", "cat"], "--class cannot be combined with --stream"),
    (["--stream", "--average", "macro"], "--average cannot be combined with --stream"),
    (["--stream", "--probabilities", "p"], "--probabilities cannot be combined with --stream"),
    (["--stream", "--task", "clusters"], "--task cannot be combined with --stream"),
    (["--stream", "--at-thresholds"], "--at-thresholds cannot be combined with --stream"),
    (["--stream", "--threshold", "1"], "--threshold cannot be combined with predicted labels"),
    (
        ["--stream", "-m", "ACC roc_auc AP(area=interpolated)"],
        "AP(area=interpolated) is not supported with --stream, which meets the scores once, highest first",
    ),
    (["--task", "regression", "--class", "cat"], "--class cannot be combined with --task regression"),
    (["--task", "regression"], "number"),
    (["--task", "regression", "--quantile", "low"], "expected a quantile and its column, found 'low'"),
    (
        ["--task", "regression", "--quantile", "0.1=low", "--quantile", "0.1=high"],
        "expected each quantile once, found 0.1 twice",
    ),
    (["--quantile", "0.1=low"], "--quantile requires --task regression"),
    (["--test", "t"], "--test requires --task regression"),
    (["--task", "densities"], "expected a column of log-likelihoods, found 'truth', 'predicted'"),
    (["--probabilities", "p"], "expected one column per class starting with 'p'"),
    (["--at-thresholds"], "--at-thresholds needs one column of scores"),
]


@pytest.mark.parametrize(
    ("options", "said"), REFUSED, ids=lambda each: " ".join(each) if isinstance(each, list) else ""
)
def test_what_is_wrong_is_a_clear_error(animals: Path, options: list[str], said: str) -> None:
    result = classify(animals, *options)
    assert isinstance(result.exception, GermaneError), result.exception
    assert said in str(result.exception)
    assert result.stdout == "", "nothing is printed before an error"


def test_wrong_numbers_are_clear_errors(numbers: Path, tmp_path: Path) -> None:
    scores = ["--score", "score", "--positive", "1"]
    for options, said in [
        ([*scores, "--threshold", "nan"], "expected a number as threshold"),
        (["--score", "score"], "cannot tell which of 3 labels is positive: 0, 1, 2"),
        (["--predicted", "predicted", "--weight", "minus"], "expected a finite weight ≥ 0"),
        ([*scores, "--fail-under", "ECE=.1", "--gate", "lower"], "ECE has no interval"),
        (
            ["--predicted", "predicted", *scores, "--threshold", ".5"],
            "--threshold cannot be combined with predicted labels",
        ),
        (["--predicted", "predicted", "--labels", "a,b"], "expected numbers as labels, found 'a'"),
    ]:
        assert said in str(classify(numbers, *options).exception)
    junk = tmp_path / "junk.csv"
    for text, said in [
        ("", "junk.csv"),
        ("truth,score\n", "found none"),
        ("truth,score\n1,0.5\n0,nan\n", "found none in 1 of 2 rows (score: 1)"),
        ("truth,score\n1,0.5\n0,\n", "junk.csv:3"),
        ("truth,score\n0,0.5\n0,0.4\n", "expected positives and negatives, found 0 in all rows"),
        ("truth,predicted\n1\n", "junk.csv:2"),
        ("truth,p_a,p_b\na,0.5,0.4\n", "sum to 1 in row 1, found a sum of 0.9"),
    ]:
        junk.write_text(text)
        result = classify(junk, *(["--probabilities", "p"] if "p_a" in text else []))
        assert isinstance(result.exception, GermaneError), text
        assert said in str(result.exception)


def test_no_mixture_of_options_ends_in_a_traceback(numbers: Path) -> None:
    draw = random.Random(1)
    options = [
        *(["--predicted", name] for name in ("predicted", "score", "truth")),
        *(["--score", name] for name in ("score", "predicted", "p_1")),
        *([name] for name in ("--stream", "--matrix", "--reorder", "--at-thresholds", "--stratified")),
        *(["--positive", name] for name in ("1", "x", "")),
        *(["--task", name] for name in ("regression", "clusters", "densities", "label-sets")),
        *(["--format", name] for name in ("json", "csv", "tsv", "latex", "markdown")),
        *(["--weight", name] for name in ("weight", "minus")),
        *(["--labels", name] for name in ("0,1,2", "2,1", ",")),
        *(["--threshold", name] for name in ("0.5", "inf")),
        *(["--average", name] for name in ("binary", "macro", "micro", "weighted")),
        *(["--fail-under", name] for name in ("F1=.5", "AUC=.1", "TPR[1]=.5", "=", "[]=1")),
        *([["--class", "1"], ["--probabilities", "p"], ["--shares", "all"], ["--truth", "score"]]),
        *([["--prevalence", "0"], ["--cost-fn", "0"], ["--level", "0.999"], ["--digits", "0"], ["--gate", "lower"]]),
    ]
    for _ in range(120):
        chosen = [part for option in draw.sample(options, draw.randint(1, 5)) for part in option]
        result = classify(numbers, *chosen)
        problem = result.exception
        assert problem is None or isinstance(problem, GermaneError | SystemExit), (chosen, problem)


@pytest.mark.parametrize("arguments", [["--shares", "truth"], ["--reorder"]])
def test_a_matrix_that_is_not_printed_is_not_arranged(tmp_path: Path, arguments: list[str]) -> None:
    data = tmp_path / "k.csv"
    data.write_text("truth,predicted\na,a\nb,c\nc,c\n")
    result = CliRunner().invoke(group, ["classify", str(data), "--format", "csv", *arguments])
    assert f"{arguments[0]} is not supported with --format csv" in str(result.exception)


ASKED_FOR = [
    # options                            measure, class        of all that is printed
    (["--score", "score", "--positive", "1", "-m", "F1"], [("F1", "")]),
    (["--predicted", "predicted", "-m", "F1 ACC"],
     [("ACC", ""), *(("F1", group) for group in ("0", "1", "2", "(macro)", "(micro)", "(weighted)"))]),
    (["--predicted", "predicted", "--positive", "1", "-m", "TPR"], [("TPR", "")]),
]  # fmt: skip


@pytest.mark.parametrize("style", ["csv", "tsv"])
@pytest.mark.parametrize(("options", "expected"), ASKED_FOR)
def test_lines_for_programs_have_what_was_asked_for(
    numbers: Path, options: list[str], expected: list[tuple[str, str]], style: str
) -> None:
    header, *lines = (
        line.split("," if style == "csv" else "\t")
        for line in classify(numbers, "--truth", "truth", *options, "--format", style).stdout.splitlines()
    )
    assert header[:3] == ["classifier", "class", "measure"]
    assert [(line[2], line[1]) for line in lines] == expected
    everything = classify(numbers, "--truth", "truth", *options[:-2], "--format", style).stdout.splitlines()
    assert len(everything) > 50  # without -m nothing is left out


def test_a_table_for_papers_has_what_was_asked_for(numbers: Path) -> None:
    printed = classify(
        numbers, "--truth", "truth", "--score", "score", "--positive", "1", "-m", "F1", "--format", "latex"
    )
    body = printed.stdout.rpartition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()
    assert [line.split(" & ")[0] for line in body] == ["F1"]


def test_a_limit_on_a_measure_with_parameters_of_another_task_needs_no_measure_option(tmp_path: Path) -> None:
    data = tmp_path / "numbers.csv"
    data.write_text("truth,predicted,low\n1,1.5,0\n2,1.5,1\n4,3,3\n5,5,6\n")
    task = ["--task", "regression", "--predicted", "predicted", "--quantile", "0.1=low"]
    kept = CliRunner().invoke(group, ["classify", str(data), *task, "--fail-under", "pinball(quantile=0.9)=1"])
    assert (kept.exit_code, "MAE" in kept.output, "pinball(quantile=0.9)" in kept.output) == (0, True, True)
    gates = ["--fail-under", "quantile_coverage(quantile=0.1)=0.5"]
    missed = CliRunner().invoke(group, ["classify", str(data), *task, *gates])
    assert missed.exit_code == 1
    assert "quantile_coverage(quantile=0.1)" in missed.output


def test_a_limit_holds_in_every_slice_or_names_the_slice_that_misses_it(tmp_path: Path) -> None:
    rows = [f"{'ab'[n % 2]},{n % 3},{n // 4},{n % 3 if n % 2 else 0}" for n in range(120)]
    (tmp_path / "items.csv").write_text("site,label,patient,guess\n" + "\n".join(rows) + "\n")
    command = ["classify", str(tmp_path / "items.csv"), "--predicted", "guess", "--slices", "site", "-m", "ACC"]
    found = CliRunner().invoke(group, [*command, "--cluster", "patient", "--fail-under", "ACC=0.5"])
    printed = found.output
    assert found.exit_code == 1
    assert "items.csv, slice site=a: the value of ACC is 0.3333, below 0.5" in printed
    assert "slice site=b: the value" not in printed
    assert "Largest gap: ACC is 1.000 in site=b and 0.333 in site=a." in printed
    assert CliRunner().invoke(group, [*command, "--fail-under", "ACC=0.3"]).exit_code == 0
