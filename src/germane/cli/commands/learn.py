"""`germane learn`: learn to rank, and evaluate on held-out queries."""

from __future__ import annotations

from typing import Any

import click

from germane.cli.options.printing import print_result, result_options
from germane.cli.options.vocabulary import choice, list_option, option, qrels_format_option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.output.rendering.progress import progress
from germane.output.rendering.terminal import wrapped
from germane.output.texts.pages import pages
from germane.tables.notes.counts import counted

OWN_FEATURES = """\
NAME=FILE: Your own column: one `document value` or `query document value` per line.
NAME=module:function: Your own function of the query text and the document id.
"""


def _names(width: int | None) -> str:
    from germane.learning.features.feature import FEATURES
    from germane.learning.features.feature_set import parse_feature
    from germane.learning.learners.learner import LEARNERS
    from germane.retrieval.models import MODELS

    features = [*map(parse_feature, ("cosine", *MODELS.names)), *FEATURES]
    learners = "".join(f"  {entry.name:<12} {entry.summary}\n" for entry in LEARNERS)
    others = wrapped(f"{OWN_FEATURES}\nLearners\n{learners}", width)
    return f"{pages(features, width)}\n{others}"


@make_command(
    "learn",
    "germane learn library topics.tsv judged.txt --learner ranking-svm -o model.json",
    "germane learn --data rows.letor --folds 3",
)
@click.argument("sources", nargs=-1, metavar="[INDEX TOPICS QRELS]")
@shared("--output")
@option("--data", "Feature rows instead of an index: LETOR or SVMlight.", "FILE")
@option("--group-sizes", "For --data without qid: number of rows of each query, one per line.", "FILE")
@option("--feature-names", "For --data: feature names, one per line.", "FILE")
@click.option("--zero-based", is_flag=True, default=None, help="For --data: features are numbered from 0, not 1.")
@option(
    "--features",
    "Features separated by commas, such as cosine,BM25(k1=0.9),pagerank=FILE; may be repeated.  "
    "[default: 20 from the index]",
    "NAMES",
    multiple=True,
)
@list_option(_names)
@option("--learner", "Learner: ranking-svm, svm, linear, ordinal or lambdamart.", "NAME", default="ranking-svm")
@option(
    "--C C",
    "Inverse regularisation strength; may be repeated to choose the best by validation on training queries.  "
    "[default: 1]",
    "NUMBER",
    type=float,
    multiple=True,
)
@choice("--scaling", "Feature scaling among the candidates of a query.", ["minmax", "zscore", "none"])
@shared("--model", otherwise="BM25")
@shared("--depth", otherwise="100")
@shared("--folds", default=5)
@shared("--measure", "measures", multiple=True, otherwise="AP nDCG@10")
@shared("--rel", default=1)
@shared("--field", otherwise="title")
@shared("--topic-numbers", otherwise="given")
@qrels_format_option
@option("--save-features", "Write the feature rows in LETOR format.", "FILE")
@shared("--overwrite")
@shared("--level", default=0.95)
@shared("--seed", default=0)
@result_options
def command(
    sources: tuple[str, ...], data: str | None, C: tuple[float, ...], measures: tuple[str, ...], **choices: Any
) -> None:
    """Learn to re-rank the results of INDEX for TOPICS from their judgments QRELS, or learn from feature rows (--data).

    Scores are cross-validated: each fold of queries is ranked by a model learned from the other folds, and compared
    with the first stage (--model), whose top documents (--depth) are re-ranked, and with the best single feature. The
    model in --output is learned from all queries; use it with `germane retrieve --rerank`.
    """
    from germane.api.learning.learning_to_rank import learn

    if data is not None and sources:
        raise GermaneError(f"--data cannot be combined with {' '.join(sources)}", hint="remove --data or the arguments")
    if data is None and len(sources) != 3:
        problem = f"expected INDEX TOPICS QRELS, found {counted(len(sources), 'argument')}"
        raise GermaneError(problem, hint="pass all three, or use --data FILE")

    choices = {name: value for name, value in choices.items() if value not in (None, ())}
    choices |= {"C": C[0] if len(C) == 1 else C or None, **({"measures": measures} if measures else {})}
    with progress("folds") as advance:
        found = learn(*(sources if data is None else (data,)), progress=advance, **choices)
    print_result(found)
