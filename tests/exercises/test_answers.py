"""Answers as people write them, and what they are worth."""

from __future__ import annotations

import pytest

from germane.errors import GermaneError, InputError
from germane.exercises.answers import filled_in, parse_answer, read_answers
from germane.exercises.checking import Checked, check, check_answer, check_files
from germane.exercises.sheet import Sheet
from germane.exercises.task import Mistake, Task

AP = Task("AP", "What is AP?", (), (), 5 / 9, "", (Mistake("divided by 2", 5 / 6), Mistake("given P", 2 / 3)))
COUNT = Task("wilcoxon", "What is W?", (), (), 11.0, "", (Mistake("subtracted", 7.0),))

WORTH = [
    # task  answer            verdict           mistake         why
    (AP, "5/9", "right", "", "a fraction is exact"),
    (AP, "10/18", "right", "", "whether or not it is in lowest terms"),
    (AP, "(1 + 2/3) / 3", "right", "", "the working is as good"),
    (AP, "0.556", "right", "", "rounded"),
    (AP, "0.555", "right", "", "cut off"),
    (AP, "0,5556", "right", "", "with a comma"),
    (AP, ".5556", "right", "", "without the 0"),
    (AP, "55.6%", "right", "", "a percentage with a decimal has three"),
    (AP, "0.55555555", "right", "", "to eight digits"),
    (AP, "0.56", "too few digits", "", "two decimals are right, and too few"),
    (AP, "56 %", "too few digits", "", "so are these"),
    (AP, "0.557", "wrong", "", "off by more than a unit of the last digit"),
    (AP, "5/10", "wrong", "", "a fraction has no tolerance"),
    (AP, "0.833", "wrong", "divided by 2", "the value of a mistake"),
    (AP, "5/6", "wrong", "divided by 2", "as a fraction"),
    (AP, "0.67", "wrong", "given P", "two decimals tell a mistake"),
    (AP, "0.8", "wrong", "", "one does not"),
    (AP, "1", "wrong", "", "a whole number is exact: not 0.56 rounded"),
    (AP, "about half", "not a number", "", "words"),
    (AP, "1/0", "not a number", "", "nothing can be divided by 0"),
    (AP, "9**99999999", "not a number", "", "no powers: this one would never end"),
    (AP, "(" * 100, "not a number", "", "brackets that do not close"),
    (COUNT, "11", "right", "", "a count"),
    (COUNT, "11.0", "right", "", "exact, however few decimals"),
    (COUNT, "7", "wrong", "subtracted", "a mistake in whole numbers"),
]


@pytest.mark.parametrize(("task", "answer", "verdict", "mistake", "why"), WORTH)
def test_what_an_answer_is_worth(task: Task, answer: str, verdict: str, mistake: str, why: str) -> None:
    assert check_answer(task, parse_answer(answer)) == (verdict, mistake), why


def test_no_answer() -> None:
    assert check_answer(AP, None) == ("no answer", "")


def values(text: str) -> dict[int, float | None]:
    return {task: answer.value for task, answer in read_answers(text, "mine.txt")[""].items()}


def test_a_file_of_ones_own() -> None:
    assert values("1 5/9\n\n2: .5\n3) 0.25\nAnswer 4: 1\n 5 = -2\n6:\n") == {1: 5 / 9, 2: 0.5, 3: 0.25, 4: 1, 5: -2}


def test_the_file_of_a_class() -> None:
    found = read_answers("student;1;2\nann;5/9;\n\nbob;0,5;1\n", "class.csv")
    assert {name: {task: a.value for task, a in own.items()} for name, own in found.items()} == {
        "ann": {1: 5 / 9},
        "bob": {1: 0.5, 2: 1.0},
    }


def test_a_filled_in_sheet() -> None:
    found = filled_in("## 1. AP\n\nAnswer 1: 5/9\n\nAnswer 2:\n\nAnswer 3:   \n")
    assert {task: answer.text for task, answer in found.items()} == {1: "5/9"}


WRONG_FILES = [
    ("hello\n", "mine.txt:1: expected a task and a value"),
    ("1 5/9\n1 3\n", "mine.txt:2: task 1 is answered twice"),
    ("student,1,name\nann,1,x\n", "mine.txt:1: expected the columns student, 1, 2, …, each once"),
    ("student,1,1\nann,1,2\n", "mine.txt:1: expected the columns student"),
    ("student,1\nann,1\nann,2\n", "mine.txt:3: 'ann' is there twice"),
    ("student,1,2\nann,0,5,1\n", "mine.txt:2: expected 3 cells, found 4"),
]


@pytest.mark.parametrize(("text", "problem"), WRONG_FILES)
def test_a_file_that_cannot_be_read(text: str, problem: str) -> None:
    with pytest.raises(InputError) as told:
        read_answers(text, "mine.txt")
    assert str(told.value).startswith(problem)


def test_each_student_is_checked_with_their_own_sheet() -> None:
    sheets = {name: Sheet(("AP",), 3, name) for name in ("ann", "bob")}
    right = {name: f"{sheet.tasks[0].value:.4f}" for name, sheet in sheets.items()}
    assert right["ann"] != right["bob"]
    answers = {"ann": {1: parse_answer(right["ann"])}, "bob": {1: parse_answer(right["ann"])}}
    assert [one.verdict for one in check(sheets, answers)] == ["right", "wrong"]


def test_one_sheet_is_for_all() -> None:
    sheet = Sheet(("AP", "RR"), 3)
    answers = {name: {1: parse_answer(f"{sheet.tasks[0].value:.4f}")} for name in ("ann", "bob")}
    found = check({"": sheet}, answers)
    assert [(one.student, one.task, one.verdict) for one in found] == [
        ("ann", 1, "right"), ("ann", 2, "no answer"), ("bob", 1, "right"), ("bob", 2, "no answer"),
    ]  # fmt: skip
    assert found[1] == Checked("ann", 2, "RR", "", "no answer")


def test_whose_answers_they_are_must_be_known() -> None:
    sheets = {name: Sheet(("RR",), 3, name) for name in ("ann", "bob")}
    with pytest.raises(GermaneError, match="no sheet of 'anne'; did you mean ann"):
        check(sheets, {"anne": {1: parse_answer("1")}})
    with pytest.raises(GermaneError, match="whose answers are these"):
        check(sheets, {"": {1: parse_answer("1")}})
    with pytest.raises(GermaneError, match="no task 2 of 'ann': the sheet has 1"):
        check(sheets, {"ann": {2: parse_answer("1")}})


def test_files_without_a_sheet_or_without_answers(tmp_path: object) -> None:
    from pathlib import Path

    assert isinstance(tmp_path, Path)
    sheet, answers = tmp_path / "sheet.md", tmp_path / "mine.txt"
    sheet.write_text(Sheet(("RR",), 3).recipe, encoding="utf-8")
    answers.write_text("1 1/2\n", encoding="utf-8")
    with pytest.raises(GermaneError, match="no sheet among them"):
        check_files([str(answers)])
    with pytest.raises(GermaneError, match="no answers in them"):
        check_files([str(sheet)])
    with pytest.raises(InputError, match="somebody answered twice"):
        check_files([str(sheet), str(answers), str(answers)])
    other = tmp_path / "other.md"
    other.write_text(Sheet(("AP",), 3).recipe, encoding="utf-8")
    with pytest.raises(InputError, match="two sheets with other tasks"):
        check_files([str(sheet), str(other), str(answers)])
    answers.write_bytes(b"1 \xff\n")
    with pytest.raises(InputError, match="found the byte 0xff"):
        check_files([str(sheet), str(answers)])


def test_what_a_spreadsheet_on_windows_writes() -> None:
    found = read_answers("student;1;2\r\nann;0,556;5/9\r\n", "class.csv")
    assert {task: answer.value for task, answer in found["ann"].items()} == {1: 0.556, 2: 5 / 9}
    assert filled_in("Answer 1: 5/9\r\nAnswer 2:\r\n")[1].value == 5 / 9
    assert set(filled_in("Answer 1: 5/9\r\nAnswer 2:\r\n")) == {1}
