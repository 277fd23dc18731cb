"""Every registered measure has a row in the file of its family, and rows are what they seem."""

from importlib import import_module
from pathlib import Path

import pytest

from germane.measures.definition import MEASURES, Definition
from tests.worked_examples.rows import Row, check


def measures_with_rows(family: str) -> set[str]:
    """The measures that have a row in this family's file."""
    rows: list[Row] = import_module(f"tests.worked_examples.test_{family}").ROWS
    return {MEASURES.parse(row.measure).name for row in rows}


@pytest.mark.parametrize("definition", MEASURES, ids=lambda definition: definition.name)
def test_the_measure_is_worked_out_by_hand(definition: Definition) -> None:
    assert definition.name in measures_with_rows(definition.family)


def test_no_file_is_left_out() -> None:
    here = Path(__file__).parent
    families = {definition.family for definition in MEASURES}
    lectures = {"lectures_000_and_001", "lecture_002", "lecture_003", "lecture_004"}
    decisions = {"confusion_matrices", "thresholds"}  # their measures have a registry of their own
    retrieval = {"retrieval_models", "feedback"}  # and so have these
    files = {path.stem.removeprefix("test_") for path in here.glob("test_*.py")} - {
        Path(__file__).stem.removeprefix("test_")
    }
    assert files == families | lectures | decisions | retrieval


def test_a_wrong_row_fails() -> None:
    check(Row("P", "1 0", "", 1 / 2, "right"))
    with pytest.raises(AssertionError):
        check(Row("P", "1 0", "", 1 / 2 + 1e-12, "wrong value"))
    with pytest.raises(AssertionError):
        check(Row("P", "1 0", "", 1 / 2, "wrong figure", "0.51"))
