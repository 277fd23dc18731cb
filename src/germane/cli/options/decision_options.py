"""Options of `report` and `plot` for labelled items, beside those for runs: one file is items, several are runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from germane.cli.options.inputs import require_quotes
from germane.cli.options.label_options import label_options
from germane.cli.options.vocabulary import given, shared, together
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


def given_files(
    files: tuple[str, ...], command: str, measures: tuple[str, ...], options: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments and options of `report` and `plot`; an option about what the files do not hold is an error."""
    data, runs = files[0], files[1:]
    if runs:
        require_quotes(runs)
        refuse_options(OF_DECISIONS.__contains__, "is about labelled items, which come as a single file")
        of_runs = {name: value for name, value in options.items() if name not in OF_DECISIONS}
        return [data, list(runs), list(measures) or None], of_runs
    require_items(data, command, options["truth"])
    shared_names = (*OF_DECISIONS, *SHARED)
    refuse_options(lambda name: name not in shared_names, "is about runs, and DATA is a single file")
    found = {name: value for name, value in options.items() if name in (*OF_DECISIONS, "level", "seed")}
    if found["labels"] is not None:
        found["labels"] = [label.strip() for label in found["labels"].split(",")]
    return [data], found


def require_items(path: str, command: str, truth: str | None, *, writes: bool = True) -> None:
    """Judgments alone are no labelled items: whoever forgot the runs should hear so."""
    from germane.formats.rankings.detect import detect

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
    for name, parameter in given().items():
        if wrong(name):
            raise GermaneError(f"{parameter.opts[-1]} {why}", hint="leave it out")
