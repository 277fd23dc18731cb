"""A confusion matrix as text."""

from typing import Any

import numpy as np
import pytest

import germane as ge
from germane.output.rendering import terminal
from germane.tables.decisions.confusion import Confusion, Normalise, Rows
from germane.tables.decisions.confusion_tables import confusions_table, matrix_table

PEOPLE = Confusion.of_matrix([[13, 2, 5], [4, 15, 1], [2, 1, 57]], ["woman", "man", "child"])


def matrix_text(confusion: Confusion, *, digits: int = 4, **view: Any) -> str:
    return terminal.render([matrix_table(confusion, **view)], digits)


def cells(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()[1:] if line.strip()]


@pytest.mark.parametrize(("rows", "first"), [("truth", ["13", "2", "5", "20"]), ("prediction", ["13", "4", "2", "19"])])
def test_both_orientations_are_labelled(rows: Rows, first: list[str]) -> None:
    text = matrix_text(PEOPLE, rows=rows)
    assert text.startswith("truth \\ predicted" if rows == "truth" else "predicted \\ truth")
    assert cells(text)[0] == ["woman", *first]
    assert cells(text)[-1][-1] == "100"


@pytest.mark.parametrize(
    ("by", "first"),
    [("truth", ["0.65", "0.10", "0.25"]), ("prediction", ["0.68", "0.11", "0.08"]), ("all", ["0.13", "0.02", "0.05"])],
)
def test_shares(by: Normalise, first: list[str]) -> None:
    assert cells(matrix_text(PEOPLE, normalise=by, digits=2))[0] == ["woman", *first]


def test_an_empty_class_has_no_shares() -> None:
    text = matrix_text(Confusion.of_matrix([[1, 0], [0, 0]]), normalise="truth", digits=1)
    assert cells(text) == [["0", "1.0", "0.0"], ["1", "–", "–"]]


def test_clusters_stand_side_by_side_with_a_line_between() -> None:
    lines = matrix_text(PEOPLE, clusters=[["woman", "child"], ["man"]]).splitlines()
    assert [line.split()[0] if line.strip() else "" for line in lines[1:]] == ["woman", "child", "", "man", "", "total"]


def test_the_largest_confusions_of_many_classes() -> None:
    counts = np.diag(np.full(50, 9))
    counts[3, 7], counts[7, 3], counts[0, 1] = 6, 2, 3
    assert cells(terminal.render([confusions_table(Confusion.of_matrix(counts))], 4)) == [
        ["3", "7", "6", "40.0%"],
        ["0", "1", "3", "25.0%"],
        ["7", "3", "2", "18.2%"],
    ]


def test_programs_read_rows_of_the_truth() -> None:
    found = ge.classify(Confusion.of_matrix([[1, 2], [3, 4]], rows="prediction")).to_dict()["classifiers"][0]
    assert found["confusion"]["counts"] == [[1, 3], [2, 4]]
