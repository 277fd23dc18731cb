"""What a reader of a report may want in words: the questions behind the ids of queries, the beginnings of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from germane.errors import GermaneError
from germane.formats.documents.parts import PART_SEPARATOR
from germane.formats.documents.reading import read_documents
from germane.formats.truth.topics_file import Topic, read_topics
from germane.retrieval.indexes.index import Index
from germane.retrieval.indexes.manifest import MANIFEST
from germane.tables.notes.note import Note

EXCERPT_CHARACTERS = 100
"""Of a document this much is shown: enough to see what it is about, and a page stays small."""

EXAMPLES = 3

Questions = str | Path | Mapping[str, str | Topic]
Documents = str | Path | Index | Mapping[str, str]


@dataclass(frozen=True)
class Texts:
    """Questions by query and excerpts by document (None: nobody gave any), and notes on what has none."""

    questions: Mapping[str, Topic] | None = None
    documents: Mapping[str, str] | None = None
    notes: tuple[Note, ...] = ()


def read_questions(
    source: Questions | None, numbers: Literal["given", "position"] = "given"
) -> Mapping[str, Topic] | None:
    """Questions by id, from a file of topics or from a dict; each has a title, if it has any text at all.

    >>> read_questions({"q1": "Which wine goes with fish?"})
    {'q1': Topic(id='q1', title='Which wine goes with fish?', description='', narrative='')}
    """
    if isinstance(source, str | Path):
        found = read_topics(source, numbers=numbers)
    elif numbers == "position":
        hint = "name it, or leave this out"
        raise GermaneError("questions have positions in a file, and no file of questions was given", hint=hint)
    elif source is None:
        return None
    else:
        found = {query: Topic(query, text) if isinstance(text, str) else text for query, text in source.items()}
    return {query: _titled(topic) for query, topic in found.items()}


def texts_for(
    queries: Sequence[str],
    shown: Iterable[Iterable[str]],
    questions: Mapping[str, Topic] | None = None,
    documents: Documents | None = None,
) -> Texts:
    """The texts of these queries, and of the documents that are shown for them."""
    notes = []
    if questions is not None:
        questions = _of_queries(questions, queries)
        notes += _missing("no-query-text", "queries have no question in what was given", queries, questions)
    excerpts = None
    if documents is not None:
        ids = list(dict.fromkeys(doc for of_query in shown for doc in of_query))
        excerpts = _excerpts(documents, ids)
        notes += _missing("no-document-text", "documents shown have no text in what was given", ids, excerpts)
    return Texts(questions, excerpts, tuple(notes))


def excerpt(doc: str, text: str) -> str:
    """The beginning of a document in one line; its id, if it begins with that, is known already.

    >>> excerpt("textwrap.dedent", "textwrap.dedent\\n\\nRemove any common leading\\nwhitespace.")
    'Remove any common leading whitespace.'
    """
    words = text[: 20 * EXCERPT_CHARACTERS].replace(PART_SEPARATOR, " ").split()
    line = " ".join(words[1:] if words[:1] == [doc] else words)
    return line if len(line) <= EXCERPT_CHARACTERS else f"{line[: EXCERPT_CHARACTERS - 1]}…"


def _titled(topic: Topic) -> Topic:
    return topic if topic.title else replace(topic, title=topic.description, description="")


def _of_queries(questions: Mapping[str, Topic], queries: Sequence[str]) -> Mapping[str, Topic]:
    found = {query: questions[query] for query in queries if query in questions and questions[query].title}
    if not found:
        theirs, ours = (", ".join(list(ids)[:EXAMPLES]) for ids in (questions, queries))
        problem = f"no question belongs to a query that is judged: questions {theirs}, judgments {ours}"
        hint = "where judgments count the questions' positions in their file: `topic_numbers='position'`"
        raise GermaneError(problem, hint=hint)
    return found


def _excerpts(documents: Documents, ids: Sequence[str]) -> Mapping[str, str]:
    found = {doc: said for doc, text in _found(documents, ids) if (said := excerpt(doc, text))}
    if ids and not found:
        hint = "are their ids written alike? an index has texts unless it was told not to keep them"
        raise GermaneError(f"none of the documents that are shown has a text: {', '.join(ids[:EXAMPLES])}", hint=hint)
    return found


def _found(documents: Documents, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Those of the documents that there are, each with its text."""
    if isinstance(documents, str | Path) and Path(documents, MANIFEST).is_file():
        documents = Index.open(documents)
    if isinstance(documents, Index):
        for number in documents.doc_numbers(ids).tolist():
            if number >= 0:
                stored = documents.stored(number)
                yield stored.id, stored.text or stored.title
    elif isinstance(documents, Mapping):
        yield from ((doc, documents[doc]) for doc in ids if doc in documents)
    else:
        wanted = set(ids)
        yield from ((each.id, each.text or each.title) for each in read_documents(documents) if each.id in wanted)


def _missing(code: str, what: str, ids: Sequence[str], found: Mapping[str, object]) -> list[Note]:
    without = [each for each in ids if each not in found]
    amount = f"{len(without):,} of {len(ids):,}"
    return [Note(code, amount, what, count=len(without), examples=tuple(without[:EXAMPLES]))] if without else []
