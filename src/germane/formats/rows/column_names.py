"""The names that people give to the columns of a run or of judgments, and which column is what."""

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
"""The names that people give to columns, the clearest first: of two that are there, the first one counts (PyTerrier's
``qid`` stands beside ``query``, the text, and its ``docno`` beside ``docid``, a number of its own). Case, ``-`` and
spaces do not matter."""


class Roles(NamedTuple):
    """Which column, by position, is what. `value` is the grade, the score or, with `rank_only`, the rank."""

    query: int
    doc: int
    value: int
    rank: int | None
    group: int | None
    tag: int | None
    rank_only: bool
    left_out: tuple[str, ...]
    stratum: int | None = None
    inclusion: int | None = None


def find_roles(names: Sequence[str], kind: Kind, source: str, line: int | None = None) -> Roles:
    """Tell from the names of the columns which one is what.

    >>> roles = find_roles(["query-id", "corpus-id", "score"], "qrels", "test.tsv")
    >>> roles.query, roles.doc, roles.value
    (0, 1, 2)
    """
    place = _places(names)
    listed = ", ".join(map(repr, names))
    needed = {role: place[role] for role in ("query", "document")}
    for role, where in needed.items():
        if where is None:
            problem = f"expected a column for the {role} ({', '.join(ALIASES[role])}), found the columns {listed}"
            raise InputError(source, line, problem)
    value = place["grade" if kind == "qrels" else "score"]
    swapped = None
    if kind == "qrels" and value is None:
        value = place["score"]  # BEIR calls the grade a score
        if value is not None and (place["rank"] is not None or place["tag"] is not None):
            value, swapped = None, SWAPPED_QRELS
    if kind == "run" and value is None and place["rank"] is None and place["grade"] is not None:
        swapped = SWAPPED_RUN
    rank_only = kind == "run" and value is None
    if rank_only:
        value = place["rank"]
    if value is None:
        wanted = [*ALIASES["grade"], "score"] if kind == "qrels" else ["score", "rank"]
        what = "grade" if kind == "qrels" else "score"
        problem = f"expected a column for the {what} ({', '.join(wanted)}), found the columns {listed}"
        raise InputError(source, line, problem, hint=swapped)
    query, doc = needed["query"], needed["document"]
    assert query is not None
    assert doc is not None
    rank, group, tag = (
        (None if rank_only else place["rank"], None, place["tag"]) if kind == "run" else (None, place["group"], None)
    )
    stratum, inclusion = (place["stratum"], place["inclusion"]) if kind == "qrels" else (None, None)
    used = {query, doc, value, rank, group, tag, stratum, inclusion}
    plain = [plain_name(name) for name in names]
    for column in used - {None}:
        assert column is not None
        if plain.count(plain[column]) > 1:
            raise InputError(source, line, f"expected one column called {names[column]!r}, found the columns {listed}")
    left_out = tuple(f"column {name!r}" for column, name in enumerate(names) if column not in used)
    return Roles(query, doc, value, rank, group, tag, rank_only, left_out, stratum, inclusion)


def has_names(names: Sequence[str]) -> bool:
    """Whether these are names of columns, as a header has them: at least a query's and a document's."""
    place = _places(names)
    return place["query"] is not None and place["document"] is not None


def guess_kind(names: Sequence[str]) -> Kind:
    """Whether columns with these names are a run or judgments. With a score alone it is a run, unless BEIR's header."""
    place = _places(names)
    if [name.strip().lower() for name in names] == ["query-id", "corpus-id", "score"]:
        return "qrels"
    return "qrels" if place["grade"] is not None and place["score"] is None and place["rank"] is None else "run"


def _places(names: Sequence[str]) -> dict[str, int | None]:
    place = {plain_name(name): column for column, name in enumerate(names)}
    return {
        role: next((place[alias] for alias in aliases if alias in place), None) for role, aliases in ALIASES.items()
    }


def plain_name(name: str) -> str:
    """A column's name as names are compared: case, ``-`` and spaces do not matter."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")
