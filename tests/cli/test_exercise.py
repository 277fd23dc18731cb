"""`germane exercise`: a sheet, its solutions, and the answers to it, from the command line."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.cli import group
from germane.errors import GermaneError
from germane.exercises.kinds import KINDS
from germane.exercises.sheet import Sheet


def run(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["exercise", *arguments])


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def right(*topics: str, seed: int = 0, student: str = "") -> list[str]:
    return [f"{task.value:.4f}" for task in Sheet(topics, seed, student).tasks]


def test_a_sheet_is_made_filled_in_and_checked() -> None:
    made = run("make", "RR", "rates:ERR", "--seed", "7", "-o", "sheet.md")
    assert made.exit_code == 0
    assert made.stderr == "2 tasks, seed 7: sheet.md\n"
    blank = run("check", "sheet.md")
    assert isinstance(blank.exception, GermaneError)
    first, _ = right("RR", "rates:ERR", seed=7)
    sheet = Path("sheet.md")
    sheet.write_text(sheet.read_text().replace("Answer 1:", f"Answer 1: {first}"))
    checked = run("check", "sheet.md")
    assert checked.exit_code == 0, "a wrong answer is no gate that failed"
    assert checked.output.endswith("1 of 2 right\n")


def test_a_wrong_answer_is_told_with_its_mistake() -> None:
    run("make", "AP", "--seed", "7", "-o", "sheet.md")
    (task,) = Sheet(("AP",), 7).tasks
    mistake = task.mistakes[0]
    Path("mine.txt").write_text(f"1 {mistake.value:.4f}\n")
    checked = run("check", "sheet.md", "mine.txt")
    assert f"1: you seem to have {mistake.done}\n" in checked.output
    assert f"{task.value:.4f}" not in checked.output, "the right value is not given away"
    assert f"1: you seem to have {mistake.done}" in run("check", "sheet.md", "mine.txt", "--format", "markdown").output


def test_a_class_with_variants() -> None:
    Path("names.txt").write_text("ann\nBob B.\ncid\n")
    made = run("make", "TPR", "t", "--students", "names.txt", "-o", "sheets/s.md")
    assert made.exit_code == 0
    assert sorted(path.name for path in Path("sheets").iterdir()) == ["s-Bob_B_.md", "s-ann.md", "s-cid.md"]
    wrong = Sheet(("TPR", "t"), 0, "Bob B.").tasks[0].mistakes[0]
    ann, bob = right("TPR", "t", student="ann"), right("TPR", "t", student="Bob B.")
    Path("class.csv").write_text(f"student,1,2\nann,{ann[0]},{ann[1]}\nBob B.,{wrong.value:.4f},{bob[1]}\ncid,,\n")
    files = ["sheets/s-ann.md", "sheets/s-Bob_B_.md", "sheets/s-cid.md", "class.csv"]
    checked = run("check", *files)
    assert checked.exit_code == 0
    lines = checked.output.splitlines()
    assert "ann          2   2" in lines
    assert "Bob B.       1   2  1" in lines
    counts = "task  topic  right  too few digits  wrong  not a number  no answer  explained"
    assert counts in lines
    assert lines[lines.index(counts) + 1].split() == ["1", "TPR", "1", "0", "1", "0", "1", "1"]
    assert any(line.split()[:5] == ["1", "TPR", "1", "Bob", "B."] for line in lines)
    assert "**Mistakes**" in run("check", *files, "--format", "markdown").output
    found = json.loads(run("check", *files, "--format", "json").output)
    assert found["students"][0] == {"student": "ann", "right": 2, "tasks": 2}
    assert found["mistakes"] == [{"task": 1, "topic": "TPR", "mistake": wrong.done, "students": ["Bob B."]}]
    rows = run("check", *files, "--format", "csv").output.splitlines()
    assert rows[:2] == ["student,task,topic,answer,verdict,mistake,reason", f"ann,1,TPR,{ann[0]},right,,"]


def test_what_is_not_read_is_told_why_and_counted_by_itself() -> None:
    run("make", "TPR", "t", "--seed", "7", "-o", "sheet.md")
    Path("mine.txt").write_text("1 5.7/6.5\n2 about half\n")
    why = "decimals cannot be combined with + - * /: write the result, or use only integers"
    assert f"\n1: {why}\n2: write a fraction" in run("check", "sheet.md", "mine.txt").output
    value = Sheet(("TPR", "t"), 7).tasks[0].value
    Path("class.csv").write_text(f"student,1,2\nann,5.7/6.5,x\nbob,{value:.2f},\n")
    lines = run("check", "sheet.md", "class.csv").output.splitlines()
    counts = [line.split()[2:] for line in lines if line.split()[:2] in (["1", "TPR"], ["2", "t"])]
    assert counts == [["0", "1", "0", "1", "0", "0"], ["0", "0", "0", "1", "1", "0"]]
    found = json.loads(run("check", "sheet.md", "class.csv", "--format", "json").output)
    assert (found["answers"][0]["reason"], found["notes"]) == (why, [])


def test_who_gave_no_answers_is_noted() -> None:
    Path("names.txt").write_text("ann\nbob\n")
    run("make", "TPR", "--students", "names.txt", "-o", "s.md")
    Path("class.csv").write_text("student,1\nann,1/2\n")
    told = run("check", "s-ann.md", "s-bob.md", "class.csv")
    assert told.stderr == "note: no answers from bob; all their tasks count as wrong\n"
    sheet = Path("s-ann.md")
    sheet.write_text(sheet.read_text().replace("| positive", "| was positive"))
    assert "the table of task 1 was changed" in run("check", "s-ann.md", "class.csv").stderr
    as_json = run("check", "s-ann.md", "s-bob.md", "class.csv", "--format", "json")
    assert [note["code"] for note in json.loads(as_json.stdout)["notes"]] == ["sheet-changed", "no-answers"]
    assert not as_json.stderr


def test_an_empty_sheet_among_several_is_in_the_tables() -> None:
    Path("names.txt").write_text("ann\nbob\n")
    run("make", "TPR", "RR", "--students", "names.txt", "-o", "s.md")
    first = right("TPR", "RR", student="ann")[0]
    sheet = Path("s-ann.md")
    sheet.write_text(sheet.read_text().replace("Answer 1:", f"Answer 1: {first}"))
    told = run("check", "s-ann.md", "s-bob.md")
    rows = [line.split() for line in told.stdout.splitlines()[2:5]]
    assert rows == [["student", "right", "of", "not", "right"], ["ann", "1", "2", "2"], ["bob", "0", "2", "1", "2"]]
    assert told.stderr == "note: no answers from bob; all their tasks count as wrong\n"
    assert run("check", "s-ann.md").stdout.endswith("\nann: 1 of 2 right\n"), "one alone has a name, too"
    refused = run("check", "s-bob.md", "s-bob.md")
    assert "expected answers, found none" in str(refused.exception)


def test_a_point_after_a_space_is_the_value_s() -> None:
    run("make", "AP", "RR", "--seed", "11", "-o", "s.md")
    Path("a.txt").write_text("1 .3175\n2\t.25\n")
    assert run("check", "s.md", "a.txt").stdout.endswith("\n2 of 2 right\n")


def test_solutions_and_the_screen() -> None:
    shown = run("make", "AP", "--seed", "7", "--solutions")
    assert shown.stdout.startswith("# Solutions\n")
    solution = Sheet(("AP",), 7).tasks[0].solution
    assert textwrap.indent(solution, "    ") in shown.stdout
    assert "note: using AP as ranking:AP (one ranking), not scores:AP\n" in shown.stderr


def test_the_ending_says_what_is_written() -> None:
    assert run("make", "RR", "-o", "sheet.html").exit_code == 0
    assert Path("sheet.html").read_text().startswith("<!DOCTYPE html>")
    assert run("make", "RR", "--solutions", "-o", "sheet.json").exit_code == 0
    assert json.loads(Path("sheet.json").read_text())["tasks"][0]["topic"] == "RR"
    refused = run("make", "RR", "-o", "sheet.pdf")
    assert "expected one of the file extensions .md, .html, .json" in str(refused.exception)


def test_nothing_is_overwritten_by_something_else() -> None:
    run("make", "RR", "--seed", "1", "-o", "sheet.md")
    assert run("make", "RR", "--seed", "1", "-o", "sheet.md").exit_code == 0, "the same again is fine"
    refused = run("make", "RR", "--seed", "2", "-o", "sheet.md")
    assert "file already exists" in str(refused.exception)


def test_names_that_become_one_file() -> None:
    Path("names.txt").write_text("a b\na_b\n")
    refused = run("make", "RR", "--students", "names.txt", "-o", "s.md")
    assert "two students would get the same file" in str(refused.exception)
    assert "--students requires --output" in str(run("make", "RR", "--students", "names.txt").exception)


def test_the_list_has_every_topic_of_the_course() -> None:
    listed = run("make", "--list")
    assert listed.exit_code == 0
    assert all(topic in listed.output.split() for kind in KINDS for topic in kind.topics)


def test_a_topic_that_nobody_knows() -> None:
    assert "unknown topic 'ROC'; did you mean AUC?" in str(run("make", "ROC").exception)
    assert "unknown topic 'roccio'; did you mean rocchio?" in str(run("make", "roccio").exception)
