"""Problems that tasks return as rows: raised in an executor, they would be retried and end as a Java stack trace."""

from __future__ import annotations

import pickle
from typing import Any

from germane.errors import GermaneError, InputError

ANSWER = "value binary, problem binary"
Problem = tuple[int, int, str, str | None, str, str | None]
"""A problem: precedence of its kind, number and tag of its run, source, problem and hint; the least is raised."""


def answer(value: object = None, problem: Problem | None = None) -> Any:
    """Return one row, with a value or with a problem."""
    import pyarrow as pa

    columns = {
        name: pa.array([None if each is None else pickle.dumps(each, protocol=pickle.HIGHEST_PROTOCOL)], pa.binary())
        for name, each in (("value", value), ("problem", problem))
    }
    return pa.RecordBatch.from_pydict(columns)


def values_of(table: Any) -> list[Any]:
    """Return the values that all tasks returned; raise the first problem, if there is one."""
    problems: list[Problem] = [pickle.loads(each) for each in table.column("problem").to_pylist() if each is not None]
    if problems:
        *_, source, problem, hint = min(problems, key=lambda each: each[:3] + each[4:5])
        if source is None:
            raise GermaneError(problem, hint=hint)
        raise InputError(source, None, problem, hint=hint)
    return [pickle.loads(each) for each in table.column("value").to_pylist() if each is not None]
