"""Turn topics into query texts."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from germane.errors import GermaneError, did_you_mean
from germane.formats.files.sources import STDIN, source_name
from germane.formats.truth.topics_file import Topic, Unread, read_topics
from germane.tables.rankings.qrels import Qrels

PARTS = ("title", "description", "narrative")
Numbers = Literal["given", "position"]
TopicsLike = str | Path | Mapping[str, str | Topic]
"""Topics: a file, or texts by id."""


def queries_of(
    topics: TopicsLike, field: str = "title", numbers: Numbers = "given", unread: Unread | None = None
) -> dict[str, str]:
    """Return the query text of each topic: one of its fields, or several joined by ``+``; `unread` gets unused fields.

    >>> queries_of({"1": Topic("1", "Wine", "Find wines."), "2": "roses"}, "title+description")
    {'1': 'Wine Find wines.', '2': 'roses'}
    """
    parts = [part.strip() for part in field.split("+")]
    for part in parts:
        if part not in PARTS:
            hint = f"choose from {', '.join(PARTS)}; join several with +"
            raise GermaneError(f"unknown topic field {part!r}{did_you_mean(part, PARTS)}", hint=hint)
    given = topics if isinstance(topics, Mapping) else read_topics(topics, numbers=numbers, unread=unread)
    if not given:
        raise GermaneError("expected topics, found none")
    queries = {str(id_): topic if isinstance(topic, str) else _joined(topic, parts) for id_, topic in given.items()}
    if not any(text.strip() for text in queries.values()):
        raise GermaneError(
            f"no topic has text in its {field}", hint=f"use `field=…` with another field: {', '.join(PARTS)}"
        )
    return queries


def with_topics(qrels: Qrels, topics: Collection[str]) -> Qrels:
    """Return the judgments of these topics; an error if none of them is judged."""
    kept = [place for place, query in enumerate(qrels.queries) if query in topics]
    if not kept:
        ours, theirs = (", ".join(list(ids)[:3]) or "none" for ids in (topics, qrels.queries))
        hint = "if qrels number topics by position, use `topic_numbers='position'`"
        raise GermaneError(f"topics and qrels share no id: topics {ours}, qrels {theirs}", hint=hint)
    return qrels.take(np.asarray(kept, np.int64))


def described(topics: str | Path | Mapping[str, Any], queries: Mapping[str, str], field: str) -> dict[str, Any]:
    """Describe the topics for the record: their number, the field, and the file with its SHA-256 if it has one."""
    record: dict[str, Any] = {"count": len(queries), "field": field}
    if isinstance(topics, Mapping):
        return record
    record["file"] = source_name(topics) if str(topics) == STDIN else Path(topics).name
    if Path(topics).is_file():
        with Path(topics).open("rb") as file:
            record["sha256"] = hashlib.file_digest(file, "sha256").hexdigest()
    return record


def _joined(topic: Topic, parts: list[str]) -> str:
    return " ".join(filter(None, (getattr(topic, part) for part in parts)))
