"""`germane learn`: learn to rank, and say how well that does on queries that were not learned from."""

from __future__ import annotations

from typing import Any

import click

from germane.cli.options import digits_option, format_option, level_option, seed_option
from germane.errors import GermaneError
from germane.report.learning_tables import STYLES, feature_list, render_learning
from germane.report.notes import print_notes
from germane.report.progress import progress

ONLY_FOR_AN_INDEX = ("features", "log", "model", "depth", "field", "topic_numbers", "qrels_format")
ONLY_FOR_ROWS = ("groups", "names")


def _list_all(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from germane.learning.feature_registry import all_features
        from germane.learning.features import parse_feature
        from germane.learning.learners import LEARNERS
        from germane.retrieval.models import all_models

        features = [parse_feature("cosine"), *(parse_feature(cls.name) for cls in all_models()), *all_features()]
        click.echo(feature_list(features, [(one.name, one.summary) for one in LEARNERS.values()]), nl=False)
        ctx.exit()


@click.command("learn")
@click.argument("sources", nargs=-1, metavar="[INDEX TOPICS QRELS]")
@click.option(
    "-o", "--output", metavar="MODEL", help="The file to write the model to, for `germane retrieve --rerank`."
)
@click.option("--data", metavar="FILE", help="Rows of features in place of an index: LETOR or SVMlight.")
@click.option("--groups", metavar="FILE", help="For --data without qid: the number of rows of each query, one a line.")
@click.option("--names", metavar="FILE", help="For --data: the names of its features, one a line.")
@click.option(
    "--features",
    multiple=True,
    metavar="NAMES",
    help="Features with commas between them: cosine,BM25(k1=0.9),omega,pagerank=FILE; may be repeated.  "
    "[default: twenty from the index]",
)
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list_all,
    help="Say all about features and learners.",
)  # fmt: skip
@click.option(
    "--learner",
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
@click.option("--model", metavar="MODEL", help="The first stage, whose best documents are reordered.  [default: BM25]")
@click.option("--depth", type=click.IntRange(1), help="How many of them.  [default: 100]")
@click.option(
    "--folds", type=click.IntRange(2), default=5, show_default=True, help="Parts that queries are divided into."
)
@click.option("-m", "--measure", "measures", multiple=True, help="May be repeated.  [default: AP, nDCG@10]")
@click.option(
    "--rel", type=float, default=1, show_default=True, help="The least grade that svm and linear take as relevant."
)
@click.option("--field", help="The part of a topic to ask with: title, description, narrative.  [default: title]")
@click.option(
    "--topic-numbers",
    type=click.Choice(["given", "position"]),
    help="Whether judgments name topics by the numbers in their file or by their positions.  [default: given]",
)
@click.option("--qrels-format", metavar="FORMAT", help="The format of QRELS.  [default: told from its content]")
@click.option("--log", metavar="FILE", help="Write the rows of features, in LETOR's form.")
@click.option(
    "--overwrite", is_flag=True, help="Replace MODEL, and the rows of --log, if there are such files already."
)
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
    against the first stage, and against the best single feature. The model in MODEL is learned from all queries.
    """
    from germane.api.learning import learn, learn_from_rows

    choices = {name: value for name, value in choices.items() if value not in (None, ())}
    choices |= {"C": C[0] if len(C) == 1 else C or None, **({"measures": measures} if measures else {})}
    with progress("folds") as advance:
        if data is None:
            _refuse(choices, ONLY_FOR_ROWS, "rows of a file (--data)")
            if len(sources) != 3:
                problem = f"expected INDEX TOPICS QRELS, found {len(sources)} argument{'s' * (len(sources) != 1)}"
                raise GermaneError(problem, hint="or rows of features: --data FILE")
            found = learn(*sources, progress=advance, **choices)
        else:
            _refuse(choices, ONLY_FOR_AN_INDEX, "an index")
            if sources:
                raise GermaneError(f"expected --data alone, found {' '.join(sources)} too")
            found = learn_from_rows(data, progress=advance, **choices)
    click.echo(render_learning(found, style, digits=digits), nl=False)
    if style != "json":
        print_notes(found.notes)


def _refuse(choices: dict[str, Any], names: tuple[str, ...], only_for: str) -> None:
    """An option that says nothing here is no option to be passed over in silence."""
    for name in names:
        if name in choices:
            raise GermaneError(f"--{name.replace('_', '-')} is for {only_for}")
