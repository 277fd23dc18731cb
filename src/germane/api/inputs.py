"""Inputs of verbs: results, judgments with runs, labelled items; and the inputs of a result, to read them again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from germane.errors import GermaneError
from germane.formats.files.sources import STDIN
from germane.tables.results.comparison import SystemComparison
from germane.tables.results.performances import Performances
from germane.tables.results.result import Result
from germane.tables.results.scores import Scores

Subject = Literal["scores", "performances", "rankings", "items", "index"]


def subject_of(verb: str, data: object, runs: object = None) -> Subject:
    """Return the kind of a verb's input: a result or an index by its type, judgments if runs follow, else items."""
    if isinstance(data, Result) and runs is not None and verb != "explain":
        problem = f"{verb}: expected a result alone, found runs beside it"
        raise GermaneError(problem, hint="pass judgments instead of the result, or remove the runs")
    if isinstance(data, Scores | SystemComparison):
        return "scores"
    if isinstance(data, Performances):
        return "performances"
    if isinstance(data, Result):
        hint = "pass what `evaluate`, `compare` or `classify` returned"
        raise GermaneError(f"{verb} is not supported for {type(data).__name__}", hint=hint)
    if verb == "explain" and type(data).__name__ == "Index":  # by name, so that the module is not imported without need
        return "index"
    return "items" if runs is None else "rankings"


def refuse_beside(verb: str, **given: object) -> None:
    """Refuse arguments beside a result, which holds what was computed and nothing else."""
    for name, value in given.items():
        if value is not None and not (isinstance(value, str) and not value):
            problem = f"{verb}: expected a result alone, found `{name}` beside it"
            raise GermaneError(problem, hint=f"remove `{name}=`, or pass the data instead of the result")


def require_inputs(result: Scores | Performances) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments and options that made a result; refuse those that cannot be read again."""
    what = "scores" if isinstance(result, Scores) else "performances"
    if result.inputs is None:
        raise GermaneError(f"these {what} do not keep their input data", hint="pass the data instead")
    given, options = result.inputs.given, dict(result.inputs.options)
    for value in (*given, *options.values()):
        for each in value if isinstance(value, list | tuple) else [value]:
            if isinstance(each, str) and each == STDIN:
                raise GermaneError("cannot read standard input again", hint="save it to a file")
            if isinstance(each, Iterator):
                raise GermaneError("cannot read an iterator again", hint="pass a list")
    return given, options
