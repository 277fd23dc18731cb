"""Custom features: a column of a file (PageRank, the length of a URL), or a Python function."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from germane.errors import GermaneError, InputError
from germane.formats.files.sources import open_source, source_name
from germane.formats.rows.text import BOM, NUMBER, show
from germane.learning.features.candidates import Candidates
from germane.learning.features.feature import Feature
from germane.tables.columns.ids import FloatArray, to_text

OTHERS = "*"
"""Document id in a column that gives the default for all documents without a line of their own."""
SHOWN = 3

Key = str | tuple[str, str]


@dataclass(frozen=True, eq=False)
class Column(Feature):
    """Values by document, or by query and document, from a file or a dict.

    >>> from germane.retrieval.indexes.index import Index
    >>> index = Index.of({"d1": "red wine", "d2": "wine"}, analyser="plain")
    >>> Column("pagerank", {"d1": 0.3, "*": 0.1}).values([Candidates.of(index, "q", "wine", np.array([0, 1]))])
    array([0.3, 0.1])
    """

    name: str
    by: Mapping[Key, float]
    source: str = ""

    @classmethod
    def read(cls, name: str, path: str | Path) -> Column:
        """Read lines ``document value`` or ``query document value``; ``* value`` is the default of other documents."""
        found: dict[Key, float] = {}
        width = 0
        with open_source(path) as file:
            for number, line in enumerate(file, start=1):
                fields = (line.removeprefix(BOM) if number == 1 else line).split()
                if not fields or fields[0].startswith(b"#"):
                    continue
                _check(fields, width, source_name(path), number)
                width = width or (len(fields) if fields[0] != OTHERS.encode() else 0)
                ids = tuple(map(to_text, fields[:-1]))
                key: Key = ids[0] if len(ids) == 1 else (ids[0], ids[1])
                if key in found:
                    raise InputError(source_name(path), number, f"duplicate entry {' '.join(ids)}")
                found[key] = float(fields[-1])
        if not found:
            raise InputError(source_name(path), None, "expected lines `document value`, found none")
        return cls(name, found, str(path))

    @property
    def summary(self) -> str:
        return f"A column of {self.source}." if self.source else "A custom column."

    def values(self, batch: Sequence[Candidates]) -> FloatArray:
        found, lacking = [], []
        otherwise = self.by.get(OTHERS, math.nan)
        for one in batch:
            for doc in one.docs.tolist():
                id_ = one.index.doc_id(doc)
                value = self.by.get((one.id, id_), self.by.get(id_, otherwise))
                if math.isnan(value):
                    lacking.append((one.id, id_))
                found.append(value)
        if lacking:
            shown = ", ".join(f"{doc} (query {query})" for query, doc in lacking[:SHOWN])
            problem = f"{self.name} has no value for {len(lacking):,} of {len(found):,} candidates: {shown}"
            hint = f"add a line `{OTHERS} VALUE` with a default for all other documents"
            raise GermaneError(problem, hint=hint)
        return np.asarray(found, np.float64)


def _check(fields: Sequence[bytes], width: int, source: str, line: int) -> None:
    is_default = fields[0] == OTHERS.encode()
    if len(fields) not in ((2,) if is_default else (2, 3)) or (width and not is_default and len(fields) != width):
        expected = "`document value` or `query document value` on all lines"
        raise InputError(source, line, f"expected {expected}, found {len(fields)} fields")
    if not NUMBER.fullmatch(fields[-1]) or not math.isfinite(float(fields[-1])):
        raise InputError(source, line, f"expected a finite number, found {show(fields[-1])}")


@dataclass(frozen=True, eq=False)
class Function(Feature):
    """A function of query text and document id that returns a number."""

    name: str
    function: Callable[[str, str], Any]
    source: str = ""

    @classmethod
    def imported(cls, name: str, text: str) -> Function:
        """Import a feature function from ``module:function``."""
        module, _, attribute = text.partition(":")
        try:
            function = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as problem:
            raise GermaneError(f"cannot import {text}: {problem}") from None
        if not callable(function):
            raise GermaneError(f"expected a function, found {type(function).__name__} {text}")
        return cls(name, function, text)

    @property
    def summary(self) -> str:
        return (self.function.__doc__ or f"Value of {self.source or 'a function'}.").strip().partition("\n")[0]

    def values(self, batch: Sequence[Candidates]) -> FloatArray:
        rows = [(one.text, one.index.doc_id(doc)) for one in batch for doc in one.docs.tolist()]
        return np.asarray([self._value(text, doc) for text, doc in rows], np.float64)

    def _value(self, text: str, doc: str) -> float:
        found = self.function(text, doc)
        try:
            value = float(found)
        except (TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise GermaneError(f"{self.name}: expected a finite number for document {doc!r}, found {found!r}")
        return value
