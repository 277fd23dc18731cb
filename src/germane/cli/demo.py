"""`germane demo`: the main job on data that comes with the package."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

import click

from germane.api import evaluate, explain
from germane.errors import GermaneError
from germane.report.explanations import render_explanation
from germane.report.score_tables import render_scores


@click.command("demo")
@click.option("--save", metavar="FOLDER", help="Also copy the data there, to try the commands yourself.")
def command(save: str | None) -> None:
    """Evaluate and explain the two systems of an exercise: three image queries, six answers each."""
    with as_file(files("germane") / "data" / "lecture003") as folder:
        if save is not None:
            _save(folder, Path(save))
        qrels, runs = folder / "qrels.txt", [folder / "system1.run", folder / "system2.run"]
        click.echo("Two systems answer three queries. Which one is better?\n")
        click.echo("$ germane eval qrels.txt system1.run system2.run -m 'AP RR R@5 Rprec' -q\n")
        click.echo(render_scores(evaluate(qrels, runs, "AP RR R@5 Rprec"), "table", per_query=True))
        click.echo("Where does system1's average precision for Q1 come from?\n")
        click.echo("$ germane explain AP qrels.txt system1.run --query Q1\n")
        click.echo(render_explanation(explain("AP", qrels, runs[0], "Q1"), "table"))
        click.echo("And its nDCG?\n")
        click.echo("$ germane explain nDCG@5 qrels.txt system1.run --query Q1\n")
        click.echo(render_explanation(explain("nDCG@5", qrels, runs[0], "Q1"), "table"))
        where = save or "exercise"
        click.echo(
            f"Next: {'' if save else f'germane demo --save {where}; '}cd {where}; and try these commands yourself."
        )


def _save(folder: Path, target: Path) -> None:
    """Copy the data; a file of the same name that holds something else is not overwritten."""
    for file in sorted(folder.iterdir()):
        copy = target / file.name
        if copy.exists() and copy.read_bytes() != file.read_bytes():
            raise GermaneError(f"{copy}: there is such a file already", hint="choose another folder")
    shutil.copytree(folder, target, dirs_exist_ok=True)
