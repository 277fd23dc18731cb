"""Options of `report` and `plot` for labelled items, beside those for runs: one file is items, several are runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from germane.cli.label_options import label_options
from germane.errors import GermaneError

_OWN = [
    click.option("--probabilities", metavar="PREFIX", help="One column of probabilities a class, named PREFIX_CLASS."),
    click.option("--labels", metavar="A,B,…", help="The classes in this order; any other label is an error."),
    click.option("--threshold", type=float, help="A score at or above this is positive."),
    click.option("--matrix", is_flag=True, help="DATA is a confusion matrix, not a table of items."),
    click.option(
        "--rule", "rules", multiple=True, help="A threshold rule, as `germane threshold` takes it, to have at hand too."
    ),
]
LABELLED = ("truth", "predicted", "score", "weight", "positive", "probabilities", "labels", "threshold", "matrix")
OF_DECISIONS = (*LABELLED, "rules")
SHARED = ("output", "title", "level", "seed", "files", "kind")


def decision_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how DATA is read."""
    for option in reversed(_OWN):
        function = option(function)
    return label_options(several=True)(function)


def options_of_decisions(options: dict[str, Any]) -> dict[str, Any]:
    """Those options that are about labelled items; one about runs that was given is an error."""
    _refuse(lambda name: name not in OF_DECISIONS and name not in SHARED, "is about runs, and DATA is a single file")
    found = {name: value for name, value in options.items() if name in (*OF_DECISIONS, "level", "seed")}
    if found["labels"] is not None:
        found["labels"] = [label.strip() for label in found["labels"].split(",")]
    return found


def options_of_runs(options: dict[str, Any]) -> dict[str, Any]:
    """Those options that are about runs; one about labelled items that was given is an error."""
    _refuse(lambda name: name in OF_DECISIONS, "is about labelled items, which come as a single file")
    return {name: value for name, value in options.items() if name not in OF_DECISIONS}


def require_items(path: str, command: str, truth: str | None) -> None:
    """Judgments alone are no labelled items: whoever forgot the runs should hear so."""
    from germane.formats.detect import detect

    if truth is not None or not Path(path).is_file():
        return
    try:
        with detect(path) as found:
            forgotten = found.format in ("trec", "beir")
    except GermaneError:
        return
    if forgotten:
        raise GermaneError(
            f"{path}: expected judgments and at least one run, or one table of labelled items; "
            f"found one file, {found.why}",
            hint=f"germane {command} QRELS RUN -o …, or germane {command} DATA.csv -o …",
        )


def _refuse(wrong: Callable[[str], bool], why: str) -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        if wrong(name) and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise GermaneError(f"{parameter.opts[-1]} {why}", hint="leave it out")
