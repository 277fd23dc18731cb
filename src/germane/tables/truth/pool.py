"""A pool: the documents to judge for each topic, and how they were chosen.

A document that a pool does not list was not pooled. One that was pooled but not drawn by sampling is in `unsampled`: it
stays unjudged, but estimates from the sample need it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

from germane.arguments import checked
from germane.errors import GermaneError
from germane.tables.columns.ids import to_bytes
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result

ItemKind = Literal["ordinary", "distractor", "calibration", "repeat"]


@dataclass(frozen=True)
class PoolItem:
    """One document to judge for one topic.

    `inclusion` is the probability with which it was drawn, 1 without sampling. Only ordinary items become part of the
    qrels; the other kinds control the quality of the assessors' work.
    """

    topic: str
    doc: str
    stratum: str = ""
    inclusion: float = 1.0
    kind: ItemKind = "ordinary"

    def __post_init__(self) -> None:
        if not 0 < self.inclusion <= 1:
            found = f"{self.inclusion} for document {self.doc!r} of topic {self.topic!r}"
            raise GermaneError(f"expected an inclusion probability above 0 and up to 1, found {found}")
        if self.kind not in get_args(ItemKind):
            raise GermaneError(f"expected a kind of item ({', '.join(get_args(ItemKind))}), found {self.kind!r}")


@dataclass(frozen=True)
class PooledRun:
    """A run that was pooled. `sha256` is that of its file or, where it has none, of its rows."""

    name: str
    sha256: str


ITEMS = (
    F("topic", "name"),
    F("doc", "name", "document"),
    F("stratum", "name", people="filled"),
    F("inclusion", "value"),
    F("kind", "text"),
    F("sampled", "flag"),
)
TOPICS = (F("topic", "name"), F("num_docs", "count", "documents"), F("num_unsampled", "count", "not drawn"))
STRATA = (F("stratum", "name"), F("num_docs", "count", "drawn"), F("num_pooled", "count", "of"))


@dataclass(frozen=True, eq=False)
class Pool(Result):
    """Documents to judge, by topic and document in byte order, which hides the runs and ranks that they come from.

    `parameters` hold the other settings needed to reproduce the pool, as JSON values.

    >>> pool = Pool.of([PoolItem("q2", "d1"), PoolItem("q1", "d9"), PoolItem("q1", "d3")], method="depth")
    >>> pool.topics, [item.doc for item in pool.items]
    (('q1', 'q2'), ['d3', 'd9', 'd1'])
    """

    items: tuple[PoolItem, ...]
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    runs: tuple[PooledRun, ...] = ()
    unsampled: tuple[PoolItem, ...] = ()
    """Pooled documents that were not drawn; `inclusion` is the probability they had."""
    notes: tuple[Note, ...] = ()
    """Notes; not part of the pool itself."""

    schema: ClassVar[str] = "pool/1"

    @classmethod
    @checked
    def of(
        cls,
        items: Iterable[PoolItem],
        method: str,
        *,
        parameters: Mapping[str, Any] | None = None,
        seed: int = 0,
        runs: Iterable[PooledRun] = (),
        unsampled: Iterable[PoolItem] = (),
        notes: Iterable[Note] = (),
    ) -> Pool:
        """Return a pool of items in any order. Each document occurs once per topic and kind, drawn or not."""
        drawn, left = _ordered(items), _ordered(unsampled)
        seen: set[tuple[str, str, str]] = set()
        for item in (*drawn, *left):
            key = (item.topic, item.doc, item.kind)
            if key in seen:
                raise GermaneError(f"duplicate document {item.doc!r} in the pool of topic {item.topic!r}")
            seen.add(key)
        return cls(drawn, method, parameters or {}, seed, tuple(runs), left, tuple(notes))

    def __repr__(self) -> str:
        size = f"{len(self.topics)} topics, {len(self.items)} documents to judge"
        return f"<pool by {self.method}: {size}{f', {len(self.unsampled)} not drawn' if self.unsampled else ''}>"

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The topics that have items, in byte order."""
        return tuple(dict.fromkeys(item.topic for item in self.items))

    def docs(self, topic: str) -> tuple[str, ...]:
        """Return the ordinary documents of a topic."""
        return tuple(item.doc for item in self.items if item.topic == topic and item.kind == "ordinary")

    def tables(self) -> Iterator[Table]:
        """Yield all items, including those not drawn; the counts by topic; and, for a sample, the counts by stratum."""
        drawn = [{**vars(item), "sampled": True} for item in self.items]
        yield table("items", ITEMS, [*drawn, *({**vars(item), "sampled": False} for item in self.unsampled)])
        sizes, left = (Counter(item.topic for item in items) for items in (self.items, self.unsampled))
        topics = [{"topic": each, "num_docs": sizes[each], "num_unsampled": left[each]} for each in {**sizes, **left}]
        yield table("topics", TOPICS, topics, title="Topics")
        if self.unsampled:
            sizes, left = (Counter(item.stratum for item in items) for items in (self.items, self.unsampled))
            pooled = sizes + left
            strata = [{"stratum": each, "num_docs": sizes[each], "num_pooled": pooled[each]} for each in sorted(pooled)]
            yield table("strata", STRATA, strata, title="Strata")

    def shown(self, *, digits: int = 4) -> Iterator[Table | str]:
        """Yield the number of documents by kind; for a sample, also the counts by stratum."""
        sizes = Counter(item.topic for item in self.items)
        kinds = Counter(item.kind for item in self.items if item.kind != "ordinary")
        documents, topics = counted(len(self.items), "document"), counted(len(sizes), "topic")
        each = f"{min(sizes.values())} to {max(sizes.values())} per topic" if sizes else "none"
        others = "".join(f", including {counted(count, kind)}" for kind, count in sorted(kinds.items()))
        made = f"seed {self.seed}, hash {self.hash[:16]}…"
        yield f"{documents} to judge for {topics} ({each}), pooled by {self.method}{others}\n{made}\n"
        if self.unsampled:
            yield self.table("strata")

    def facts(self) -> dict[str, Any]:
        """Return how the pool was made, and its hash."""
        return {**self.manifest, "hash": self.hash}

    @property
    def manifest(self) -> dict[str, Any]:
        """Method, parameters, seed and runs of the pool."""
        runs = [asdict(run) for run in self.runs]
        return {"method": self.method, "parameters": dict(self.parameters), "seed": self.seed, "runs": runs}

    @cached_property
    def hash(self) -> str:
        """SHA-256 of manifest and items in a canonical form; equal pools have equal hashes."""
        lines = [self.manifest, *item_rows(self)]
        text = "\n".join(json.dumps(line, sort_keys=True, ensure_ascii=True) for line in lines)
        return hashlib.sha256(text.encode("ascii")).hexdigest()


def item_rows(pool: Pool) -> Iterable[dict[str, Any]]:
    """Yield each item for JSON, with only what differs from an ordinary document that was drawn for sure.

    >>> list(item_rows(Pool.of([PoolItem("q1", "d1", "1-10", 0.5)], method="stratified")))
    [{'topic': 'q1', 'doc': 'd1', 'stratum': '1-10', 'inclusion': 0.5}]
    """
    for items, drawn in ((pool.items, True), (pool.unsampled, False)):
        for item in items:
            row = {name: value for name, value in vars(item).items() if value != getattr(PoolItem, name, None)}
            yield row if drawn else {**row, "sampled": False}


def _ordered(items: Iterable[PoolItem]) -> tuple[PoolItem, ...]:
    return tuple(sorted(items, key=lambda item: (to_bytes(item.topic), to_bytes(item.doc), item.kind)))
