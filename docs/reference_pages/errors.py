"""``docs/reference/errors.md``: every error message, found in the source, by what one was doing."""

from __future__ import annotations

import re
from functools import cache

from docs.reference_pages.error_places import ErrorPlaces, Message, Place
from docs.reference_pages.markdown import GENERATED, ROOT
from docs.reference_pages.source_tree import SourceTree
from docs.reference_pages.words import OPEN

INTRO = f"""\
Every message that germane's own errors have, by what one was doing. To find one, search this page for some of its
words; `{OPEN}` stands for what varies: a name, a number, what was found. A message on a file begins with the file
and, where there is one, the line: `bm25.run:128: expected 6 fields …`. For a name that is nearly right it ends with
`; did you mean …?`. The next line is the hint, if there is one. The command line prints both and ends with status 2.

In Python all of these are a `germane.GermaneError`; the class in brackets says which kind. `InputError` has `source`,
`line` and `problem`, all have `message` and `hint`. See [Python](python.md#errors).
"""

GROUPS: dict[str, tuple[str, ...]] = {
    "On the command line": ("cli", "trec_eval"),
    "Arguments of functions": ("arguments",),
    "Reading documents and topics": ("formats.document", "formats.topics_file", "formats.query_log"),
    "Reading labels, predictions and confusion matrices": ("formats.labelled", "formats.confusion", "formats.array"),
    "Reading judgments of people, and pools": ("formats.judgments", "formats.pool"),
    "Reading vectors and features": ("formats.vector", "formats.letor"),
    "Reading and writing runs, qrels and other files": ("formats",),
    "What tables hold": ("tables",),
    "Measures of decisions": ("measures.deciding",),
    "Measures of agreement": ("measures.agreement",),
    "Measures of rankings": ("measures",),
    "Statistics: tests, intervals, correlations": ("stats",),
    "Evaluating on Spark": ("distributed", "api.judging_on_spark", "api.classifying_on_spark"),
    "Comparing": ("api.compar", "api.family", "api.changes"),
    "Classifying and choosing thresholds": (
        "api.classif",
        "api.threshold",
        "api.assessing",
        "api.positive",
        "api.explaining_decisions",
    ),
    "Evaluating vectors": ("vectors", "api.vector", "api.nearest", "api.approximation"),
    "Choosing what to judge, judging, agreeing, releasing": (
        "judging",
        "web",
        "api.pooling",
        "api.simulating_pools",
        "api.agree",
        "api.releasing",
    ),
    "Learning: tuning, learning to rank, agents": ("learning", "api.learning", "api.tuning", "api.agent"),
    "Indexing, searching, feedback, fusion": (
        "retrieval",
        "api.indexing",
        "api.retrieving",
        "api.feedback",
        "api.fusing",
        "api.past_queries",
    ),
    "Reports and figures": ("report", "api.reporting"),
    "Evaluating runs": ("api",),
    "Examples, exercises and demonstrations": ("demo", "exercises"),
    "Kernels": ("kernels", "errors"),
}
"""By what one was doing, the beginnings of the names of the modules; the first that fits is taken."""


def errors_page() -> str:
    """All messages by group and, within it, by their words."""
    parts = ["# Errors\n\n", GENERATED, INTRO]
    for heading, entries in entries_by_group().items():
        parts.append(f"\n## {heading}\n\n")
        parts += [_entry(entry, hints) for entry, hints in entries]
    return "".join(parts)


@cache
def germane_source() -> SourceTree:
    """The source of germane, read once."""
    return SourceTree(ROOT / "src" / "germane")


@cache
def error_places() -> list[Place]:
    """Every place in germane that makes an error."""
    return ErrorPlaces(germane_source()).places


def entries_by_group() -> dict[str, list[tuple[Message, list[str]]]]:
    """Each message once, in the group of the first module that says it, with all of its hints."""
    hints: dict[tuple[str, str], list[str]] = {}
    groups: dict[str, dict[tuple[str, str], Message]] = {heading: {} for heading in GROUPS}
    for place in error_places():
        for message in place.messages:
            key = (message.shown, message.kind)
            if key not in hints:
                groups[group_of(place.module)][key] = message
            hints.setdefault(key, [])
            if message.hint and message.hint not in hints[key]:
                hints[key].append(message.hint)
    return {
        heading: [(message, hints[key]) for key, message in sorted(found.items(), key=lambda each: _by_words(each[1]))]
        for heading, found in groups.items()
        if found
    }


def group_of(module: str) -> str:
    """The heading under which the errors of a module are listed.

    >>> group_of("germane.formats.document_sgml"), group_of("germane.formats.slices")
    ('Reading documents and topics', 'Reading and writing runs, qrels and other files')
    """
    inside = module.removeprefix("germane.")
    found = [heading for heading, starts in GROUPS.items() if inside.startswith(starts)]
    if not found:
        raise ValueError(f"no group of errors is that of {module}: add it to docs/reference_pages/errors.py")
    return found[0]


def _by_words(message: Message) -> tuple[str, str]:
    return message.words.casefold(), message.text


def _entry(message: Message, hints: list[str]) -> str:
    lines = [f"- {_code(message.shown)} ({message.kind})\n"]
    lines += [f"  - Hint: {_code(hint)}\n" for hint in hints]
    return "".join(lines)


def _code(text: str) -> str:
    """As code in Markdown, whatever backticks are in it."""
    text = re.sub(r"\s+", " ", text).strip()
    fence = "``" if "`" in text else "`"
    space = " " if fence == "``" else ""
    return f"{fence}{space}{text}{space}{fence}"
