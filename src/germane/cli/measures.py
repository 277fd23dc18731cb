"""`germane measures`: what there is, and everything about one."""

from __future__ import annotations

from collections.abc import Callable

import click

from germane.cli.commanding import make_command
from germane.errors import MeasureError
from germane.measures.deciding.names import nearest_name
from germane.measures.deciding.rates import parse_rate, rate_of
from germane.measures.deciding.registry import deciding_of
from germane.measures.names import parse_measure
from germane.measures.registry import all_definitions, definition_of
from germane.report.decision_pages import decision_list, decision_page
from germane.report.measure_pages import measure_list, measure_page


@make_command("measures", examples=["germane measures", "germane measures nDCG@10", "germane measures recall"])
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List all measures, or print the definition, formula, reference and edge cases of NAME.

    Some names stand for a measure of a ranking and for one of decisions, such as AP: then both are printed.
    """
    if name is None:
        click.echo(f"{measure_list(all_definitions())}\n{decision_list()}", nl=False)
    else:
        click.echo("\n".join(_pages(name)), nl=False)


def _pages(name: str) -> list[str]:
    """The page of each measure that has this name, of a ranking first."""
    places: list[Callable[[], str]] = [
        lambda: measure_page(definition_of(parse_measure(name))),
        lambda: decision_page(parse_rate(name).rate),
        lambda: decision_page(rate_of(name)),  # one that cannot be computed before something is chosen has a page too
        lambda: decision_page(deciding_of(name.partition("(")[0])),
    ]
    pages, problems = [], []
    for place in places:
        try:
            pages.append(place())
        except MeasureError as problem:
            problems.append(problem)
    if not pages:
        raise _unknown(name, problems[0])
    return list(dict.fromkeys(pages))


def _unknown(name: str, of_a_ranking: MeasureError) -> MeasureError:
    """What is said of a name that nothing has: the nearest one, be it of a ranking or of decisions."""
    rankings = {alias: "" for definition in all_definitions() for alias in (definition.name, *definition.names)}
    near = nearest_name(name, rankings)
    if near in ("", "; did you mean ?"):  # none, or that of a ranking, which the other error names
        return of_a_ranking
    return MeasureError(f"no measure is called {name!r}{near}", hint=of_a_ranking.hint)
