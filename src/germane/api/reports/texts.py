"""Texts for a report on runs: query texts, whole documents or pictures, and the words of the query in them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Literal

from germane.errors import GermaneError
from germane.formats.documents.folders import files_inside
from germane.formats.documents.parts import PART_SEPARATOR
from germane.formats.documents.reading import read_documents
from germane.formats.truth.topics_file import Topic, read_topics
from germane.retrieval.indexes.index import Index
from germane.retrieval.indexes.manifest import MANIFEST
from germane.retrieval.texts.analysis import Analyser
from germane.tables.notes.note import Note

DOCUMENT_CHARACTERS = 20_000
"""Maximum number of characters kept of a document; longer ones end with an ellipsis."""

REPORT_CHARACTERS = 8_000_000
"""Maximum number of characters of all documents in a report, about 4 MB of its file. The top ranks come first."""

EXCERPT_CHARACTERS = 100
"""Characters kept of a document beyond that: enough to see what it is about."""

PICTURE_TYPES = {".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".gif": "gif", ".webp": "webp", ".svg": "svg+xml"}
"""Types of pictures by file extension."""

PICTURE_BYTES = 500_000
"""Maximum size of a picture in a report; larger ones are omitted."""

PICTURE = "data:image/"
"""How a document that is a picture begins."""

EXAMPLES = 3

Questions = str | Path | Mapping[str, str | Topic]
Documents = str | Path | Index | Mapping[str, str]


@dataclass(frozen=True)
class Texts:
    """Topics by query and texts by document (None: none were given), and notes on those without a text.

    `words` has, by query, its words as they are written in the documents: inflected, and without stop words.
    """

    questions: Mapping[str, Topic] | None = None
    documents: Mapping[str, str] | None = None
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


def read_questions(
    source: Questions | None, numbers: Literal["given", "position"] = "given"
) -> Mapping[str, Topic] | None:
    """Return topics by query id, from a file of topics or from a dict; each has a title, if it has any text at all.

    >>> read_questions({"q1": "Which wine suits fish?"})
    {'q1': Topic(id='q1', title='Which wine suits fish?', description='', narrative='')}
    """
    if isinstance(source, str | Path):
        found = read_topics(source, numbers=numbers)
    elif numbers == "position":
        hint = "pass a topics file as query_texts"
        raise GermaneError("topic_numbers='position' requires a file of query texts", hint=hint)
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
    """Return the texts of these queries, and of the documents that are shown for each, the top ranks first."""
    notes = []
    if questions is not None:
        questions = _of_queries(questions, queries)
        notes += _missing(
            "no-query-text", "queries have no text; check that query ids match the topics", queries, questions
        )
    texts, words = None, {}
    if documents is not None:
        ids = [doc for same_place in zip_longest(*shown) for doc in same_place if doc is not None]
        ids = list(dict.fromkeys(ids))
        documents = _opened(documents)
        texts = within_budget(_document_texts(documents, ids), ids)
        words = _words_of(questions or {}, texts, documents.analyser if isinstance(documents, Index) else None)
        notes += _missing(
            "no-document-text", "documents shown have no text; check that document ids match the collection", ids, texts
        )
    return Texts(questions, texts, words, tuple(notes))


def document_text(doc: str, text: str) -> str:
    """Return the text of a document without empty lines and without its id at the beginning, or the picture that it is.

    >>> document_text("textwrap.dedent", "textwrap.dedent\\n\\nRemove any common leading\\n whitespace.")
    'Remove any common leading\\nwhitespace.'
    """
    if text.startswith(PICTURE):
        return text
    lines = (line.strip() for line in text.replace(PART_SEPARATOR, "\n").splitlines())
    plain = "\n".join(line for line in lines if line)
    start, _, rest = plain.partition("\n") if plain.partition("\n")[0] == doc else plain.partition(" ")
    return cut(rest if start == doc else plain, DOCUMENT_CHARACTERS)


def within_budget(texts: Mapping[str, str], ids: Sequence[str], budget: int = REPORT_CHARACTERS) -> dict[str, str]:
    """Return whole texts in the order of the ids until the budget is spent, then beginnings; pictures are not cut.

    >>> within_budget({"b": "x" * 200, "a": "short"}, ["a", "b"], budget=100)["b"] == "x" * 99 + "…"
    True
    """
    found = {}
    for doc in ids:
        if doc not in texts:
            continue
        text = texts[doc]
        if len(text) > budget:
            if text.startswith(PICTURE):
                continue
            text = cut(text, EXCERPT_CHARACTERS)
        budget -= len(text)
        found[doc] = text
    return found


def cut(text: str, limit: int) -> str:
    """Return a text, or its beginning with an ellipsis."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _words_of(
    questions: Mapping[str, Topic], texts: Mapping[str, str], analyser: Analyser | None
) -> dict[str, list[str]]:
    analyser = analyser or Analyser.parse("english" if find_spec("Stemmer") else "words+fold+accents+stop(lucene)")
    by_term: dict[str, set[str]] = {}
    for text in texts.values() if questions else ():
        for start, end, term in () if text.startswith(PICTURE) else analyser.spans(text):
            if term is not None:
                by_term.setdefault(term, set()).add(text[start:end].lower())
    asked = {query: set(analyser.terms(topic.title)) for query, topic in questions.items()}
    found = {query: sorted(set().union(*(by_term.get(term, ()) for term in terms))) for query, terms in asked.items()}
    return {query: words for query, words in found.items() if words}


def _titled(topic: Topic) -> Topic:
    return topic if topic.title else replace(topic, title=topic.description, description="")


def _of_queries(questions: Mapping[str, Topic], queries: Sequence[str]) -> Mapping[str, Topic]:
    found = {query: questions[query] for query in queries if query in questions and questions[query].title}
    if not found:
        theirs, ours = (", ".join(list(ids)[:EXAMPLES]) for ids in (questions, queries))
        problem = f"query texts and qrels share no id: query texts have {theirs}, qrels have {ours}"
        hint = "if qrels number topics by position, use `topic_numbers='position'`"
        raise GermaneError(problem, hint=hint)
    return found


def _document_texts(documents: Index | Path | Mapping[str, str], ids: Sequence[str]) -> Mapping[str, str]:
    found = {doc: text for doc, given in _found(documents, ids) if (text := document_text(doc, given))}
    if ids and not found:
        hint = "check that document ids match, and that an index was built with texts"
        raise GermaneError(f"no text found for the documents shown: {', '.join(ids[:EXAMPLES])}", hint=hint)
    return found


def _opened(documents: Documents) -> Index | Path | Mapping[str, str]:
    if isinstance(documents, str | Path):
        return Index.open(documents) if Path(documents, MANIFEST).is_file() else Path(documents)
    return documents


def _found(documents: Index | Path | Mapping[str, str], ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Those of the documents that there are, each with its text."""
    if isinstance(documents, Index):
        for number in documents.doc_numbers(ids).tolist():
            if number >= 0:
                stored = documents.stored(number)
                yield stored.id, stored.text or stored.title
    elif isinstance(documents, Mapping):
        yield from ((doc, documents[doc]) for doc in ids if doc in documents)
    elif pictures := _pictures(documents, set(ids)):
        for doc, path in pictures.items():
            yield doc, f"{PICTURE}{PICTURE_TYPES[path.suffix.lower()]};base64,{b64encode(path.read_bytes()).decode()}"
    else:
        wanted = set(ids)
        yield from ((each.id, each.text or each.title) for each in read_documents(documents) if each.id in wanted)


def _pictures(folder: Path, ids: Collection[str]) -> dict[str, Path]:
    """The pictures in a folder that are named like a document, with or without their file extension."""
    found = {}
    for path in files_inside(folder) if folder.is_dir() else ():
        name = path.relative_to(folder).as_posix()
        doc = next((each for each in (name, path.stem, path.name) if each in ids), None)
        if doc is not None and path.suffix.lower() in PICTURE_TYPES and path.stat().st_size <= PICTURE_BYTES:
            found[doc] = path
    return found


def _missing(code: str, what: str, ids: Sequence[str], found: Mapping[str, object]) -> list[Note]:
    without = [each for each in ids if each not in found]
    amount = f"{len(without):,} of {len(ids):,}"
    return [Note(code, amount, what, count=len(without), examples=tuple(without[:EXAMPLES]))] if without else []
