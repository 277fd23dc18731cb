"""`germane measures`: list measures, or show one in detail."""

from __future__ import annotations

import click

from germane.catalogue import Entry, nearest_entry
from germane.cli.options.printing import format_options, print_result
from germane.cli.shell.command_class import make_command
from germane.errors import MeasureError, unknown
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.rates import RATES
from germane.measures.definition import MEASURES
from germane.output.texts.measure_list import MeasureList


@make_command("measures", "germane measures", "germane measures nDCG@10", "germane measures recall")
@click.argument("name", required=False)
@format_options
def command(name: str | None) -> None:
    """List all measures, or show the definition, formula, reference and edge cases of NAME.

    A name that is both a ranking measure and a classification measure, such as AP, prints both.
    """
    print_result(MeasureList.of(None if name is None else _entries(name)))


def _entries(name: str) -> list[Entry]:
    """Return the measures of this name, ranking measures first."""
    found: list[Entry] = []
    problems = []
    for catalogue in (MEASURES, RATES, DECISION_MEASURES):
        try:
            found.append(catalogue[name])
        except MeasureError as problem:
            problems.append(problem)
    if not found:
        near = nearest_entry(name, MEASURES, RATES, DECISION_MEASURES)
        if not near or near in MEASURES.names:
            raise problems[0]
        raise unknown("measure", name, (), near=near, error=MeasureError, hint=MEASURES.lists)
    return found
