"""Read answers of students: on the sheet itself, in a file with one `task value` per line, or in a CSV of a class."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from germane.errors import InputError, MeasureError
from germane.measures.decisions.expressions import Expression

LINE = re.compile(r"^\s*(?:answer\s+)?(\d{1,6})(?:\s*[:=);]|[.,]|\s+[.,](?!\d)|\s)(.*)$", re.IGNORECASE)
"""A task and a value. A point after a space and before a digit belongs to the value."""
TO_FILL_IN = re.compile(r"Answer (\d{1,6}):(.*)")
NEXT = re.compile(r"#|<!--")
"""Start of a line that ends the space for an answer: the next heading, or the recipe."""
NUMBER = re.compile(r"(?P<sign>[-+]?)(?P<whole>\d*)(?:[.,](?P<decimals>\d*))?")
ARITHMETIC = re.compile(r"(?!.*\*\*)[-+*/()\d]{1,200}")
WITH_DECIMALS = re.compile(r"[-+*/()\d.,]+")
SET_OFF = re.compile(r"(\*\*|__|[*_`$])(?P<inside>.+)\1")
"""Markup of Markdown or TeX around a value, which is ignored."""
NAMED = re.compile(r"(?:[^\W\d][\w@.-]*(?:\([^()]*\))?(?:@\d+)?\s*)?[=≈~]+\s*")
"""A name or sign before a value: `AP = `, `nDCG@5 ≈ ` or `~`."""
EXPECTED = "write a fraction such as 5/9, or a decimal number"
COARSE = 3
"""Minimum number of decimal places of an answer."""


@dataclass(frozen=True)
class Answer:
    """One answer as written, and its value; None if it is not a number."""

    text: str
    value: float | None
    exact: bool = False
    """Whether it is an integer or a fraction, which must match exactly."""
    tolerance: float = 0.0
    """One unit of the last digit written, so that both rounding and truncation are right."""
    decimals: int = 0
    why: str = ""
    """Why it is not a number."""


Answers = dict[str, dict[int, Answer]]
"""Answers by student ("" without a name) and task."""


def parse_answer(text: str) -> Answer:
    """Parse a value as a person writes it.

    >>> parse_answer("5/9").value, parse_answer("0.556").tolerance, parse_answer("55.6%").value
    (0.5555555555555556, 0.001, 0.556)
    >>> parse_answer("(1 + 2/3) / 3").value == 5 / 9
    True
    >>> parse_answer("0,556").value, parse_answer("**AP = 0.556**").value
    (0.556, 0.556)
    >>> parse_answer("5.7/6.5").why
    'decimals cannot be combined with + - * /: write the result, or use only integers'
    """
    text = text.strip()
    plain = _bare(text).replace("−", "-").replace(" ", "")
    if ARITHMETIC.fullmatch(plain) and not re.fullmatch(r"[-+]?\d+", plain):
        return _worked_out(text, plain)
    percent = plain.endswith("%")
    found = NUMBER.fullmatch(plain.removesuffix("%"))
    if found is None or not (found["whole"] or found["decimals"]):
        return Answer(text, None, why=_why_not(plain))
    decimals, scale = len(found["decimals"] or ""), 100 if percent else 1
    value = float(f"{found['sign']}{found['whole'] or '0'}.{found['decimals'] or '0'}") / scale
    return Answer(text, value, decimals == 0 and not percent, 10.0**-decimals / scale, decimals + 2 * percent)


def _bare(text: str) -> str:
    """Remove the name and the markup of a value."""
    while found := SET_OFF.fullmatch(text):
        text = found["inside"].strip()
    named = NAMED.match(text)
    return text[named.end() :] if named else text


def _why_not(plain: str) -> str:
    if "**" in plain or "^" in plain:
        return f"powers are not supported: {EXPECTED}"
    if WITH_DECIMALS.fullmatch(plain) and re.search(r"[*/()]|\d[-+]", plain):
        return "decimals cannot be combined with + - * /: write the result, or use only integers"
    return EXPECTED


def _worked_out(text: str, plain: str) -> Answer:
    """Evaluate integers with + - * / and brackets as a fraction; an invalid expression is not a number."""
    try:
        value = Expression(plain.lstrip("+")).exact()
    except (MeasureError, RecursionError):
        return Answer(text, None, why="cannot be evaluated: a sign, number or bracket is missing")
    if not isinstance(value, Fraction):
        return Answer(text, None, why="division by 0")
    return Answer(text, float(value), exact=True)


def filled_in(text: str) -> dict[int, Answer]:
    """Return the answers on a completed sheet: after the colon, or else on the single line below it.

    >>> found = filled_in("Answer 1: 5/9\\n\\nAnswer 2:\\n\\n0.5\\n\\n## 3. AP\\n")
    >>> {task: answer.value for task, answer in found.items()}
    {1: 0.5555555555555556, 2: 0.5}
    >>> filled_in("Answer 1:\\n1 + 2/3\\ndivided by 3\\n")[1].why
    'several lines below the colon: write the result after it'
    """
    behind: dict[int, str] = {}
    below: dict[int, list[str]] = {}
    lines: list[str] | None = None
    for line in text.splitlines():
        if found := TO_FILL_IN.match(line):
            task, written = int(found[1]), found[2].strip()
            lines = below.setdefault(task, [])
            if written:
                behind[task] = written
        elif NEXT.match(line):
            lines = None
        elif lines is not None and re.search(r"\w", line):  # a line of dashes is not an answer
            lines.append(line.strip())
    return {task: _one_answer(behind.get(task, ""), below[task]) for task in below if task in behind or below[task]}


def _one_answer(behind: str, below: list[str]) -> Answer:
    if behind or len(below) == 1:
        return parse_answer(behind or below[0])
    return Answer(f"{below[0]} …", None, why="several lines below the colon: write the result after it")


def read_answers(text: str, source: str) -> Answers:
    """Read the answers of one student, one `task value` per line, or of a class: CSV with a row per student.

    >>> {task: answer.value for task, answer in read_answers("1 5/9\\n2: 0.5\\n", "mine.txt")[""].items()}
    {1: 0.5555555555555556, 2: 0.5}
    >>> read_answers("student,1,2\\nann,5/9,\\n", "class.csv")["ann"][1].text
    '5/9'
    """
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    if first.strip().casefold().startswith("student"):
        return _of_a_class(lines, source)
    answers: dict[int, Answer] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        found = LINE.match(line)
        if found is None:
            problem = f"expected a task and a value, such as `1 5/9`, found {line.strip()!r}"
            raise InputError(source, number, problem, hint="for a class, use CSV with the columns student, 1, 2, …")
        task = int(found[1])
        if task in answers:
            raise InputError(source, number, f"duplicate answer to task {task}", hint="keep one of them")
        if value := found[2].strip():
            answers[task] = parse_answer(value)
    return {"": answers}


def _divided(rows: Any, source: str) -> Iterator[list[str]]:
    try:
        yield from rows
    except csv.Error as problem:
        raise InputError(source, rows.line_num, f"cannot split the line into cells: {problem}") from None


def _of_a_class(lines: list[str], source: str) -> Answers:
    rows = csv.reader(lines, delimiter=max(",;\t", key=lines[0].count))
    header = [name.strip() for name in next(_divided(rows, source))]
    odd = [name for name in header[1:] if not (name.isascii() and name.isdigit() and len(name) < 7)]
    if odd or len(set(header)) < len(header):
        problem = f"expected the columns student, 1, 2, …, each once, found {', '.join(header)}"
        raise InputError(source, 1, problem, hint="remove all other columns")
    answers: Answers = {}
    for row in _divided(rows, source):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            problem = f"expected {len(header)} cells, found {len(row)}"
            raise InputError(source, rows.line_num, problem, hint="put values with a comma in quotes")
        student = row[0].strip()
        if student in answers:
            raise InputError(source, rows.line_num, f"duplicate student {student!r}", hint="keep one line")
        cells = zip(header[1:], row[1:], strict=True)
        answers[student] = {int(task): parse_answer(cell) for task, cell in cells if cell.strip()}
    return answers
