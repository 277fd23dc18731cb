"""Recognition of tables by the names of their columns and, where these do not decide, by the length of texts."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from statistics import median
from typing import Literal

from germane.errors import GermaneError
from germane.formats.decisions.labelled_columns import Asked, choose_columns, is_number
from germane.formats.rankings.leaderboard import NAME_COLUMNS
from germane.formats.rows.column_names import guess_kind, has_names, plain_name
from germane.formats.truth.judgments_file import NAMES
from germane.formats.truth.query_log import COUNT_COLUMNS, QUERY_COLUMN

Thing = Literal[
    "qrels", "run", "runs", "topics", "documents", "pool", "judgments", "project", "index", "items", "matrix",
    "vectors", "model", "agent", "leaderboard", "scores", "features", "release", "log",
]  # fmt: skip
Found = tuple[Thing, str] | tuple[Thing, str, bool]
"""The kind of a file and the reason; for labelled items also whether there are scores."""

TOPIC_NAMES = {"qid", "query_id", "q_id", "topic", "topic_id", "query", "question", "narrative"}
DOCUMENT_NAMES = {"doc_id", "docid", "docno", "body", "contents", "content", "url", "corpus_id", "abstract", "author"}
ID_NAMES = {"id", "_id", "number", "num"}
TEXT_NAMES = {"text", "title", "description"}
NAMED_TOPICS = ("topic", "quer", "question", "qry")
NAMED_DOCUMENTS = ("doc", "corpus", "collection", "passage")
NAMED_LOG = re.compile(r"(?<![a-z])(?:log|quer)|log(?![a-z])")
LONG_TEXT = 120
"""Characters per text: queries are usually shorter, documents longer."""
MANY_ROWS = 50
"""Minimum rows of labelled items without known column names; leaderboards usually have fewer."""


def kind_of_columns(names: Sequence[str], what: str, file: str = "", lines: Sequence[str] = ()) -> Found | None:
    """Return the kind of a table with these columns and the reason; None where the names do not decide.

    >>> kind_of_columns(["id", "label", "score"], "CSV with the columns")
    ('items', 'CSV with the columns id, label, score', True)
    >>> kind_of_columns(["qid", "docno", "rank", "score"], "CSV with the columns")[0]
    'run'
    """
    plainly = {plain_name(name) for name in names}
    if QUERY_COLUMN in plainly and plainly & set(COUNT_COLUMNS) and not plainly & (ID_NAMES | TOPIC_NAMES - {"query"}):
        return "log", f"{what} {', '.join(names[:8])}"
    why = f"{what} {', '.join(names[:8])}{', …' if len(names) > 8 else ''}"
    if has_names(names):
        if plainly & {plain_name(name) for name in NAMES["assessor"]}:
            return "judgments", why
        return guess_kind(names), why
    try:
        chosen = choose_columns(list(names), Asked(), file or "table")
    except GermaneError:
        chosen = None
    if chosen is not None:
        return "items", why, bool(chosen.score)
    if plainly & TOPIC_NAMES and plainly & (TEXT_NAMES | TOPIC_NAMES):
        return "topics", why
    if plainly & DOCUMENT_NAMES:
        return "documents", why
    if plainly & ID_NAMES and plainly & TEXT_NAMES:
        return _texts(why, file, lines)
    return None


def kind_of_header(lines: Sequence[str], file: str) -> Found | None:
    """Return the kind of comma- or tab-separated text, with a header or, as topics often are, without one."""
    if not lines:
        return None
    for delimiter, called in (("\t", "tabs"), (",", "commas")):
        if delimiter not in lines[0]:
            continue
        names = next(csv.reader([lines[0]], delimiter=delimiter))
        if all(names) and not any(map(is_number, names)):
            found = kind_of_columns(names, f"a header with {called}:", file, lines[1:])
            if found is not None:
                return found
            if plain_name(names[0]) in NAME_COLUMNS and len(lines) > 1:
                return "leaderboard", f"a header with {called}: {', '.join(names[:8])}"
    rows = [line.split("\t") for line in lines]
    if all(2 <= len(row) <= 4 for row in rows) and not any(is_number(row[1]) for row in rows):
        return _texts("an id, a tab and a text per line", file, [row[1] for row in rows])
    return None


def kind_of_log(lines: Sequence[str], file: str) -> Found | None:
    """Recognise a query log: queries with their frequency, or only queries.

    >>> kind_of_log(["red wine\\t57", "roses\\t3"], "a.tsv")
    ('log', 'a query, a tab and its frequency per line')
    """
    if len(lines) < 2:
        return None
    named = NAMED_LOG.search(file.lower()) is not None
    rows = [line.split("\t") for line in lines]
    if all(len(row) == 2 and row[1].strip().isdecimal() and not is_number(row[0]) for row in rows):
        # A leaderboard may have integers too, and names without a space.
        if named or any(" " in row[0].strip() for row in rows):
            return "log", "a query, a tab and its frequency per line"
        return None
    # Queries rarely have digits, ids and scores always do.
    with_digits = sum(any(character.isdigit() for character in line) for line in lines)
    only_words = not any(len(row) > 1 for row in rows) and 2 * with_digits < len(lines)
    if named and only_words and median(map(len, lines)) <= LONG_TEXT:
        return "log", f"short lines without tabs; named {file}"
    pairs = [line.split() for line in lines]
    # In a pool, ids have digits or dashes, and a topic has several documents.
    plain_words = all(len(pair) == 2 and pair[0].isalpha() and pair[1].isalpha() for pair in pairs)
    if plain_words and 2 * len({first for first, _ in pairs}) > len(pairs):
        return "log", "two words per line, no ids"
    return None


def header_names(lines: Sequence[str]) -> list[str]:
    """Return the column names of a possible header: with tabs or commas, and without numbers; else none.

    >>> header_names(["day,fraud,new"]), header_names(["1,0,0.3"]), header_names(["a text"])
    (['day', 'fraud', 'new'], [], [])
    """
    for delimiter in ("\t", ","):
        if lines and delimiter in lines[0]:
            names = next(csv.reader([lines[0]], delimiter=delimiter))
            if all(map(str.isidentifier, map(plain_name, names))) and len(set(names)) == len(names):
                return names
    return []


def labels_and_scores(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return columns that may be labels (two values) and columns that may be scores (fractions), given many rows.

    A table by system has few rows, and seldom a column with two values. Without one of the two kinds, both are empty.

    >>> rows = [f"{item},{item % 2},{item / 60}" for item in range(60)]
    >>> labels_and_scores(["id,churned,model", *rows]), labels_and_scores(["id,churned,model", *rows[:9]])
    ((['churned'], ['model']), ([], []))
    """
    names = header_names(lines[:1])
    rows = list(csv.reader(lines[1:], delimiter="\t" if "\t" in lines[0] else ",")) if names else []
    if len(rows) < MANY_ROWS or any(len(row) != len(names) for row in rows):
        return [], []
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    labels = [name for name, values in columns.items() if len(set(values)) == 2 and "" not in values]
    scores = [name for name, values in columns.items() if name not in labels and _fractions(values)]
    return (labels, scores) if labels and scores else ([], [])


def _fractions(values: Sequence[str]) -> bool:
    """Whether these are numbers, not all integers (which may be ids or counts); some may be missing."""
    there = [value for value in values if value]
    return all(map(is_number, there)) and not all(float(value).is_integer() for value in there)


def named_as(file: str) -> Thing | None:
    """Return the kind that a file's name suggests, where its content could be either.

    >>> named_as("cran.qry"), named_as("corpus.jsonl"), named_as("a.txt")
    ('topics', 'documents', None)
    """
    named: dict[Thing, tuple[str, ...]] = {"topics": NAMED_TOPICS, "documents": NAMED_DOCUMENTS}
    return next((thing for thing, words in named.items() if any(word in file.lower() for word in words)), None)


def _texts(why: str, file: str, lines: Sequence[str]) -> Found:
    """Decide between topics and documents, which both have an id and a text, by name or else by length."""
    thing = named_as(file)
    if thing is not None:
        return thing, f"{why}; named {file}"
    length = median(map(len, lines)) if lines else 0
    if length > LONG_TEXT:
        return "documents", f"{why}; {length:.0f} characters per line are long for a query"
    return "topics", f"{why}; texts are as short as queries"
