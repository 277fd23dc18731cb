"""`germane measures`: what there is, and everything about one."""

from __future__ import annotations

import click

from germane.measures.names import parse_measure
from germane.measures.registry import all_definitions, definition_of
from germane.report.measure_pages import measure_list, measure_page


@click.command("measures")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List all measures, or print the definition, formula, reference and edge cases of NAME."""
    if name is None:
        click.echo(measure_list(all_definitions()), nl=False)
    else:
        click.echo(measure_page(definition_of(parse_measure(name))), nl=False)
