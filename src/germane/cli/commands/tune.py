"""`germane tune`: choose a strategy, and estimate its score on new queries."""

from __future__ import annotations

from typing import Any, get_args

from germane.cli.options.printing import print_result, result_options
from germane.cli.options.vocabulary import arguments, choice, judged_topics_options, list_option, option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.learning.tuning.cells import SearchName
from germane.learning.tuning.procedure import DEFAULT_CANDIDATES, DEFAULT_FOLDS
from germane.learning.tuning.result import LEARNING
from germane.output.plots.figures import format_of, require_folder, write_figure
from germane.output.plots.tuning_figure import tuning_figure
from germane.output.rendering.messages import print_message
from germane.output.rendering.progress import progress


def _space(_: int | None) -> str:
    from germane.learning.strategies.space import DEFAULT_SPACE

    return "\n".join((*DEFAULT_SPACE, ""))


@make_command(
    "tune",
    "germane tune library topics.tsv judged.txt --space 'BM25(k1={0.9,1.2},b={0.4,0.75})' --folds 2",
    "germane tune --list",
)
@arguments("index", "topics", "qrels")
@shared("--space", multiple=True, otherwise="see --list")
@list_option(_space)
@shared("--measure", default="AP")
@shared("--folds", default=DEFAULT_FOLDS)
@choice(
    "--search",
    "Evaluate all strategies (grid), a random sample, or all on few topics and the best on more (halving).",
    get_args(SearchName),
)
@option(
    "--candidates",
    "Number of strategies that random search samples, or that halving starts with.  "
    f"[default: {DEFAULT_CANDIDATES} for random, all for halving]",
    "COUNT",
)
@shared("--top", "k", default=1000)
@shared("--alpha", default=0.05)
@shared("--level", default=0.95)
@option("--resume", "Journal to resume from and append to; created if it does not exist.", "FILE")
@shared("--threads", otherwise="all cores")
@judged_topics_options
@shared("--show", "top", otherwise="5; all in CSV, TSV and JSON")
@option("--curves", "Also print the learning curve and validation curves.")
@shared("--figure")
@option("--curve", "Curve of --figure: learning, parts, or a parameter such as BM25.k1.", "NAME", default=LEARNING)
@shared("--seed", default=0)
@result_options
def command(
    space: tuple[str, ...], top: int | None, curves: bool, figure: str | None, curve: str, **choices: Any
) -> None:
    """Choose a strategy on INDEX by the judged TOPICS, and estimate its score on new queries.

    Each strategy is evaluated once per topic. Then each fold of topics is held out in turn: a strategy is chosen on the
    others (the best or, by Occam's razor, the simplest that the best does not beat significantly at --alpha) and scored
    on the held-out fold. The gap is the optimism of the tuned score.
    """
    from germane.api.learning.tuning import tune

    if curves and choices["search"] == "halving":
        raise GermaneError(
            "--curves is not supported with --search halving", hint="use --search grid, or remove --curves"
        )
    if figure is not None:  # report a wrong path before the work, not after it
        format_of(figure)
        require_folder(figure)
    with progress("rankings") as advance:
        tuning = tune(space=space or None, progress=advance, **choices)
    drawn = None if figure is None else tuning_figure(tuning, curve)
    print_result(tuning, top=top, curves=curves)
    if figure is not None and drawn is not None:
        write_figure(drawn, figure)
        print_message(f"wrote {figure}")
