"""Verbs take results, files, frames and arrays alike; a result reads its data again where rankings are shown."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import germane as ge
from germane.errors import GermaneError
from germane.output.plots.kinds import PLOTS
from germane.tables.results.result import Inputs

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d3": 1}, "q3": {"d4": 1}}
RUNS = {
    "old": {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 2.0, "d9": 1.0}, "q3": {"d4": 1.0}},
    "new": {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 2.0}, "q3": {"d8": 3.0, "d4": 1.0}},
}
ITEMS: dict[str, Any] = {
    "truth": [1, 1, 0, 1, 0, 0, 1, 0],
    "old": [0.9, 0.4, 0.8, 0.6, 0.5, 0.2, 0.3, 0.1],
    "new": [0.9, 0.8, 0.7, 0.6, 0.3, 0.2, 0.5, 0.4],
}
FEW: dict[str, Any] = {"resamples": 40}


def scores() -> ge.Scores:
    return ge.evaluate(QRELS, RUNS, ["AP", "RR"])


def performances(*columns: str, **options: Any) -> ge.Performances:
    return ge.classify(ITEMS, truth="truth", score=columns, **FEW, **options)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, list[str]]:
    ge.write_qrels(ge.Qrels.from_dict(QRELS), tmp_path / "qrels.txt", "trec")
    for name, run in RUNS.items():
        ge.write_run(ge.Run.from_dict(run), tmp_path / f"{name}.run", "trec")
    return str(tmp_path / "qrels.txt"), [str(tmp_path / f"{name}.run") for name in RUNS]


def page_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# Rankings -------------------------------------------------------------------------------------------------------------


def test_a_page_on_scores_is_the_page_on_their_runs(tmp_path: Path) -> None:
    ge.report(QRELS, RUNS, ["AP", "RR"], output=tmp_path / "runs.html", baseline="old")
    ge.report(scores(), tmp_path / "scores.html", baseline="old")
    scores().report(tmp_path / "own.html", baseline="old")
    assert page_of(tmp_path / "runs.html") == page_of(tmp_path / "scores.html") == page_of(tmp_path / "own.html")


@pytest.mark.parametrize("kind", PLOTS)
def test_a_figure_of_scores_is_the_figure_of_their_runs(kind: str) -> None:
    drawn = ge.plot(kind, QRELS, RUNS, ["AP", "RR"])
    assert drawn == ge.plot(kind, scores()) == scores().plot(kind)


def test_a_figure_of_a_comparison_has_its_pairs() -> None:
    comparison = ge.compare(scores(), baseline="new", test="randomisation")
    (row,) = comparison.plot("forest")["datasets"]["rows"]
    assert (row["system"], row["difference"]) == ("old", comparison["AP", "new", "old"].difference)


def test_values_alone_need_no_files_and_rankings_do(files: tuple[str, list[str]]) -> None:
    qrels, runs = files
    found = ge.evaluate(qrels, runs, "AP")
    for path in (qrels, *runs):
        Path(path).unlink()
    for kind in ("distribution", "differences", "forest", "leaderboard"):
        assert found.plot(kind)["datasets"]["rows"]
    with pytest.raises(GermaneError, match=r"qrels\.txt: no such file"):
        found.plot("pr")


def test_what_cannot_be_read_again_is_an_error(tmp_path: Path) -> None:
    cases = [
        (Inputs(("-", ["a.run"], ["AP"])), "cannot read standard input again"),
        (Inputs(("qrels.txt", ["a.run", "-"], ["AP"])), "cannot read standard input again"),
        (Inputs((iter([("q1", "d1", 1)]), RUNS, ["AP"])), "cannot read an iterator again"),
        (None, "these scores do not keep their input data"),
    ]
    for inputs, said in cases:
        with pytest.raises(GermaneError, match=said):
            replace(scores(), inputs=inputs).report(tmp_path / "page.html")
        assert replace(scores(), inputs=inputs).plot("distribution")["datasets"]["rows"]


def test_a_pickle_keeps_paths_and_no_objects(files: tuple[str, list[str]]) -> None:
    qrels, runs = files
    read = pickle.loads(pickle.dumps(ge.evaluate(qrels, runs, "AP")))
    assert read.inputs.given == (qrels, runs, ["AP"])
    assert read.explain("AP", run="new", query="q1").value == 1
    assert pickle.loads(pickle.dumps(scores())).inputs is None
    assert pickle.loads(pickle.dumps(performances("old", "new"))).inputs is None


def test_a_number_of_scores_is_explained_as_by_itself() -> None:
    alone = ge.explain("AP", QRELS, RUNS["old"], "q2")
    assert scores().explain("AP", run="old", query="q2").value == alone.value
    assert ge.explain(ge.compare(scores()), "AP", "old", "q2").last_line == alone.last_line
    with pytest.raises(GermaneError, match="expected one run to explain, found 2") as error:
        scores().explain("AP", query="q2")
    assert error.value.hint == "choose from old, new: `run=…`"
    with pytest.raises(GermaneError, match="unknown run 'odl'; did you mean old"):
        scores().explain("AP", run="odl", query="q2")


def test_compare_takes_scores_runs_and_tables(files: tuple[str, list[str]]) -> None:
    qrels, runs = files
    expected = ge.compare(ge.evaluate(QRELS, RUNS, "AP"), baseline="old").to_dict()["pairs"]
    values = {name: scores()[name, "AP"] for name in RUNS}
    tables = {name: pd.DataFrame({"query": list(column), "AP": column.values()}) for name, column in values.items()}
    for found in (
        ge.compare(QRELS, RUNS, "AP", baseline="old"),
        ge.compare(qrels, runs, ["AP"], baseline=runs[0]),
        ge.compare(tables, baseline="old"),
    ):
        assert isinstance(found, ge.Comparison)
        assert found.to_dict()["pairs"] == expected
    assert ge.compare(values)["value", "old", "new"].p == ge.compare(scores())["AP", "old", "new"].p


USELESS = [
    (lambda: ge.compare(scores(), ties="docno"), "compare: unknown option 'ties'"),
    (lambda: ge.compare(scores(), mcnemar="exact"), "compare: unknown option 'mcnemar'"),
    (lambda: ge.compare(scores(), RUNS), "compare: expected a result alone, found runs beside it"),  # type: ignore[call-overload]
    (lambda: ge.compare(scores(), groups={"q1": "a", "q2": "b", "q3": "b"}, margin=0.1), "unknown option 'margin'"),
    (lambda: ge.plot("roc", scores()), "a figure of kind roc requires one table of labelled items, found runs"),
    (lambda: ge.plot("pr", performances("old"), query="q1"), "`query=` requires runs, found labelled items"),
    (lambda: ge.report(performances("old"), "page.html", documents={"d1": "red"}), "unknown option 'documents'"),
    (lambda: ge.report(scores()), "expected an output file, found none"),
    (lambda: ge.explain(ge.threshold((ITEMS["truth"], ITEMS["old"]), **FEW), "TPR"), "not supported for Threshold"),  # type: ignore[call-overload]
    (lambda: ge.explain(scores(), "AP", "old", "q1", threshold=0.5), "explain: unknown option 'threshold'"),  # type: ignore[call-overload]
]


@pytest.mark.parametrize(("call", "said"), USELESS, ids=[said for _, said in USELESS])
def test_what_would_be_left_aside_is_an_error(call: Any, said: str) -> None:
    with pytest.raises(GermaneError, match=said):
        call()


# Classifiers ----------------------------------------------------------------------------------------------------------


def test_one_classifier_is_looked_into_and_of_several_one_is_named() -> None:
    both, new = performances("old", "new"), performances("new")
    assert [each.name for each in both] == ["old", "new"]
    assert both.classifier("new")["AUC"] == both[1]["AUC"] == new["AUC"] == new.only["AUC"]
    assert both.comparison is not None
    assert both.classifier("new").comparison is None
    with pytest.raises(GermaneError, match="expected one classifier, found 2: old, new") as error:
        both["AUC"]
    assert error.value.hint == "choose one: .classifier('old')"
    with pytest.raises(GermaneError, match="unknown classifier 'nwe'; did you mean new"):
        both.classifier("nwe")


def test_a_page_on_performances_is_the_page_on_their_items(tmp_path: Path) -> None:
    columns: dict[str, Any] = {"truth": "truth", "score": ["old", "new"], **FEW}
    ge.report(ITEMS, output=tmp_path / "items.html", rules=["F1"], **columns)
    performances("old", "new").report(tmp_path / "performances.html", rules=["F1"])
    assert page_of(tmp_path / "items.html") == page_of(tmp_path / "performances.html")


def test_progress_is_told_whatever_a_page_is_about(tmp_path: Path) -> None:
    for data, how in ((ITEMS, {"truth": "truth", "score": ["old", "new"], **FEW}), (performances("old", "new"), {})):
        told: list[tuple[int, int]] = []
        ge.report(data, output=tmp_path / "page.html", progress=lambda *step, told=told: told.append(step), **how)
        assert told[-1] == (3, 4)


def test_predictions_in_arrays_are_drawn() -> None:
    drawn = ge.plot("confusion", ["a", "b", "a"], y_pred=["a", "b", "b"], **FEW)
    assert drawn == ge.classify(["a", "b", "a"], ["a", "b", "b"], **FEW).plot("confusion")


@pytest.mark.parametrize("kind", ["roc", "pr", "det", "density", "threshold", "calibration", "confusion"])
def test_a_figure_of_performances_is_the_figure_of_their_items(kind: str) -> None:
    drawn = ge.plot(kind, ITEMS, truth="truth", score="new", **FEW)
    assert drawn == performances("new").plot(kind)
    arrays = ge.plot(kind, ITEMS["truth"], y_score=ITEMS["new"], name="new", **FEW)
    assert str(arrays) == str(drawn)


def test_probabilities_of_several_classes_are_drawn_class_by_class() -> None:
    truth, table = list("abcab"), [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8], [0.5, 0.3, 0.2], [0.3, 0.4, 0.3]]
    drawn = ge.plot("roc", truth, y_proba=table, **FEW)
    columns = {
        "truth": truth,
        **{f"p_{label}": column for label, column in zip("abc", zip(*table, strict=True), strict=True)},
    }
    assert drawn == ge.plot("roc", columns, truth="truth", probabilities="p", **FEW)
    assert {row["system"] for row in drawn["datasets"]["hull"]} == set("abc")


def test_a_number_of_performances_is_explained_as_by_itself() -> None:
    found = performances("new")
    assert found.explain("AUC").value == ge.explain("AUC", ITEMS, truth="truth", score="new").value
    assert found.explain("TPR").value == found["TPR"].value
    at = {"truth": "truth", "score": "new", "threshold": 0.65}
    assert found.explain("TPR", threshold=0.65).value == ge.explain("TPR", ITEMS, **at).value  # type: ignore[call-overload]
    decided = ge.classify(["a", "b", "a"], ["a", "b", "b"], **FEW)
    assert decided.explain("PPV", positive="b").value == 0.5
    with pytest.raises(GermaneError, match="AUC needs scores, found none"):
        decided.explain("AUC", positive="b")


def test_performances_are_compared_as_their_items() -> None:
    both = performances("old", "new")
    assert ge.compare(both) is both.comparison
    found = ge.compare(both, baseline="new", alpha=0.2, measures=["AUC"])
    (pair,) = found.pairs
    assert (pair.measure, pair.a, pair.b, found.alpha) == ("AUC", "new", "old", 0.2)
    columns = {name: ITEMS[name] for name in ("new", "old")}
    assert ge.compare(ITEMS["truth"], y_score=columns, measures=["AUC"]).pairs[0].p == pair.p
    with pytest.raises(GermaneError, match="expected at least two classifiers to compare, found 1"):
        ge.compare(performances("new"))


def test_pos_label_is_positive_wherever_options_are_declared_together() -> None:
    truth, called = ["a", "b", "a", "b"], ["a", "b", "b", "b"]
    alias: Any = {"pos_label": "b"}
    assert ge.classify(truth, called, **alias, **FEW).only.positive == "b"
    assert ge.explain("PPV", truth, y_pred=called, **alias).value == pytest.approx(2 / 3)
    with pytest.raises(GermaneError, match="classify: expected positive or its alias pos_label, found both"):
        ge.classify(truth, called, positive="b", **alias)


def test_a_square_of_counts_is_a_matrix_if_it_is_said_to_be() -> None:
    assert ge.classify([[1820, 180], [10, 20]], matrix=True)["PPV"].value == 0.1
    with pytest.raises(GermaneError, match="missing predictions"):
        ge.classify([[1820, 180], [10, 20]])
