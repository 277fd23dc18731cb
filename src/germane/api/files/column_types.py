"""What a table is, by the names of its columns and, where these do not decide, by how long its texts are."""

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
"""What something is and why it is thought so; of labelled items also whether there are scores."""

TOPIC_NAMES = {"qid", "query_id", "q_id", "topic", "topic_id", "query", "question", "narrative"}
DOCUMENT_NAMES = {"doc_id", "docid", "docno", "body", "contents", "content", "url", "corpus_id", "abstract", "author"}
ID_NAMES = {"id", "_id", "number", "num"}
TEXT_NAMES = {"text", "title", "description"}
NAMED_TOPICS = ("topic", "quer", "question", "qry")
NAMED_DOCUMENTS = ("doc", "corpus", "collection", "passage")
NAMED_LOG = re.compile(r"(?<![a-z])(?:log|quer)|log(?![a-z])")
LONG_TEXT = 120
"""Characters: what people ask is shorter as a rule, what they look for is longer."""
MANY_ROWS = 50
"""More systems than a leaderboard has, as a rule; of items there are more."""


def kind_of_columns(names: Sequence[str], what: str, file: str = "", lines: Sequence[str] = ()) -> Found | None:
    """What a table with these columns is, and why; None where the names say nothing.

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
    """The same of text with commas or tabs between fields, with a header or, as topics often are, without one."""
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
        return _texts("an id, a tab and a text to a line", file, [row[1] for row in rows])
    return None


def kind_of_log(lines: Sequence[str], file: str) -> Found | None:
    """A query log: a query and how often it was asked, or nothing but queries.

    >>> kind_of_log(["red wine\\t57", "roses\\t3"], "a.tsv")
    ('log', 'a query, a tab and a whole number to a line: how often it was asked')
    """
    if len(lines) < 2:
        return None
    named = NAMED_LOG.search(file.lower()) is not None
    rows = [line.split("\t") for line in lines]
    if all(len(row) == 2 and row[1].strip().isdecimal() and not is_number(row[0]) for row in rows):
        # A leaderboard may have whole numbers too, and names without a space.
        if named or any(" " in row[0].strip() for row in rows):
            return "log", "a query, a tab and a whole number to a line: how often it was asked"
        return None
    # Queries have digits now and then, ids and scores have them everywhere.
    with_digits = sum(any(character.isdigit() for character in line) for line in lines)
    only_words = not any(len(row) > 1 for row in rows) and 2 * with_digits < len(lines)
    if named and only_words and median(map(len, lines)) <= LONG_TEXT:
        return "log", f"short lines without tabs; and it is called {file}"
    pairs = [line.split() for line in lines]
    # In a pool, ids have digits or dashes, and a topic has several documents.
    plain_words = all(len(pair) == 2 and pair[0].isalpha() and pair[1].isalpha() for pair in pairs)
    if plain_words and 2 * len({first for first, _ in pairs}) > len(pairs):
        return "log", "two words to a line, and no ids"
    return None


def header_names(lines: Sequence[str]) -> list[str]:
    """The names in a first line that can be a header: with tabs or commas, and no number among them; else none.

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
    """Columns that may be labels (two values, no more) and such that may be scores (fractions), if there are many rows.

    A table by system has few rows, and seldom a column with two values. None of either where one of them is missing.

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
    """Numbers, and not whole ones throughout, which may be ids or counts; some may be missing."""
    there = [value for value in values if value]
    return all(map(is_number, there)) and not all(float(value).is_integer() for value in there)


def named_as(file: str) -> Thing | None:
    """What a file's name says, where its content could be either.

    >>> named_as("cran.qry"), named_as("corpus.jsonl"), named_as("a.txt")
    ('topics', 'documents', None)
    """
    named: dict[Thing, tuple[str, ...]] = {"topics": NAMED_TOPICS, "documents": NAMED_DOCUMENTS}
    return next((thing for thing, words in named.items() if any(word in file.lower() for word in words)), None)


def _texts(why: str, file: str, lines: Sequence[str]) -> Found:
    """Topics or documents: both have an id and a text; a name decides, or else the length."""
    thing = named_as(file)
    if thing is not None:
        return thing, f"{why}; and it is called {file}"
    length = median(map(len, lines)) if lines else 0
    if length > LONG_TEXT:
        return "documents", f"{why}; {length:.0f} characters a line are long for a question"
    return "topics", f"{why}; short as questions are"
