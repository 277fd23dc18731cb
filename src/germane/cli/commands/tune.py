"""`germane tune`: which strategy to search with, and what to expect of it."""

from __future__ import annotations

from typing import Any, get_args

import click

from germane.cli.options.printing import print_result, result_options
from germane.cli.options.vocabulary import arguments, choice, judged_topics_options, list_option, option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.learning.tuning.cells import SearchName
from germane.learning.tuning.procedure import DEFAULT_CANDIDATES, DEFAULT_FOLDS
from germane.learning.tuning.result import LEARNING
from germane.output.plots.figures import format_of, require_folder, write_figure
from germane.output.plots.tuning_figure import tuning_figure
from germane.output.rendering.progress import progress


def _space() -> str:
    from germane.learning.strategies.space import DEFAULT_SPACE

    return "\n".join((*DEFAULT_SPACE, ""))


@make_command(
    "tune",
    "germane tune library topics.tsv judged.txt --space 'BM25(k1={0.9,1.2},b={0.4,0.75})' --folds 2",
    "germane tune --list",
)
@arguments("index", "topics", "qrels")
@shared("--space", multiple=True, otherwise="what --list prints")
@list_option(_space)
@shared("--measure", default="AP")
@shared("--folds", default=DEFAULT_FOLDS)
@choice(
    "--search",
    "Evaluate all strategies; some, drawn by chance; or all on a few topics, and ever fewer on more.",
    get_args(SearchName),
)
@option(
    "--candidates",
    f"How many strategies random search draws, or halving starts with.  [default: {DEFAULT_CANDIDATES} for "
    "random, all for halving]",
    "COUNT",
)
@shared("--top", "k", default=1000)
@shared("--alpha", default=0.05)
@shared("--level", default=0.95)
@option("--resume", "A journal: go on from what it has, and add to it; it is made if it is not there.", "FILE")
@shared("--threads", otherwise="all cores")
@judged_topics_options
@shared("--show", "top", otherwise="5 for people, all for programs")
@option("--curves", "Print the learning curve and the validation curves too.")
@shared("--figure")
@option("--curve", "Which curve: learning, parts, or a parameter such as BM25.k1.", "NAME", default=LEARNING)
@shared("--seed", default=0)
@result_options
def command(
    space: tuple[str, ...], top: int | None, curves: bool, figure: str | None, curve: str, **choices: Any
) -> None:
    """Choose among strategies on INDEX by the judged ones of TOPICS, and say what to expect of the choice.

    Each strategy is evaluated once for each topic. Then each fold of topics is held out, a strategy is chosen by the
    others (the best; or, by Occam's razor, the simplest that the best does not beat significantly, at --alpha), and
    scored on the topics held out. The gap is how much better the tuned score looked.
    """
    from germane.api.learning.tuning import tune

    if curves and choices["search"] == "halving":
        raise GermaneError("halving evaluates too little for curves", hint="use --search grid, or remove --curves")
    if figure is not None:  # a slip in it should be told before the work, not after
        format_of(figure)
        require_folder(figure)
    with progress("rankings") as advance:
        tuning = tune(space=space or None, progress=advance, **choices)
    drawn = None if figure is None else tuning_figure(tuning, curve)
    print_result(tuning, top=top, curves=curves)
    if figure is not None and drawn is not None:
        write_figure(drawn, figure)
        click.echo(f"wrote {figure}", err=True)
