"""Check answers, and find the mistake that explains a wrong one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from germane.errors import GermaneError, InputError, did_you_mean
from germane.exercises.answers import COARSE, Answer, Answers, filled_in, read_answers
from germane.exercises.layout import tables_changed
from germane.exercises.results import Checked, CheckedFiles, Verdict
from germane.exercises.sheet import Sheet, has_recipe, require_recipe, sheet_in
from germane.exercises.task import Task
from germane.formats.files.sources import open_source, source_name
from germane.tables.notes.note import Note

ROUNDING = 1e-9


def check_answer(task: Task, answer: Answer | None) -> tuple[Verdict, str]:
    """Return the verdict, to as many digits as were written, and the mistake that explains a wrong answer."""
    if answer is None:
        return "no answer", ""
    if answer.value is None:
        return "not a number", ""
    if _agrees(answer, task.value):
        few = not answer.exact and answer.decimals < COARSE and abs(answer.value - task.value) > ROUNDING
        return ("too few digits" if few else "right"), ""
    # One decimal place fits many values by chance, so it counts as a mistake only if it is the exact value.
    read_as = replace(answer, exact=True) if answer.decimals < 2 else answer
    fitting = [mistake for mistake in task.mistakes if _agrees(read_as, mistake.value)]
    nearest = min(fitting, key=lambda mistake: abs(mistake.value - (answer.value or 0.0)), default=None)
    return "wrong", nearest.done if nearest else ""


def _agrees(answer: Answer, value: float) -> bool:
    assert answer.value is not None
    tolerance = 0.0 if answer.exact else answer.tolerance
    return abs(answer.value - value) <= tolerance + ROUNDING * max(1.0, abs(value))


def check(sheets: Mapping[str, Sheet], answers: Answers) -> list[Checked]:
    """Check the answers of each student against the sheet of that student, or the sheet shared by all."""
    found: list[Checked] = []
    for student, given in answers.items():
        sheet = _sheet_of(student, sheets)
        beyond = sorted(set(given) - set(range(1, len(sheet.tasks) + 1)))
        if beyond:
            who = f" of {student!r}" if student else ""
            problem = f"unknown task {beyond[0]}{who}: the last task of the sheet is {len(sheet.tasks)}"
            raise GermaneError(problem, hint="check that the answers belong to this sheet")
        for number, task in enumerate(sheet.tasks, start=1):
            answer = given.get(number)
            verdict, mistake = check_answer(task, answer)
            text, why = (answer.text, answer.why) if answer else ("", "")
            found.append(Checked(student, number, task.topic, text, verdict, mistake, why))
    return found


def _sheet_of(student: str, sheets: Mapping[str, Sheet]) -> Sheet:
    own = sheets.get(student) or sheets.get("")
    if own is not None:
        return own
    if student:
        near = did_you_mean(student, sheets)
        raise GermaneError(f"missing sheet of {student!r}{near}", hint="add the sheets of all students")
    if len(sheets) > 1:
        raise GermaneError("cannot tell whose answers these are", hint="pass only the sheet they belong to")
    return next(iter(sheets.values()))


def check_files(paths: Sequence[str]) -> CheckedFiles:
    """Check the answers in files: sheets, blank or completed, and files of answers."""
    sheets: dict[str, Sheet] = {}
    answers: Answers = {}
    notes: list[Note] = []
    for path in paths:
        text, name = _text(path), source_name(path)
        if has_recipe(text):
            sheet = sheet_in(text, name)
            if sheets.setdefault(sheet.student, sheet) != sheet:
                raise InputError(name, None, "two sheets have different tasks", hint="check each sheet separately")
            found = {sheet.student: filled_in(text)} if filled_in(text) else {}
            changed = tables_changed(sheet, text)
            if changed:
                tasks = f"task{'s' * (len(changed) > 1)} {', '.join(map(str, changed))}"
                what = f"the table of {tasks} was changed; answers are checked against the generated one"
                notes.append(Note("sheet-changed", "", f"{name}: {what}"))
        else:
            require_recipe(text, name)
            found = read_answers(text, name)
        for student, given in found.items():
            if student in answers:
                raise _twice(name, student)
            answers[student] = given
    if not sheets:
        raise GermaneError(
            f"{', '.join(paths)}: expected a sheet, found none", hint="use `germane exercise make` to make one"
        )
    if not answers:
        hint = "fill in the lines that start with Answer, or write one `task value` per line in another file"
        raise GermaneError(f"{', '.join(paths)}: expected answers, found none", hint=hint)
    if (
        len(sheets) == 1 and "" not in sheets and "" in answers
    ):  # answers without a name belong to the student of the sheet
        (student,) = sheets
        if student in answers:
            raise _twice(", ".join(paths), student)
        answers[student] = answers.pop("")
    silent = [student for student in sheets if student and student not in answers]
    if silent:
        what = f"no answers from {', '.join(silent)}; all their tasks count as wrong"
        notes.append(Note("no-answers", "", what, count=len(silent)))
        answers |= {student: {} for student in silent}
    return CheckedFiles(check(sheets, answers), tuple(notes))


def _twice(source: str, student: str) -> InputError:
    return InputError(
        source, None, f"duplicate answers of {student or 'a student without a name'}", hint="remove one of them"
    )


def _text(path: str) -> str:
    with open_source(path) as lines:
        data = b"".join(lines)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        found = f"found the byte {data[problem.start]:#04x}"
        raise InputError(source_name(path), None, f"expected text in UTF-8, {found}") from None
