"""Topics for assessors: what somebody wanted to know, in a title, a description and a narrative.

What is understood: TREC's topic files (``<top>`` with ``<num>``, ``<title>``, ``<desc>``, ``<narr>``, with or without
closing tags), their newer XML (``<topic number="1">``), topics that look like documents (``<DOC>`` with ``<DOCNO>``),
TSV (id, title, and up to two columns more) and JSON lines.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from germane.errors import InputError
from germane.formats.sources import open_source
from germane.formats.text import BOM

ID_NAMES = ("_id", "id", "qid", "query_id", "topic", "number", "num")
TITLE_NAMES = ("title", "text", "query")
DESCRIPTION_NAMES = ("description", "desc", "question")
NARRATIVE_NAMES = ("narrative", "narr", "background")


@dataclass(frozen=True)
class Topic:
    """A topic; whatever part was not given is empty."""

    id: str
    title: str = ""
    description: str = ""
    narrative: str = ""


def read_topics(path: str | Path) -> dict[str, Topic]:
    """The topics of a file, by id, in the order of the file.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".txt") as file:
    ...     _ = file.write(b"<top><num> Number: 301<title> Crime<desc> Description: Find gangs.<narr> Any.</top>")
    ...     file.flush()
    ...     read_topics(file.name)["301"]
    Topic(id='301', title='Crime', description='Find gangs.', narrative='Any.')
    """
    with open_source(path) as stream:
        data = stream.read().removeprefix(BOM)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(path, line, "expected UTF-8, found bytes that are not") from None
    start = text.lstrip()[:1]
    reader = _tagged if start == "<" else _objects if start in ("{", "[") else _rows
    topics: dict[str, Topic] = {}
    for line_number, topic in reader(text, str(path)):
        if topic.id in topics:
            raise InputError(path, line_number, f"topic {topic.id!r} comes twice")
        topics[topic.id] = topic
    if not topics:
        hint = "TREC topics, TSV and JSON lines are understood"
        raise InputError(path, None, "expected topics, found none", hint=hint)
    return topics


def _objects(text: str, source: str) -> Iterator[tuple[int, Topic]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            body = json.loads(line)
        except ValueError as error:
            raise InputError(source, number, f"expected a JSON object, found {line[:80]!r} ({error})") from None
        if not isinstance(body, dict):
            raise InputError(source, number, f"expected a JSON object, found {line[:80]!r}")

        def first(names: tuple[str, ...], fields: dict[str, object] = body) -> str:
            return next((str(fields[name]) for name in names if fields.get(name) is not None), "")

        if not first(ID_NAMES):
            raise InputError(source, number, f"expected one of {', '.join(ID_NAMES)}, found {', '.join(body)}")
        yield number, Topic(first(ID_NAMES), first(TITLE_NAMES), first(DESCRIPTION_NAMES), first(NARRATIVE_NAMES))


def _rows(text: str, source: str) -> Iterator[tuple[int, Topic]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        fields = line.split("\t")
        if number == 1 and fields[0].lower() in ID_NAMES:
            continue
        if not 2 <= len(fields) <= 4:
            found = f"found {len(fields)}: {line[:80]!r}"
            raise InputError(source, number, f"expected 2 to 4 fields with tabs between (id, title, …), {found}")
        yield number, Topic(*(field.strip() for field in fields))


TOPIC = re.compile(
    r"<top>(?P<trec>.*?)</top>"
    r"|<topic\s+number=\"(?P<number>[^\"]*)\"[^>]*>(?P<xml>.*?)</topic>"
    r"|<doc>\s*<docno>(?P<docno>.*?)</docno>(?P<words>.*?)</doc>",
    re.DOTALL | re.IGNORECASE,
)
FIELD = re.compile(r"<(\w+)>(.*?)(?=<\w+>|</|\Z)", re.S)
LABEL = re.compile(r"\s*(?:Number|Topic|Description|Narrative)\s*:", re.I)


def _tagged(text: str, source: str) -> Iterator[tuple[int, Topic]]:
    for found in TOPIC.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if found["words"] is not None:
            yield line, Topic(_plain(found["docno"]), _plain(found["words"]))
            continue
        body = found["trec"] if found["trec"] is not None else found["xml"]
        fields = {name.lower(): _plain(value) for name, value in FIELD.findall(body)}

        def first(names: tuple[str, ...], known: dict[str, str] = fields) -> str:
            return next((known[name] for name in names if name in known), "")

        number = html.unescape(found["number"] or "").strip() or fields.get("num", "")
        if not number:
            raise InputError(source, line, "expected a topic with its <num>, found one without")
        yield line, Topic(number, first(TITLE_NAMES), first(DESCRIPTION_NAMES), first(NARRATIVE_NAMES))


def _plain(value: str) -> str:
    """A field without the label that TREC puts first, and with single spaces for ends of lines."""
    return " ".join(html.unescape(LABEL.sub("", value, count=1) if LABEL.match(value) else value).split())
