"""Features of (query, document) pairs from an index: chosen by name, computed for batches of queries.

The score of any ranking model is a feature, spelled as the model; cosine is one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from germane.catalogue import sections_of
from germane.errors import GermaneError, unknown
from germane.learning.features.candidates import Candidates
from germane.learning.features.feature import FEATURES, Better, Feature
from germane.learning.features.own_features import Column, Function
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import MODELS, VSM, Model
from germane.retrieval.search import Weigher, scores_of_candidates
from germane.tables.columns.ids import FloatArray, Ids, IntArray
from germane.tables.rankings.ranking_data import RankingData

LTC = VSM("ltc.ltc")
EMPTY_SUM = "A document without query words has the empty sum: 0, or its offset for query likelihood."


@dataclass(frozen=True)
class ModelScore(Feature):
    """The score of each candidate by a ranking model.

    >>> from germane.retrieval.indexes.index import Index
    >>> from germane.retrieval.models import BIR
    >>> index = Index.of({"d1": "red wine", "d2": "white wine", "d3": "red roses"}, analyser="plain")
    >>> ModelScore(BIR()).values([Candidates.of(index, "q1", "roses", np.array([0, 2]))]).round(3)
    array([0.   , 0.511])
    """

    model: Model
    name: str = ""
    better: Better = "higher"

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", str(self.model))

    def values(self, batch: Sequence[Candidates]) -> FloatArray:
        if not batch:
            return np.zeros(0)
        index, model = batch[0].index, self.model
        found = scores_of_candidates(index, [one.query for one in batch], model, [one.docs for one in batch])
        weigher = Weigher(model, index, {word for one in batch for word in one.query.weights})
        offset = model.offset(index)
        for one, scores in zip(batch, found, strict=True):
            none = np.isnan(scores)
            if none.any():
                times = sum([term.query_weight for term in weigher.weigh(one.query)])
                scores[none] = 0.0 if offset is None else times * offset[one.docs[none]]
        return np.concatenate(found)

    @property
    def summary(self) -> str:
        return (type(self.model).__doc__ or "").strip().partition("\n")[0]

    @property
    def sections(self) -> Mapping[str, str]:
        of_model = sections_of(type(self.model))
        edges = f"{of_model.get('Edge cases', '')} {EMPTY_SUM}".strip()
        return {**of_model, "Edge cases": edges}


@dataclass(frozen=True)
class Cosine(ModelScore):
    """α: cosine similarity of document and query as vectors of weighted words.

    Formula:    Σ w(t, d)·w(t, q) / (|d|·|q|), w = (1 + ln tf) · ln(N/n) (ltc.ltc in SMART notation)
    Reference:  lecture 004, learning to rank; Manning, Raghavan & Schütze, Introduction to IR (2008), 15.4.
    Edge cases: Without words in common: 0. The query's norm is over its known words.
    """

    model: Model = LTC
    name: str = "cosine"

    @property
    def summary(self) -> str:
        return (type(self).__doc__ or "").strip().partition("\n")[0]

    @property
    def sections(self) -> Mapping[str, str]:
        return sections_of(self)


DEFAULT_FEATURES = (
    "cosine", "BM25", "BIR", "QL", "QLJM", "PL2", "omega", "proximity", "coverage", "length",
    "tf_sum", "tf_min", "tf_max", "tf_mean", "idf_sum", "idf_max", "idf_mean", "tfidf_sum", "tfidf_max", "tfidf_mean",
)  # fmt: skip
"""Default features; omega and proximity are omitted if the index has no positions."""

_OWN = re.compile(r"(?P<name>[^\s=()]+)=(?P<source>\S.*)")
_IMPORTED = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")

Chosen = str | Feature | Iterable[str | Feature] | Mapping[str, Any]


def parse_feature(text: str | Feature) -> Feature:
    """Parse a feature: registered, ``cosine``, any model, ``NAME=FILE`` or ``NAME=module:function``.

    >>> [parse_feature(name).name for name in ("omega", "cosine", "bm25(k1=0.9)", "ltc.ltn")]
    ['omega', 'cosine', 'BM25(k1=0.9)', 'VSM']
    >>> parse_feature("omga")
    Traceback (most recent call last):
    germane.errors.GermaneError: unknown feature 'omga'; did you mean omega?
    Hint: run `germane learn --list` for a list; a column of a file is NAME=FILE
    """
    if isinstance(text, Feature):
        return text
    text = text.strip()
    if text in FEATURES:
        return FEATURES.parse(text)
    if text.casefold() == "cosine":
        return Cosine()
    if (own := _OWN.fullmatch(text)) is not None:
        name, source = own["name"], own["source"]
        is_function = _IMPORTED.fullmatch(source) and not Path(source).exists()
        return Function.imported(name, source) if is_function else Column.read(name, source)
    if MODELS.read(text).name not in MODELS:
        raise unknown("feature", text, [*FEATURES.names, "cosine", *MODELS.names], hint=FEATURES.lists)
    return ModelScore(MODELS.parse(text))


def parse_features(chosen: Chosen) -> tuple[Feature, ...]:
    """Parse several features: comma-separated text, a list, or a dict of functions and dicts by name.

    >>> [one.name for one in parse_features("cosine, BM25(k1=0.9,b=0.4),omega")]
    ['cosine', 'BM25(k1=0.9,b=0.4)', 'omega']
    """
    if isinstance(chosen, Mapping):
        found = [_own(str(name), given) for name, given in chosen.items()]
    else:
        texts = [chosen] if isinstance(chosen, str | Feature) else list(chosen)
        found = [parse_feature(part) for text in texts for part in (_parts(text) if isinstance(text, str) else [text])]
    if not found:
        hint = f"for example {', '.join(DEFAULT_FEATURES[:3])}"
        raise GermaneError("expected at least one feature, found none", hint=hint)
    names = [one.name for one in found]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise GermaneError(f"duplicate feature {name}")
    return tuple(found)


def default_features(index: Index) -> tuple[Feature, ...]:
    """Return the default features that the index supports."""
    found = map(parse_feature, DEFAULT_FEATURES)
    return tuple(one for one in found if index.has_positions or not one.needs_positions)


def compute_features(
    index: Index, features: Sequence[Feature], texts: Mapping[str, str], docs: Mapping[str, IntArray]
) -> RankingData:
    """Compute features of each query's documents (by number), unscaled, without grades; empty queries are skipped.

    >>> index = Index.of({"d1": "red wine", "d2": "wine and roses"}, analyser="plain", positions=True)
    >>> data = compute_features(index, parse_features("omega, covered"), {"q": "wine roses"}, {"q": np.array([0, 1])})
    >>> data.names, data.features.tolist()
    (('omega', 'covered'), [[3.0, 1.0], [3.0, 2.0]])
    """
    batch = [Candidates.of(index, query, text, docs[query]) for query, text in texts.items() if len(docs[query])]
    ids = Ids.of(index.doc_id(doc) for one in batch for doc in one.docs.tolist())
    return RankingData(
        feature_matrix(features, batch),
        tuple(one.name for one in features),
        np.repeat(np.arange(len(batch)), [len(one) for one in batch]),
        Ids.of(one.id for one in batch),
        ids,
        name="features",
    )


def feature_matrix(features: Sequence[Feature], batch: Sequence[Candidates]) -> FloatArray:
    """Return a row per candidate and a column per feature; a non-finite value is an error that names the feature."""
    rows = sum(map(len, batch))
    matrix = np.empty((rows, len(features)))
    for place, one in enumerate(features):
        values = np.asarray(one.values(batch), np.float64)
        if values.shape != (rows,):
            raise GermaneError(f"{one.name}: expected {rows:,} values, one per candidate, found {values.shape}")
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            query, doc = [(c, doc) for c in batch for doc in c.docs.tolist()][row]
            found = f"found {values[row]} for query {query.id!r}, document {query.index.doc_id(doc)!r}"
            raise GermaneError(f"{one.name}: expected finite values, {found}")
        matrix[:, place] = values
    return matrix


def _own(name: str, given: Callable[[str, str], float] | Mapping[Any, float] | str | Path | Feature) -> Feature:
    if isinstance(given, Feature):
        return given
    if isinstance(given, Mapping):
        return Column(name, given)
    return Function(name, given) if callable(given) else parse_feature(f"{name}={given}")


def _parts(text: str) -> list[str]:
    return [part for part in map(str.strip, re.findall(r"(?:[^,()]|\([^)]*\))+", text)) if part]
