"""Answers as people write them, and what they are worth."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from germane.errors import GermaneError, InputError
from germane.exercises.answers import filled_in, parse_answer, read_answers
from germane.exercises.layout import as_html, as_markdown, tables_changed
from germane.exercises.mistakes import check, check_answer, check_files
from germane.exercises.results import Checked
from germane.exercises.sheet import Sheet
from germane.exercises.task import Mistake, Task

AP = Task("AP", "What is AP?", (), (), 5 / 9, "", (Mistake("divided by 2", 5 / 6), Mistake("given P", 2 / 3)))
RATE = Task("TPR", "What is TPR?", (), (), 36 / 47, "", (Mistake("given PPV", 36 / 40),))
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
    (AP, "1", "wrong", "", "an integer is exact: not 0.56 rounded"),
    (RATE, "0.9", "wrong", "given PPV", "one decimal, if that is the whole value of the mistake"),
    (RATE, "36/40", "wrong", "given PPV", "and as a fraction"),
    (AP, "AP = 0.556", "right", "", "with its name"),
    (AP, "F(beta=2)@5 ≈ 5/9", "right", "", "with any name: the task says what is asked for"),
    (AP, "~0.556", "right", "", "rounded, and says so"),
    (AP, "**0.556**", "right", "", "in bold type"),
    (AP, "`AP = 5/9`", "right", "", "as code"),
    (AP, "about half", "not a number", "", "words"),
    (AP, "1/0", "not a number", "", "nothing can be divided by 0"),
    (AP, "9**99999999", "not a number", "", "no powers: this one would never end"),
    (AP, "(" * 100, "not a number", "", "brackets that do not close"),
    (COUNT, "11", "right", "", "a count"),
    (COUNT, "11.0", "right", "", "exact, however few decimals"),
    (COUNT, "7", "wrong", "subtracted", "a mistake in integers"),
]


@pytest.mark.parametrize(("task", "answer", "verdict", "mistake", "why"), WORTH)
def test_what_an_answer_is_worth(task: Task, answer: str, verdict: str, mistake: str, why: str) -> None:
    assert check_answer(task, parse_answer(answer)) == (verdict, mistake), why


WHY_NOT = [
    ("5.749/6.567", "decimals cannot be combined with + - * /: write the result, or use only integers"),
    ("(1+0.6667+0.6)/5", "decimals cannot be combined with + - * /: write the result, or use only integers"),
    ("1/0", "division by 0"),
    ("(1 + 2/3", "cannot be evaluated: a sign, number or bracket is missing"),
    ("2**3", "powers are not supported: write a fraction such as 5/9, or a decimal number"),
    ("about half", "write a fraction such as 5/9, or a decimal number"),
    ("0.4 = 0.5", "write a fraction such as 5/9, or a decimal number"),
]


@pytest.mark.parametrize(("answer", "why"), WHY_NOT)
def test_why_it_is_not_a_number(answer: str, why: str) -> None:
    found = parse_answer(answer)
    assert (found.value, found.why) == (None, why)
    assert not parse_answer("5/9").why


def test_no_answer() -> None:
    assert check_answer(AP, None) == ("no answer", "")


def values(text: str) -> dict[int, float | None]:
    return {task: answer.value for task, answer in read_answers(text, "mine.txt")[""].items()}


def test_a_file_of_ones_own() -> None:
    assert values("1 5/9\n\n2: .5\n3) 0.25\nAnswer 4: 1\n 5 = -2\n6:\n") == {1: 5 / 9, 2: 0.5, 3: 0.25, 4: 1, 5: -2}


LINES = [
    # line        answer   why
    ("2 .25", 0.25, "the point comes after a space and before a digit: it is the value's"),
    ("2\t.25", 0.25, "after a tab, too"),
    ("2   .25", 0.25, "and after several spaces"),
    ("2 ,25", 0.25, "and so is a comma"),
    ("Answer 2 .25", 0.25, "with the word"),
    ("2 -.25", -0.25, "a sign comes before it"),
    ("2. .25", 0.25, "the first point is the task's"),
    ("2 . .25", 0.25, "with a space before it, too"),
    ("2..25", 0.25, "and without any"),
    ("2. 25", 25, "an integer"),
    ("2 . 25", 25, "a point with spaces around it is the task's"),
    ("2) .25", 0.25, "a bracket"),
    ("2: 0,25", 0.25, "a colon"),
    ("2 =.25", 0.25, "an equals sign"),
    ("2;,25", 0.25, "a semicolon"),
    ("2, 0.25", 0.25, "a comma"),
    ("2 .", None, "nothing said"),
]


@pytest.mark.parametrize(("line", "answer", "why"), LINES)
def test_where_the_task_ends_and_the_value_begins(line: str, answer: float | None, why: str) -> None:
    assert values(f"{line}\n") == ({} if answer is None else {2: answer}), why


def test_the_file_of_a_class() -> None:
    found = read_answers("student;1;2\nann;5/9;\n\nbob;0,5;1\n", "class.csv")
    assert {name: {task: a.value for task, a in own.items()} for name, own in found.items()} == {
        "ann": {1: 5 / 9},
        "bob": {1: 0.5, 2: 1.0},
    }


def test_a_filled_in_sheet() -> None:
    found = filled_in("## 1. AP\n\nAnswer 1: 5/9\n\nAnswer 2:\n\nAnswer 3:   \n")
    assert {task: answer.text for task, answer in found.items()} == {1: "5/9"}


SEVERAL = "several lines below the colon: write the result after it"
BELOW = [
    # what follows `Answer 1:`    answer      value  why not       why
    ("\n5/9\n\n## 2. RR\n", "5/9", 5 / 9, "", "the one line below is the answer"),
    ("\n\n  5/9\n\nAnswer 2:\n", "5/9", 5 / 9, "", "whatever is left empty before it"),
    ("\r\n5/9\r\n", "5/9", 5 / 9, "", "as Windows ends lines"),
    (" 5/9\n1/2\n", "5/9", 5 / 9, "", "what is behind the colon goes before"),
    ("\n1 + 2/3\nover 3\n", "1 + 2/3 …", None, SEVERAL, "which of them is the answer?"),
    ("\nno idea\n", "no idea", None, "write a fraction such as 5/9, or a decimal number", "told as behind the colon"),
    ("\n\n---\n\n## 2. RR\n5/9\n", None, None, "", "neither a rule of dashes nor the next task is an answer"),
    ("\n<!-- germane exercise {} -->\n5/9\n", None, None, "", "nor what comes after the last line"),
]


@pytest.mark.parametrize(("text", "answer", "value", "why_not", "why"), BELOW)
def test_an_answer_below_its_line(text: str, answer: str | None, value: float | None, why_not: str, why: str) -> None:
    found = filled_in(f"Answer 1:{text}")
    if answer is None:
        assert found == {}, why
    else:
        assert (found[1].text, found[1].value, found[1].why) == (answer, value, why_not), why


def test_a_sheet_with_all_answers_below_their_lines(tmp_path: Path) -> None:
    sheet = Sheet(("AP", "RR"), 11)
    first, second = (f"{task.value:.4f}" for task in sheet.tasks)
    path = tmp_path / "sheet.md"
    text = as_markdown(sheet, solutions=False)
    path.write_text(
        text.replace("Answer 1:", f"Answer 1:\n\n{first}").replace("Answer 2:", f"Answer 2:\n1/4\n= {second}"),
        encoding="utf-8",
    )
    checked = check_files([str(path)]).answers
    assert [(one.verdict, one.reason) for one in checked] == [("right", ""), ("not a number", SEVERAL)]


WRONG_FILES = [
    ("hello\n", "mine.txt:1: expected a task and a value"),
    ("1 5/9\n1 3\n", "mine.txt:2: duplicate answer to task 1"),
    ("student,1,name\nann,1,x\n", "mine.txt:1: expected the columns student, 1, 2, …, each once"),
    ("student,1,1\nann,1,2\n", "mine.txt:1: expected the columns student"),
    ("student,1\nann,1\nann,2\n", "mine.txt:3: duplicate student 'ann'"),
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
    with pytest.raises(GermaneError, match="missing sheet of 'anne'; did you mean ann"):
        check(sheets, {"anne": {1: parse_answer("1")}})
    with pytest.raises(GermaneError, match="cannot tell whose answers these are"):
        check(sheets, {"": {1: parse_answer("1")}})
    with pytest.raises(GermaneError, match="unknown task 2 of 'ann': the last task of the sheet is 1"):
        check(sheets, {"ann": {2: parse_answer("1")}})


def test_files_without_a_sheet_or_without_answers(tmp_path: Path) -> None:
    sheet, answers = tmp_path / "sheet.md", tmp_path / "mine.txt"
    sheet.write_text(Sheet(("RR",), 3).recipe, encoding="utf-8")
    answers.write_text("1 1/2\n", encoding="utf-8")
    with pytest.raises(GermaneError, match="expected a sheet, found none"):
        check_files([str(answers)])
    with pytest.raises(GermaneError, match=r"sheet\.md: expected answers, found none"):
        check_files([str(sheet)])
    with pytest.raises(GermaneError, match="expected answers, found none"):
        check_files([str(sheet), str(sheet)])
    with pytest.raises(InputError, match="duplicate answers of a student without a name"):
        check_files([str(sheet), str(answers), str(answers)])
    other = tmp_path / "other.md"
    other.write_text(Sheet(("AP",), 3).recipe, encoding="utf-8")
    with pytest.raises(InputError, match="two sheets have different tasks"):
        check_files([str(sheet), str(other), str(answers)])
    answers.write_bytes(b"1 \xff\n")
    with pytest.raises(InputError, match="found the byte 0xff"):
        check_files([str(sheet), str(answers)])


def test_what_a_spreadsheet_on_windows_writes() -> None:
    found = read_answers("student;1;2\r\nann;0,556;5/9\r\n", "class.csv")
    assert {task: answer.value for task, answer in found["ann"].items()} == {1: 0.556, 2: 5 / 9}
    assert filled_in("Answer 1: 5/9\r\nAnswer 2:\r\n")[1].value == 5 / 9
    assert set(filled_in("Answer 1: 5/9\r\nAnswer 2:\r\n")) == {1}


def test_students_without_answers_are_noted(tmp_path: Path) -> None:
    texts = {name: as_markdown(Sheet(("RR",), 3, name), solutions=False) for name in ("ann", "bob", "Cid C.")}
    for name, text in texts.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    sheets = [str(tmp_path / f"{name}.md") for name in texts]
    answers = tmp_path / "class.csv"
    answers.write_text("student,1\nann,1\n", encoding="utf-8")
    found = check_files([*sheets, str(answers)])
    assert [note.message for note in found.notes] == ["no answers from bob, Cid C.; all their tasks count as wrong"]
    verdicts = {student: one.verdict for one in found.answers if (student := one.student) != "ann"}
    assert verdicts == {"bob": "no answer", "Cid C.": "no answer"}, "as with an empty row"
    answers.write_text("student,1\nann,1\nbob,\nCid C.,1\n", encoding="utf-8")
    assert check_files([*sheets, str(answers)]).notes == (), "bob's row is in the tables"


def test_answers_without_a_name_are_those_of_the_one_sheet(tmp_path: Path) -> None:
    sheet, answers = tmp_path / "ann.md", tmp_path / "mine.txt"
    blank = as_markdown(Sheet(("RR",), 3, "ann"), solutions=False)
    sheet.write_text(blank, encoding="utf-8")
    answers.write_text("1 1/2\n", encoding="utf-8")
    found = check_files([str(answers), str(sheet)])
    assert ([(one.student, one.answer) for one in found.answers], found.notes) == ([("ann", "1/2")], ())
    sheet.write_text(blank.replace("Answer 1:", "Answer 1: 1/3"), encoding="utf-8")
    with pytest.raises(InputError, match="duplicate answers of ann"):
        check_files([str(answers), str(sheet)])


@pytest.mark.parametrize(("write", "before", "after"), [(as_markdown, "|", "|"), (as_html, "<td>", "</td>")])
def test_a_changed_table_is_noted(tmp_path: Path, write: Callable[..., str], before: str, after: str) -> None:
    sheet = Sheet(("RR", "TPR"), 3)
    path, answers = tmp_path / "sheet", tmp_path / "mine.txt"
    answers.write_text("1 1/2\n", encoding="utf-8")
    made = write(sheet, solutions=False)
    path.write_text(made, encoding="utf-8")
    assert check_files([str(path), str(answers)]).notes == ()
    count = sheet.tasks[1].given[0].rows[0][1]
    cell = rf"(?<={re.escape(before)})( *){count}( *)(?={re.escape(after)})"
    path.write_text(re.sub(cell, r"\g<1>999\2", made), encoding="utf-8")
    told = [note.message for note in check_files([str(path), str(answers)]).notes]
    assert told == [f"{path}: the table of task 2 was changed; answers are checked against the generated one"]


def test_a_table_that_an_editor_aligned_anew_is_as_it_was_made() -> None:
    sheet = Sheet(("RR", "TPR"), 3)
    text = as_markdown(sheet, solutions=False)
    assert tables_changed(sheet, re.sub(" +", " ", re.sub("-{3,}", "---", text))) == []
    assert tables_changed(sheet, text.replace("|", "", 1)) == [1]


@pytest.mark.parametrize("write", [as_markdown, as_html])
def test_a_sheet_without_its_last_line(tmp_path: Path, write: Callable[..., str]) -> None:
    sheet = Sheet(("RR",), 3)
    exam = tmp_path / "exam.md"
    exam.write_text(write(sheet, solutions=False).replace(sheet.recipe, ""), encoding="utf-8")
    with pytest.raises(InputError, match="missing last line of the sheet"):
        check_files([str(exam)])
