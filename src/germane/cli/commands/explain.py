"""`germane explain`: the breakdown of one score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from germane.api.explanation import explain
from germane.cli.options.decision_options import refuse_options, require_items
from germane.cli.options.inputs import input_options
from germane.cli.options.label_options import label_options
from germane.cli.options.printing import print_result, result_options
from germane.cli.options.vocabulary import choice, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.measures.definition import MEASURES

COLUMNS = ("truth", "predicted", "score", "weight")
WRITTEN = ("missing", "decimal", "encoding")
LABEL_OPTIONS = (*COLUMNS, "positive", "threshold", "matrix", "invert", "probabilities", "labels", *WRITTEN)
OF_ITEMS = (*LABEL_OPTIONS, "task", "separator")


@make_command(
    "explain",
    "germane explain AP qrels.txt system1.run --query Q2",
    "germane explain AUC scores.csv --show 20",
    "germane explain TPR cancer.csv --matrix",
)
@click.argument("measure")
@click.argument("qrels", metavar="QRELS|DATA")
@click.argument("run", required=False)
@shared("--query", default="", show_default=False)
@choice("--task", "What was predicted: classes (or their scores), or sets of labels.", ["classes", "label-sets"])
@label_options(several=False)
@shared("--separator")
@shared("--probabilities")
@shared("--labels")
@shared("--threshold")
@shared("--matrix")
@shared("--invert")
@shared("--show", "most", default=100)
@result_options
@input_options
def command(measure: str, qrels: str, run: str | None, query: str, most: int, **inputs: Any) -> None:
    """Break MEASURE down: rank by rank for one query of RUN, or threshold by threshold for DATA.

    The table is computed from the same numbers as the score, and ends with it.
    """
    if Path(measure).exists() and not MEASURES.accepts(measure) and (run is not None or not Path(qrels).exists()):
        raise GermaneError(
            f"expected a measure first, found the file {measure}",
            hint="for example: germane explain AP qrels.txt system1.run --query Q2",
        )
    columns = {name: value for name in OF_ITEMS if (value := inputs.pop(name)) not in (None, False, "classes")}
    if "labels" in columns:
        columns["labels"] = [label.strip() for label in columns["labels"].split(",")]
    if run is None:
        refuse_options(inputs.__contains__, "requires QRELS and RUN")
        if query:
            raise GermaneError("--query requires QRELS and RUN", hint="add the run, or remove --query")
        if "matrix" not in columns:
            require_items(qrels, f"explain {measure}", columns.get("truth"), writes=False)
        found = explain(measure, qrels, **columns)
        print_result(found, most=most)
        return
    if columns:
        given = next(iter(columns))
        raise GermaneError(f"--{given} requires labelled DATA, found QRELS and RUN", hint=f"remove --{given}")
    print_result(explain(measure, qrels, run, query, **inputs))
