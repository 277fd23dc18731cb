"""`germane learn`: learn to rank, and say how well that does on queries that were not learned from."""

from __future__ import annotations

from typing import Any

import click

from germane.cli.options.printing import print_result, result_options
from germane.cli.options.vocabulary import choice, list_option, option, qrels_format_option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.output.rendering.progress import progress
from germane.output.texts.pages import pages
from germane.tables.notes.counts import counted

OWN_FEATURES = """\
NAME=FILE: A column of your own: lines of a document and its value, or of a query, a document and the value.
NAME=module:function: A function of your own, of the query's text and the document's id.
"""


def _names() -> str:
    from germane.learning.features.feature import FEATURES
    from germane.learning.features.feature_set import parse_feature
    from germane.learning.learners.learner import LEARNERS
    from germane.retrieval.models import MODELS

    features = [*map(parse_feature, ("cosine", *MODELS.names)), *FEATURES]
    learners = "".join(f"  {entry.name:<12} {entry.summary}\n" for entry in LEARNERS)
    return f"{pages(features)}\n{OWN_FEATURES}\nLearners\n{learners}"


@make_command(
    "learn",
    "germane learn library topics.tsv judged.txt --learner ranking-svm -o model.json",
    "germane learn --data rows.letor --folds 3",
)
@click.argument("sources", nargs=-1, metavar="[INDEX TOPICS QRELS]")
@shared("--output")
@option("--data", "Rows of features in place of an index: LETOR or SVMlight.", "FILE")
@option("--group-sizes", "For --data without qid: the number of rows of each query, one a line.", "FILE")
@option("--feature-names", "For --data: the names of its features, one a line.", "FILE")
@click.option("--zero-based", is_flag=True, default=None, help="For --data: the first feature is number 0, not 1.")
@option(
    "--features",
    "Features with commas between them: cosine,BM25(k1=0.9),omega,pagerank=FILE; may be repeated.  "
    "[default: twenty from the index]",
    "NAMES",
    multiple=True,
)
@list_option(_names)
@option("--learner", "ranking-svm, svm, linear, ordinal or lambdamart.", "NAME", default="ranking-svm")
@option(
    "--C C",
    "How much the data count against simplicity; of several, one is chosen within the queries learned from.  "
    "[default: 1]",
    "NUMBER",
    type=float,
    multiple=True,
)
@choice("--scaling", "How features are scaled among the candidates of a query.", ["minmax", "zscore", "none"])
@shared("--model", otherwise="BM25")
@shared("--depth", otherwise="100")
@shared("--folds", default=5)
@shared("--measure", "measures", multiple=True, otherwise="AP nDCG@10")
@shared("--rel", default=1)
@shared("--field", otherwise="title")
@shared("--topic-numbers", otherwise="given")
@qrels_format_option
@option("--save-features", "Write the rows of features, in LETOR's form.", "FILE")
@shared("--overwrite")
@shared("--level", default=0.95)
@shared("--seed", default=0)
@result_options
def command(
    sources: tuple[str, ...], data: str | None, C: tuple[float, ...], measures: tuple[str, ...], **choices: Any
) -> None:
    """Learn to reorder what INDEX finds for TOPICS from their judgments QRELS, or from rows of features (--data).

    Queries are divided into folds. Each fold is ranked by what was learned from the others, and only that is reported:
    against the first stage (--model), whose best documents (--depth) are reordered, and against the best single
    feature. The model in --output, which `germane retrieve --rerank` takes, is learned from all queries.
    """
    from germane.api.learning.learning_to_rank import learn

    if data is not None and sources:
        raise GermaneError(f"expected --data alone, found {' '.join(sources)} too")
    if data is None and len(sources) != 3:
        problem = f"expected INDEX TOPICS QRELS, found {counted(len(sources), 'argument')}"
        raise GermaneError(problem, hint="or rows of features: --data FILE")

    choices = {name: value for name, value in choices.items() if value not in (None, ())}
    choices |= {"C": C[0] if len(C) == 1 else C or None, **({"measures": measures} if measures else {})}
    with progress("folds") as advance:
        found = learn(*(sources if data is None else (data,)), progress=advance, **choices)
    print_result(found)
