"""Options of `report` and `plot` for labelled items (one file) rather than runs (several files)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from germane.catalogue import split
from germane.cli.options.inputs import require_quotes
from germane.cli.options.label_options import label_options, quantile_option, task_option, vectors_option
from germane.cli.options.vocabulary import given, shared, together
from germane.errors import GermaneError

decision_options = together(
    task_option,
    label_options(several=True),
    quantile_option,
    vectors_option,
    shared("--probabilities", multiple=True),
    shared("--labels"),
    shared("--threshold"),
    shared("--matrix"),
    shared("--invert"),
    shared("--rule", "rules", multiple=True),
)
"""Options for reading DATA."""
COLUMNS = ("truth", "predicted", "score", "weight", "positive", "probabilities", "labels", "threshold", "matrix")
LABELLED = (*COLUMNS, "invert", "missing", "decimal", "encoding")
OF_DECISIONS = (*LABELLED, "rules", "task", "quantiles", "vectors")
OF_OTHER_TASKS = ("measures", "baseline", "correction", "test")
"""Options that runs and predictions of other tasks than classes have in common."""
SHARED = ("output", "title", "level", "seed", "files", "kind", "size")


def given_files(
    files: tuple[str, ...], command: str, measures: tuple[str, ...], options: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments and options of `report` and `plot`; refuse options that do not apply to the files given."""
    data, runs = files[0], files[1:]
    if runs:
        require_quotes(runs)
        refuse_options(OF_DECISIONS.__contains__, "requires labelled items (a single file), found runs")
        of_runs = {name: value for name, value in options.items() if name not in OF_DECISIONS}
        return [data, list(runs), list(measures) or None], of_runs
    require_items(data, command, options["truth"])
    others = OF_OTHER_TASKS if options["task"] != "classes" else ()
    shared_names = (*OF_DECISIONS, *SHARED, *others)
    refuse_options(lambda name: name not in shared_names, "requires QRELS and RUN, found a single file")
    found = {name: value for name, value in options.items() if name in (*OF_DECISIONS, "level", "seed")}
    found |= {name: options[name] for name in others if name != "measures" and name in given()}
    if measures and others:
        found["measures"] = [name for text in measures for name in split(text, ", \t\n")]
    if found["labels"] is not None:
        found["labels"] = [label.strip() for label in found["labels"].split(",")]
    return [data], found


def require_items(path: str, command: str, truth: str | None, *, writes: bool = True) -> None:
    """Refuse judgments where labelled items are expected: the runs were probably forgotten."""
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
            hint=f"use `germane {command} QRELS RUN{to}` or `germane {command} DATA.csv{to}`",
        )


def refuse_options(wrong: Callable[[str], bool], why: str) -> None:
    """Refuse options that were given on the command line but do not apply to this call."""
    for name, parameter in given().items():
        if wrong(name):
            option = parameter.opts[-1]
            raise GermaneError(f"{option} {why}", hint=f"remove {option}")
