"""Read topics: information needs with a title, a description and a narrative.

Supported: TREC topic files (``<top>`` with ``<num>``, ``<title>``, ``<desc>``, ``<narr>``, with or without closing
tags), newer TREC XML (``<topic number="1">``), topics in document format (``<DOC>`` with ``<DOCNO>``), TSV (id, title,
and up to two more columns), CSV with a header, JSON lines, and SMART files (``.I`` and a number, ``.W`` and the words).
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from germane.errors import InputError
from germane.formats.documents.records import SMART_START, CommaSeparated, SmartRecords
from germane.formats.documents.streams import decoded, known_encoding, recoded
from germane.formats.files.json_text import json_object
from germane.formats.files.part_folders import naming_parts
from germane.formats.files.sources import open_source, source_name
from germane.formats.rows.text import BOM

ID_NAMES = ("_id", "id", "qid", "query_id", "topic", "number", "num")
TITLE_NAMES = ("title", "text", "query")
DESCRIPTION_NAMES = ("description", "desc", "question")
NARRATIVE_NAMES = ("narrative", "narr", "background")


@dataclass(frozen=True)
class Topic:
    """A topic; missing parts are empty."""

    id: str
    title: str = ""
    description: str = ""
    narrative: str = ""


Unread = Callable[[str], None]
"""Called with the name of each field of topics that is not used."""


def read_topics(
    path: str | Path,
    *,
    numbers: Literal["given", "position"] = "given",
    encoding: str = "utf-8",
    unread: Unread | None = None,
) -> dict[str, Topic]:
    """Read the topics of a file, by id, in file order; `unread` is called with the fields that are not used.

    In some collections, such as Cranfield, qrels refer to topics by position in the file, regardless of their numbers:
    ``numbers="position"`` gives such ids.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".txt") as file:
    ...     _ = file.write(b"<top><num> Number: 301<title> Crime<desc> Description: Find gangs.<narr> Any.</top>")
    ...     file.flush()
    ...     read_topics(file.name)["301"]
    ...     list(read_topics(file.name, numbers="position"))
    Topic(id='301', title='Crime', description='Find gangs.', narrative='Any.')
    ['1']
    """
    source = source_name(path)
    with recoded(open_source(path), known_encoding(encoding), source) as stream:
        data = stream.read()
    with naming_parts(path):
        return topics_in(data, source, numbers=numbers, unread=unread)


def is_markup(data: bytes) -> bool:
    """Return whether data start like a topic file that is not a table: SMART, TREC, XML or JSON."""
    start = data.removeprefix(BOM).lstrip()
    return SMART_START.match(start) is not None or start[:1] in (b"<", b"{")


def topics_in(
    data: bytes, source: str, *, numbers: Literal["given", "position"] = "given", unread: Unread | None = None
) -> dict[str, Topic]:
    """Parse the topics in the bytes of a file."""
    mark = len(BOM) if data.startswith(BOM) else 0
    text = decoded(data[mark:], source, 1, mark)
    start = text.lstrip()[:1]
    reader: Callable[[str, str, dict[str, None]], Iterator[tuple[int, Topic]]] = (
        _smart if SMART_START.match(data[mark:].lstrip())
        else _tagged if start == "<"
        else _objects if start in ("{", "[")
        else _table if _is_csv(text, source)
        else _rows
    )  # fmt: skip
    topics: dict[str, Topic] = {}
    left_out: dict[str, None] = {}
    for position, (line_number, given) in enumerate(reader(text, source, left_out), start=1):
        topic = given if numbers == "given" else replace(given, id=str(position))
        if topic.id in topics:
            raise InputError(source, line_number, f"duplicate topic {topic.id!r}", hint=SAME_NUMBER)
        topics[topic.id] = topic
    if unread is not None:
        for name in left_out:
            unread(name)
    if not topics:
        hint = "use TREC topics, TSV, CSV, JSON lines or SMART"
        raise InputError(source, None, "expected topics, found none", hint=hint)
    return topics


FROM_LOG = "to sample and number topics from a query log, run `germane topics sample LOG -n 50 -o topics.tsv`"
SAME_NUMBER = "if qrels number topics by position, number the topics by position too"


COLUMNS = ("id", "title", "description", "narrative")
PARTS = (ID_NAMES, TITLE_NAMES, DESCRIPTION_NAMES, NARRATIVE_NAMES)


def _topic(fields: Mapping[str, object], left_out: dict[str, None]) -> Topic:
    """Build a topic from named fields, each part from its first name with a value; `left_out` collects the others."""
    used = [next((name for name in names if fields.get(name) not in (None, "")), None) for names in PARTS]
    left_out |= dict.fromkeys(name for name, value in fields.items() if value not in (None, "") and name not in used)
    return Topic(*("" if name is None else str(fields[name]).strip() for name in used))


def _smart(text: str, source: str, left_out: dict[str, None]) -> Iterator[tuple[int, Topic]]:
    for record in SmartRecords(source).records(io.BytesIO(text.encode())):
        title, words = (" ".join(record.fields.get(letter, "").split()) for letter in "TW")
        number = record.fields["I"]
        if not number:
            raise InputError(source, record.line, "expected a topic number after .I, found none")
        others = (letter for letter, value in record.fields.items() if letter not in "ITW" and value)
        left_out |= dict.fromkeys(f".{letter}" for letter in others)
        yield record.line, Topic(number, title, words) if title else Topic(number, words)


def _objects(text: str, source: str, left_out: dict[str, None]) -> Iterator[tuple[int, Topic]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        body = json_object(line, source, number)
        topic = _topic(body, left_out)
        if not topic.id:
            hint = f"write the id in one of the fields {', '.join(ID_NAMES)}"
            raise InputError(source, number, "expected a topic id, found none", hint=hint)
        yield number, topic


def _names(text: str) -> list[str]:
    """Return the names in the first line of a CSV file, in lower case."""
    first = text.lstrip().partition("\n")[0]
    return [name.strip().strip('"').lower() for name in first.split(",")]


def _is_csv(text: str, source: str) -> bool:
    """Return whether the extension is .csv, or the first line is a comma-separated header; False if it has tabs."""
    if not text.strip() or "\t" in text.lstrip().partition("\n")[0]:
        return False
    names = set(_names(text))
    return bool(names & set(ID_NAMES) and names & set(TITLE_NAMES)) or ".csv" in Path(source.lower()).suffixes


def _table(text: str, source: str, left_out: dict[str, None]) -> Iterator[tuple[int, Topic]]:
    names = _names(text)
    for what, known in (("id", ID_NAMES), ("title", TITLE_NAMES)):
        if not set(names) & set(known):
            usual = "add a CSV header such as id,title"
            hint = FROM_LOG if what == "id" and "query" in names else usual
            problem = f"expected a header with a column for the {what} ({', '.join(known)}), found {', '.join(names)}"
            raise InputError(source, 1, problem, hint=hint)
    for record in CommaSeparated(source, id_names=ID_NAMES).records(io.BytesIO(text.encode())):
        topic = _topic(record.fields, left_out)
        if not topic.id:
            raise InputError(
                source, record.line, "expected a topic id, found none", hint="fill in the id or remove the row"
            )
        yield record.line, topic


def _rows(text: str, source: str, left_out: dict[str, None]) -> Iterator[tuple[int, Topic]]:
    header: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        fields = [field.strip() for field in line.split("\t")]
        if number == 1 and fields[0].lower() in ID_NAMES:
            header = [name.lower() for name in fields]
            if not set(header) & set(TITLE_NAMES):
                problem = f"expected a title column ({', '.join(TITLE_NAMES)}), found {', '.join(header)}"
                raise InputError(source, 1, problem, hint="use the columns id, title, description and narrative")
            continue
        # A header may name only the first columns; the others have their usual roles.
        names = [*header, *COLUMNS[len(header) :]]
        if not 2 <= len(fields) <= len(names):
            found = f"found {len(fields)}: {line[:80]!r}"
            hint = FROM_LOG if len(fields) == 1 else None
            problem = f"expected 2 to {len(names)} tab-separated fields (id, title, …), {found}"
            raise InputError(source, number, problem, hint=hint)
        yield number, _topic(dict(zip(names, fields, strict=False)), left_out)


TOPIC = re.compile(
    r"<top>(?P<trec>.*?)</top>"
    r"|<topic\s+number=\"(?P<number>[^\"]*)\"[^>]*>(?P<xml>.*?)</topic>"
    r"|<doc>\s*<docno>(?P<docno>.*?)</docno>(?P<words>.*?)</doc>",
    re.DOTALL | re.IGNORECASE,
)
OPENING = re.compile(r"<top>|<topic\s+number=|<doc>", re.IGNORECASE)
FIELD = re.compile(r"<(\w+)>(.*?)(?=<\w+>|</|\Z)", re.S)
LABEL = re.compile(r"\s*(?:Number|Topic|Description|Narrative)\s*:", re.I)


def _tagged(text: str, source: str, left_out: dict[str, None]) -> Iterator[tuple[int, Topic]]:
    read_to = 0
    for found in TOPIC.finditer(text):
        _check_closed(text, read_to, found.start(), source)
        _check_closed(text, found.start() + 1, found.end(), source, opened_at=found.start())
        read_to = found.end()
        line = text.count("\n", 0, found.start()) + 1
        if found["words"] is not None:
            yield line, Topic(_plain(found["docno"]), _plain(found["words"]))
            continue
        body = FIELD.findall(found["trec"] if found["trec"] is not None else found["xml"])
        fields = {name.lower(): _plain(value) for name, value in body}

        number = html.unescape(found["number"] or "").strip() or fields.get("num", "")
        if not number:
            raise InputError(source, line, "expected <num> in the topic, found none")
        yield line, replace(_topic({**fields, "num": number}, left_out), id=number)
    _check_closed(text, read_to, len(text), source)


def _check_closed(text: str, start: int, end: int, source: str, *, opened_at: int | None = None) -> None:
    """Raise an error if a topic starts between these positions, since it or the one before is not closed."""
    if begun := OPENING.search(text, start, end):
        line = text.count("\n", 0, begun.start() if opened_at is None else opened_at) + 1
        hint = "close it with </top>, </topic> or </doc>, like its opening tag"
        raise InputError(source, line, "expected a closing tag for this topic, found none", hint=hint)


def _plain(value: str) -> str:
    """Return a field without the label that TREC puts first, with white space collapsed."""
    return " ".join(html.unescape(LABEL.sub("", value, count=1) if LABEL.match(value) else value).split())
