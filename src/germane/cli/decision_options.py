"""Options of `report` and `plot` for labelled items, beside those for runs: one file is items, several are runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from germane.cli.label_options import label_options
from germane.cli.vocabulary import shared, together
from germane.errors import GermaneError

decision_options = together(
    label_options(several=True),
    shared("--probabilities"),
    shared("--labels"),
    shared("--threshold"),
    shared("--matrix"),
    shared("--rule", "rules", multiple=True),
)
"""The options that say how DATA is read."""
LABELLED = ("truth", "predicted", "score", "weight", "positive", "probabilities", "labels", "threshold", "matrix")
OF_DECISIONS = (*LABELLED, "rules")
SHARED = ("output", "title", "level", "seed", "files", "kind")


def options_of_decisions(options: dict[str, Any]) -> dict[str, Any]:
    """Those options that are about labelled items; one about runs that was given is an error."""
    refuse_options(
        lambda name: name not in OF_DECISIONS and name not in SHARED, "is about runs, and DATA is a single file"
    )
    found = {name: value for name, value in options.items() if name in (*OF_DECISIONS, "level", "seed")}
    if found["labels"] is not None:
        found["labels"] = [label.strip() for label in found["labels"].split(",")]
    return found


def options_of_runs(options: dict[str, Any]) -> dict[str, Any]:
    """Those options that are about runs; one about labelled items that was given is an error."""
    refuse_options(lambda name: name in OF_DECISIONS, "is about labelled items, which come as a single file")
    return {name: value for name, value in options.items() if name not in OF_DECISIONS}


def require_items(path: str, command: str, truth: str | None, *, writes: bool = True) -> None:
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
        to = " -o …" if writes else ""
        raise GermaneError(
            f"{path}: expected judgments and at least one run, or one table of labelled items; "
            f"found one file, {found.why}",
            hint=f"germane {command} QRELS RUN{to}, or germane {command} DATA.csv{to}",
        )


def refuse_options(wrong: Callable[[str], bool], why: str) -> None:
    """Refuse options that were given on the command line and that this call has no use for."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        if wrong(name) and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise GermaneError(f"{parameter.opts[-1]} {why}", hint="leave it out")
