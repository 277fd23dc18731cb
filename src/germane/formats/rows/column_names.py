"""Usual column names of runs and judgments, and the roles they indicate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from germane.errors import InputError
from germane.formats.rows.text import SWAPPED_QRELS, SWAPPED_RUN

Kind = Literal["run", "qrels"]

ALIASES: Mapping[str, tuple[str, ...]] = {
    "query": ("qid", "query_id", "q_id", "queryid", "topic_id", "topic", "query"),
    "document": ("docno", "doc_id", "docid", "corpus_id", "pid", "document_id", "doc", "document"),
    "score": ("score",),
    "grade": ("relevance", "label", "rel", "grade", "judgment", "judgement", "relevant"),
    "rank": ("rank",),
    "group": ("subtopic", "group", "iteration", "iter"),
    "tag": ("tag", "run", "run_id", "runid", "system"),
    "stratum": ("stratum",),
    "inclusion": ("inclusion", "inclusion_probability"),
}
"""Usual column names of each role, clearest first: if several are present, the first wins (PyTerrier has ``qid`` and
``query``, the text, and ``docno`` and ``docid``, an internal number). Case does not matter; ``-``, ``_`` and space are
equivalent."""


class Roles(NamedTuple):
    """The column index of each role. `value` is the grade, the score or, with `rank_only`, the rank."""

    query: int
    doc: int
    value: int
    rank: int | None = None
    group: int | None = None
    tag: int | None = None
    rank_only: bool = False
    left_out: tuple[str, ...] = ()
    stratum: int | None = None
    inclusion: int | None = None

    @property
    def columns(self) -> list[int]:
        """The columns with a role."""
        found = (*self[:6], self.stratum, self.inclusion)
        return sorted({column for column in found if column is not None})


def find_roles(names: Sequence[str], kind: Kind, source: str, line: int | None = None) -> Roles:
    """Assign columns to roles by their names.

    >>> roles = find_roles(["query-id", "corpus-id", "score"], "qrels", "test.tsv")
    >>> roles.query, roles.doc, roles.value
    (0, 1, 2)
    """
    place = _places(names)
    listed = ", ".join(map(repr, names))

    def missing(role: str, known: Sequence[str], hint: str | None = None) -> InputError:
        problem = f"expected a {role} column ({', '.join(known)}), found {listed}"
        return InputError(source, line, problem, hint=hint)

    query, doc, score, rank, tag = (place[role] for role in ("query", "document", "score", "rank", "tag"))
    if query is None or doc is None:
        role = "query" if query is None else "document"
        raise missing(role, ALIASES[role])
    if kind == "qrels":
        is_run = score is not None and (rank is not None or tag is not None)
        value = place["grade"] if place["grade"] is not None or is_run else score  # BEIR calls the grade a score
        if value is None:
            raise missing("grade", [*ALIASES["grade"], "score"], SWAPPED_QRELS if is_run else None)
        roles = Roles(query, doc, value, group=place["group"], stratum=place["stratum"], inclusion=place["inclusion"])
    else:
        value = rank if score is None else score
        if value is None:
            raise missing("score", ["score", "rank"], None if place["grade"] is None else SWAPPED_RUN)
        roles = Roles(query, doc, value, None if score is None else rank, tag=tag, rank_only=score is None)
    plain = [plain_name(name) for name in names]
    for column in roles.columns:
        if plain.count(plain[column]) > 1:
            raise InputError(source, line, f"duplicate column {names[column]!r} among {listed}")
    left_out = tuple(f"column {name!r}" for column, name in enumerate(names) if column not in roles.columns)
    return roles._replace(left_out=left_out)


def has_names(names: Sequence[str]) -> bool:
    """Return whether these are the names of a header, with at least a query and a document column."""
    place = _places(names)
    return place["query"] is not None and place["document"] is not None


def guess_kind(names: Sequence[str]) -> Kind:
    """Infer from column names whether a table is a run or judgments; a score alone means a run, except in BEIR."""
    place = _places(names)
    if [name.strip().lower() for name in names] == ["query-id", "corpus-id", "score"]:
        return "qrels"
    return "qrels" if place["grade"] is not None and place["score"] is None and place["rank"] is None else "run"


def _places(names: Sequence[str]) -> dict[str, int | None]:
    place = {plain_name(name): column for column, name in enumerate(names)}
    return {role: next((place[name] for name in known if name in place), None) for role, known in ALIASES.items()}


def plain_name(name: str) -> str:
    """Return a column name in its normalised form: lower case, with ``_`` for ``-`` and spaces."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")
