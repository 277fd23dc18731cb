"""`germane learn`: learn to rank, and say how well that does on queries that were not learned from."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from germane.cli.commanding import make_command
from germane.cli.vocabulary import (
    digits_option,
    format_option,
    level_option,
    list_option,
    qrels_format_option,
    seed_option,
    shared,
    topic_numbers_option,
)
from germane.errors import GermaneError
from germane.report.learning_tables import STYLES, feature_list, render_learning
from germane.report.notes import print_notes
from germane.report.progress import progress
from germane.tables.counted import counted

ONLY_FOR_AN_INDEX = ("features", "log", "model", "depth", "field", "topic_numbers", "qrels_format")
ONLY_FOR_ROWS = ("groups", "names", "zero_based")


def _print_all() -> None:
    from germane.learning.feature_registry import all_features
    from germane.learning.features import parse_feature
    from germane.learning.learners import LEARNERS
    from germane.retrieval.models import all_models

    features = [parse_feature("cosine"), *(parse_feature(cls.name) for cls in all_models()), *all_features()]
    click.echo(feature_list(features, [(one.name, one.summary) for one in LEARNERS.values()]), nl=False)


@make_command(
    "learn",
    examples=[
        "germane learn library topics.tsv judged.txt --learner ranking-svm -o model.json",
        "germane learn --data rows.letor --folds 3",
    ],
)
@click.argument("sources", nargs=-1, metavar="[INDEX TOPICS QRELS]")
@shared("--output")
@click.option("--data", metavar="FILE", help="Rows of features in place of an index: LETOR or SVMlight.")
@click.option("--groups", metavar="FILE", help="For --data without qid: the number of rows of each query, one a line.")
@click.option("--names", metavar="FILE", help="For --data: the names of its features, one a line.")
@click.option("--zero-based", is_flag=True, help="For --data: the first feature is number 0, not 1.")
@click.option(
    "--features",
    multiple=True,
    metavar="NAMES",
    help="Features with commas between them: cosine,BM25(k1=0.9),omega,pagerank=FILE; may be repeated.  "
    "[default: twenty from the index]",
)
@list_option(_print_all)
@click.option(
    "--learner",
    metavar="NAME",
    default="ranking-svm",
    show_default=True,
    help="ranking-svm, svm, linear, ordinal or lambdamart.",
)
@click.option(
    "--C", "C", type=float, multiple=True, metavar="NUMBER",
    help="How much the data count against simplicity; of several, one is chosen within the queries learned from.  "
    "[default: 1]",
)  # fmt: skip
@click.option(
    "--scaling",
    type=click.Choice(["minmax", "zscore", "none"]),
    default="minmax",
    show_default=True,
    help="How features are scaled among the candidates of a query.",
)
@shared("--model", otherwise="BM25")
@shared("--depth", otherwise="100")
@shared("--folds", default=5)
@shared("--measure", "measures", multiple=True, otherwise="AP nDCG@10")
@shared("--rel", default=1)
@shared("--field", default="title")
@topic_numbers_option
@qrels_format_option
@click.option("--log", metavar="FILE", help="Write the rows of features, in LETOR's form.")
@shared("--overwrite")
@level_option
@seed_option
@format_option(STYLES)
@digits_option
def command(
    sources: tuple[str, ...],
    data: str | None,
    C: tuple[float, ...],
    measures: tuple[str, ...],
    style: str,
    digits: int,
    **choices: Any,
) -> None:
    """Learn to reorder what INDEX finds for TOPICS from their judgments QRELS, or from rows of features (--data).

    Queries are divided into folds. Each fold is ranked by what was learned from the others, and only that is reported:
    against the first stage (--model), whose best documents (--depth) are reordered, and against the best single
    feature. The model in --output, which `germane retrieve --rerank` takes, is learned from all queries.
    """
    from germane.api.learning import learn, learn_from_rows

    idle = _idle("rows of a file (--data)", ONLY_FOR_ROWS) if data is None else _idle("an index", ONLY_FOR_AN_INDEX)
    choices = {name: value for name, value in choices.items() if value not in (None, ()) and name not in idle}
    choices |= {"C": C[0] if len(C) == 1 else C or None, **({"measures": measures} if measures else {})}
    with progress("folds") as advance:
        if data is None:
            if len(sources) != 3:
                problem = f"expected INDEX TOPICS QRELS, found {counted(len(sources), 'argument')}"
                raise GermaneError(problem, hint="or rows of features: --data FILE")
            found = learn(*sources, progress=advance, **choices)
        else:
            if sources:
                raise GermaneError(f"expected --data alone, found {' '.join(sources)} too")
            found = learn_from_rows(data, progress=advance, **choices)
    click.echo(render_learning(found, style, digits=digits), nl=False)
    if style != "json":
        print_notes(found.notes)


def _idle(only_for: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Options that say nothing here; one that was given is not passed over in silence."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise GermaneError(f"--{name.replace('_', '-')} is for {only_for}")
    return names
