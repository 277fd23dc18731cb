"""Which answers are right, and which mistake leads to a wrong one."""

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
    """Right or wrong, to the digits that were written; and the mistake that explains a wrong answer."""
    if answer is None:
        return "no answer", ""
    if answer.value is None:
        return "not a number", ""
    if _agrees(answer, task.value):
        few = not answer.exact and answer.decimals < COARSE and abs(answer.value - task.value) > ROUNDING
        return ("too few digits" if few else "right"), ""
    # One decimal fits much by chance, and tells a mistake only if that is its whole value.
    read_as = replace(answer, exact=True) if answer.decimals < 2 else answer
    fitting = [mistake for mistake in task.mistakes if _agrees(read_as, mistake.value)]
    nearest = min(fitting, key=lambda mistake: abs(mistake.value - (answer.value or 0.0)), default=None)
    return "wrong", nearest.done if nearest else ""


def _agrees(answer: Answer, value: float) -> bool:
    assert answer.value is not None
    tolerance = 0.0 if answer.exact else answer.tolerance
    return abs(answer.value - value) <= tolerance + ROUNDING * max(1.0, abs(value))


def check(sheets: Mapping[str, Sheet], answers: Answers) -> list[Checked]:
    """Check the answers of each student with the sheet of that student, or with the one sheet that all have."""
    found: list[Checked] = []
    for student, given in answers.items():
        sheet = _sheet_of(student, sheets)
        beyond = sorted(set(given) - set(range(1, len(sheet.tasks) + 1)))
        if beyond:
            who = f" of {student!r}" if student else ""
            raise GermaneError(f"there is no task {beyond[0]}{who}: the sheet has {len(sheet.tasks)}")
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
        raise GermaneError(f"there is no sheet of {student!r}{near}", hint="give the sheets of all students")
    if len(sheets) > 1:
        raise GermaneError("whose answers are these?", hint="give the one sheet that they belong to")
    return next(iter(sheets.values()))


def check_files(paths: Sequence[str]) -> CheckedFiles:
    """Check what files hold: sheets, blank or filled in, and files of answers."""
    sheets: dict[str, Sheet] = {}
    answers: Answers = {}
    notes: list[Note] = []
    for path in paths:
        text, name = _text(path), source_name(path)
        if has_recipe(text):
            sheet = sheet_in(text, name)
            if sheets.setdefault(sheet.student, sheet) != sheet:
                raise InputError(name, None, "two sheets with other tasks", hint="check the answers to each alone")
            found = {sheet.student: filled_in(text)} if filled_in(text) else {}
            changed = tables_changed(sheet, text)
            if changed:
                tasks = f"task{'s' * (len(changed) > 1)} {', '.join(map(str, changed))}"
                notes.append(Note("sheet-changed", "", f"{name}: the table of {tasks} is not as it was made"))
        else:
            require_recipe(text, name)
            found = read_answers(text, name)
        for student, given in found.items():
            if student in answers:
                raise _twice(name, student)
            answers[student] = given
    if not sheets:
        raise GermaneError(f"{', '.join(paths)}: no sheet among them", hint="`germane exercise make` makes one")
    if not answers:
        hint = "fill in the lines that begin with Answer, or write a task and a value to a line of another file"
        raise GermaneError(f"{', '.join(paths)}: no answers in {'it' if len(paths) == 1 else 'them'}", hint=hint)
    if len(sheets) == 1 and "" not in sheets and "" in answers:  # the one whose sheet it is did not write the name
        (student,) = sheets
        if student in answers:
            raise _twice(", ".join(paths), student)
        answers[student] = answers.pop("")
    silent = [student for student in sheets if student and student not in answers]
    if silent:
        notes.append(Note("no-answers", "", f"no answers from: {', '.join(silent)}", count=len(silent)))
        answers |= {student: {} for student in silent}
    return CheckedFiles(check(sheets, answers), tuple(notes))


def _twice(source: str, student: str) -> InputError:
    return InputError(source, None, f"{student or 'somebody'} answered twice", hint="check one of them")


def _text(path: str) -> str:
    with open_source(path) as lines:
        data = b"".join(lines)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        found = f"found the byte {data[problem.start]:#04x}"
        raise InputError(source_name(path), None, f"expected text in UTF-8, {found}") from None
