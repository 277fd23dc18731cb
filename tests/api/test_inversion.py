"""Inverting a classifier of two classes: B′ of lecture 001, scores turned round, and what cannot be inverted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import germane as ge
from germane.cli import group
from germane.errors import GermaneError
from germane.tables.decisions.confusion import Confusion

FEW: dict[str, Any] = {"resamples": 100}
INVERTED_AUC = "0.9062"
"""14½ of 16 pairs are in the wrong order."""
METHOD_B = Confusion.of_matrix([[20, 80], [60, 40]], ["healthy", "ill"])
"""TP = 40, FP = 80, FN = 60, TN = 20."""
TRUTH = [1, 1, 0, 1, 0, 0, 1, 0]
WRONG = [0.1, 0.2, 0.8, 0.3, 0.6, 0.7, 0.7, 0.9]


@pytest.mark.parametrize(("rate", "exact"), [("TPR", 0.6), ("FPR", 0.2), ("TNR", 0.8), ("FNR", 0.4)])
def test_the_lectures_method_b_is_inverted(rate: str, exact: float) -> None:
    found = ge.classify(METHOD_B, positive="ill", invert=True, **FEW)
    assert found[rate].value == exact
    assert found[rate].value == pytest.approx(1 - ge.classify(METHOD_B, positive="ill", **FEW)[rate].value)
    assert found[0].notes[0].code == "inverted"


def test_predictions_are_exchanged() -> None:
    predicted = [0, 0, 1, 1, 1, 0, 0, 1]
    opposite = [1 - label for label in predicted]
    for invert, alike in ((predicted, opposite), (opposite, predicted)):
        found, plain = ge.classify(TRUTH, invert, invert=True, **FEW), ge.classify(TRUTH, alike, **FEW)
        assert found[0].overall == plain[0].overall
    named = ge.classify(["no", "yes"], ["yes", "yes"], invert=True, positive="yes", **FEW)
    assert named[0].confusion is not None
    assert named[0].confusion.counts.tolist() == [[1, 0], [1, 0]]


@pytest.mark.parametrize("shift", [0, 3])
def test_scores_are_turned_round(shift: int) -> None:
    scores = np.asarray(WRONG) + shift
    found, plain = ge.classify(TRUTH, y_score=scores, invert=True, **FEW), ge.classify(TRUTH, y_score=scores, **FEW)
    assert found["AUC"].value == pytest.approx(1 - plain["AUC"].value)
    turned = 1 - scores if shift == 0 else -scores
    assert found[0].overall == ge.classify(TRUTH, y_score=turned, **FEW)[0].overall


def test_probabilities_of_two_classes_exchange_their_columns() -> None:
    p = np.asarray(WRONG)
    columns = np.stack([1 - p, p], axis=1)
    expected = ge.classify(TRUTH, y_score=1 - p, **FEW)["AUC"].value
    assert ge.classify(TRUTH, y_proba=columns, invert=True, **FEW)["AUC"].value == expected
    by_label = {0: columns[:, 0], 1: columns[:, 1]}
    assert ge.classify(TRUTH, y_proba=by_label, invert=True, **FEW)["AUC"].value == expected
    table = {"truth": TRUTH, "p_0": columns[:, 0], "p_1": columns[:, 1]}
    assert ge.classify(table, probabilities="p", invert=True, **FEW)["AUC"].value == expected


def test_every_classifier_of_a_table_is_inverted_and_compared() -> None:
    table = {"truth": TRUTH, "a": WRONG, "b": WRONG[::-1]}
    found = ge.classify(table, score=["a", "b"], invert=True, measures="AUC", **FEW)
    plain = ge.classify(table, score=["a", "b"], measures="AUC", **FEW)
    for one, other in zip(found, plain, strict=True):
        assert one["AUC"].value == pytest.approx(1 - other["AUC"].value)
    assert found.comparison is not None
    assert plain.comparison is not None
    assert found.comparison.pairs[0].difference == pytest.approx(-plain.comparison.pairs[0].difference)


def test_the_note_on_an_auc_below_a_half_names_the_option() -> None:
    (note,) = (n for n in ge.classify(TRUTH, y_score=WRONG, **FEW)[0].notes if n.code == "below-diagonal")
    assert note.message.endswith(f"check --positive (AUC {INVERTED_AUC} with --invert)")
    turned = [1 - score for score in WRONG]
    again = ge.classify(TRUTH, y_score=turned, invert=True, **FEW)
    (note,) = (n for n in again[0].notes if n.code == "below-diagonal")
    assert note.message.endswith("without --invert)")


@pytest.mark.parametrize("shift", [0, 3])
def test_a_threshold_is_chosen_on_inverted_scores_of_both_sets(shift: int) -> None:
    scores = np.asarray(WRONG) + shift
    turned = 1 - scores if shift == 0 else -scores
    table = {"truth": TRUTH, "score": scores, "site": list("aabbaabb")}
    found = ge.threshold(table, test=table, slices="site", invert=True, **FEW)
    opposite = {**table, "score": turned}
    plain = ge.threshold(opposite, test=opposite, slices="site", **FEW)
    assert found.threshold == plain.threshold
    assert found.test is not None
    assert plain.test is not None
    assert found.test.rates == plain.test.rates
    assert [each.own for each in found.slices] == [each.own for each in plain.slices]
    assert "inverted" in [note.code for note in found.notes]


def test_decisions_are_inverted_with_their_weights() -> None:
    seen = ge.Decisions.of([True, False, True], [0.9, 0.5, 0.5], [1, 2.5, 1])
    found = ge.threshold(seen, "accuracy", invert=True, resamples=None)
    assert found.dev.num_negative == 2.5
    assert found.threshold in (0.5, np.inf)


def test_the_opposite_is_explained() -> None:
    found = ge.explain("TPR", TRUTH, y_pred=[0, 0, 1, 1, 1, 0, 0, 1], invert=True)
    assert (found.value, found.notes[0].code) == (0.75, "inverted")
    assert ge.explain("TPR", METHOD_B, positive="ill", invert=True).value == 0.6


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: ge.classify([0, 1, 2], [0, 1, 2], invert=True), "needs two classes, found 3: 0, 1, 2"),
    (lambda: ge.classify([[1, 0, 0]] * 3, matrix=True, invert=True), "needs two classes, found 3"),
    (lambda: ge.classify([1, 1], [1, 1], invert=True), "needs two classes, found 1: 1"),
    (lambda: ge.classify([1.0, 2.0], [1.0, 2.0], task="regression", invert=True), "invert cannot be combined"),
    (
        lambda: ge.threshold({"truth": list("abca"), "score": [1, 2, 3, 4]}, positive="a", invert=True),
        "needs two classes, found 3: a, b, c",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_has_no_opposite_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        call()


def run(*arguments: object) -> Result:
    return CliRunner().invoke(group, [*map(str, arguments)])


def test_inversion_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("truth,ill,healthy\nill,40,60\nhealthy,80,20\n")
    result = run("classify", tmp_path / "b.csv", "--matrix", "--positive", "ill", "--invert", "-m", "TPR,FPR")
    assert "note: predictions are exchanged" in result.stderr
    assert [line.split()[:2] for line in result.stdout.splitlines() if line.startswith(("TPR", "FPR"))] == [
        ["TPR", "0.6000"],
        ["FPR", "0.2000"],
    ]
    items = tmp_path / "items.csv"
    items.write_text("truth,score\n" + "".join(f"{t},{s}\n" for t, s in zip(TRUTH, WRONG, strict=True)))
    assert "--invert cannot be combined with --stream" in str(run("classify", items, "--stream", "--invert").exception)
    page = tmp_path / "page.json"
    assert run("plot", "roc", items, "--invert", "-o", page).exit_code == 0
    assert f"AUC {INVERTED_AUC}" in page.read_text()
