"""`germane explain`: the worked table behind one number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from germane.api.evaluating import explain
from germane.cli.commanding import make_command
from germane.cli.decision_options import refuse_options, require_items
from germane.cli.label_options import label_options
from germane.cli.options import input_options
from germane.cli.vocabulary import digits_option, format_option, shared
from germane.errors import GermaneError
from germane.measures.names import is_measure
from germane.report.explanations import STYLES, render_decision_explanation, render_explanation
from germane.report.notes import print_notes

LABEL_OPTIONS = ("truth", "predicted", "score", "weight", "positive", "threshold", "matrix")


@make_command(
    "explain",
    examples=[
        "germane explain AP qrels.txt system1.run --query Q2",
        "germane explain AUC scores.csv --show 20",
        "germane explain TPR cancer.csv --matrix",
    ],
)
@click.argument("measure")
@click.argument("qrels", metavar="QRELS|DATA")
@click.argument("run", required=False)
@shared("--query", default="", show_default=False)
@label_options(several=False)
@shared("--threshold")
@shared("--matrix")
@shared("--show", "most", default=100)
@format_option(STYLES)
@digits_option
@input_options
def command(
    measure: str, qrels: str, run: str | None, query: str, most: int, style: str, digits: int, **inputs: Any
) -> None:
    """Show the terms that add up to MEASURE: rank by rank for one query of RUN, or threshold by threshold for DATA.

    The table is computed from the same numbers as the value, and its last line is the value.
    """
    if Path(measure).exists() and not is_measure(measure) and (run is not None or not Path(qrels).exists()):
        raise GermaneError(
            f"{measure} is a file: expected a measure first", hint="germane explain AP qrels.txt system1.run --query Q2"
        )
    columns = {name: inputs.pop(name) for name in LABEL_OPTIONS}
    if run is None:
        from germane.api.explaining_decisions import explain_decisions

        refuse_options(inputs.__contains__, "is for a ranking: QRELS and RUN")
        if query:
            raise GermaneError("--query is for a ranking: QRELS and RUN", hint="add the run, or leave --query out")
        if not columns["matrix"]:
            require_items(qrels, f"explain {measure}", columns["truth"], writes=False)
        found = explain_decisions(measure, qrels, **columns)
        click.echo(render_decision_explanation(found, style, digits=digits, most=most), nl=False)
        print_notes(found.notes)
        return
    given = [name for name, value in columns.items() if value not in (None, False)]
    if given:
        raise GermaneError(f"--{given[0]} is for DATA with labels, not for a ranking", hint="leave it out, or the run")
    click.echo(render_explanation(explain(measure, qrels, run, query, **inputs), style, digits=digits), nl=False)
