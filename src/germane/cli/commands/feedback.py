"""`germane feedback`: evaluate relevance feedback without counting documents already seen."""

from __future__ import annotations

from typing import Any

from germane.cli.options.printing import print_result, result_options
from germane.cli.options.vocabulary import arguments, choice, list_option, qrels_format_option, shared
from germane.cli.shell.command_class import make_command
from germane.output.rendering.progress import progress
from germane.output.texts.pages import pages


def _methods(width: int | None) -> str:
    from germane.retrieval.feedback import FEEDBACK

    return pages(FEEDBACK, width)


@make_command(
    "feedback",
    "germane feedback library topics.tsv judged.txt --method rocchio --method rm3",
    "germane feedback library topics.tsv judged.txt --judged 2 --rounds 2",
)
@arguments("index", "topics", "qrels")
@shared("--model", default="BM25")
@shared("--method", "methods", multiple=True, otherwise="rocchio")
@list_option(_methods)
@shared("--judged", default=10)
@shared("--rounds", default=1)
@choice(
    "--protocol",
    "How to treat judged documents: remove them, keep their ranks, keep ranks down to the last relevant one, or "
    "judge in one half of the collection and evaluate on the other.",
    ["residual", "frozen", "modified", "control"],
)
@shared("--measure", "measures", multiple=True, otherwise="AP nDCG@10")
@shared("--rel", default=1)
@shared("--no-relevant", default="skip")
@shared("--top", "k", default=1000)
@shared("--topic-numbers", default="given")
@qrels_format_option
@shared("--show", "hurt", otherwise="5; all in CSV, TSV and JSON")
@shared("--seed", default=0)
@result_options
def command(methods: tuple[str, ...], measures: tuple[str, ...], hurt: int | None, **choices: Any) -> None:
    """Simulate an assessor who judges the top documents for TOPICS as in QRELS; compare rankings before and after.

    Each method's gain is reported with its interval, its p-value adjusted for all methods, rounds and measures, and the
    queries it hurts. Scores on the full list, which count documents already seen, are reported too. With --judged 0,
    nothing is judged and the top documents are treated as relevant.
    """
    from germane.api.retrieval.feedback import DEFAULT_MEASURES, evaluate_feedback

    choices |= {"feedback": methods or ("rocchio",), "measures": measures or DEFAULT_MEASURES}
    with progress("methods") as advance:
        found = evaluate_feedback(progress=advance, **choices)
    print_result(found, hurt=hurt)
