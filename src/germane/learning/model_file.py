"""A learned ranking model as a JSON file: its features and scaling, the fitted model, and its held-out quality.

Nothing in the file is executed when it is read. It scores the same features, scaled in the same way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from germane.arguments import checked
from germane.errors import GermaneError, InputError
from germane.formats.files.json_text import parse_json, require_checksum, shape_problem, with_checksum
from germane.formats.files.sources import open_source, source_name
from germane.formats.files.targets import open_target
from germane.learning.data.leakage import words_of
from germane.learning.features.candidates import Candidates
from germane.learning.features.feature import Feature
from germane.learning.features.feature_set import feature_matrix, parse_feature
from germane.learning.features.scaling import Scaling, require_scaling, scale_by_query
from germane.learning.learners.learner import LEARNERS, Ranker, weights_of
from germane.retrieval.indexes.index import Index
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.ranking_data import RankingData

FORMAT = "germane ranking model"
VERSION = 2
SHOWN = 3


@dataclass(frozen=True, eq=False)
class RankingModel:
    """A fitted ranker with everything needed to score again.

    `features` are spelled so that they can be computed again, `names` are their names in the data. `first_stage`,
    `depth` and `analyser` are None for a model learned from a file of rows. `training` and `held_out` are a record for
    people.
    """

    learner: str
    ranker: Ranker
    features: tuple[str, ...]
    names: tuple[str, ...]
    scaling: Scaling
    first_stage: str | None = None
    depth: int | None = None
    analyser: str | None = None
    training: Mapping[str, Any] = field(default_factory=dict)
    held_out: Mapping[str, Any] = field(default_factory=dict)
    germane: str = ""
    source: str = "model"

    def score(self, data: RankingData) -> FloatArray:
        """Return the score of each row; scores are comparable only within a query."""
        if data.names != self.names:
            lacking = [name for name in self.names if name not in data.names]
            extra = [name for name in data.names if name not in self.names]
            found = f"also has {', '.join(extra[:SHOWN])}" if extra else "has them in another order"
            found = f"lacks {', '.join(lacking[:SHOWN])}" if lacking else found
            problem = f"{self.source} was trained with {len(self.names)} features, but {data.name} {found}"
            hint = f"the model uses {', '.join(self.names)}"
            raise GermaneError(problem, hint=hint)
        return self._scored(data.features, data.query)

    def score_candidates(self, features: Sequence[Feature], batch: Sequence[Candidates]) -> FloatArray:
        """Return the scores of documents of an index, whose features are computed here."""
        query = np.repeat(np.arange(len(batch)), [len(one) for one in batch])
        return self._scored(feature_matrix(features, batch), query)

    def _scored(self, features: FloatArray, query: IntArray) -> FloatArray:
        return np.asarray(self.ranker.decision_function(scale_by_query(features, query, self.scaling)), np.float64)

    def features_for(self, index: Index, given: Mapping[str, Feature] | None = None) -> tuple[Feature, ...]:
        """Return the features for this index; `given` replace those of the same name (columns of files)."""
        if self.analyser is not None and self.analyser != index.analyser.name:
            theirs = f"documents analysed by {self.analyser}, but this index uses {index.analyser.name}"
            hint = "learn again on this index, or index these documents in the same way"
            raise GermaneError(f"{self.source} was learned on {theirs}", hint=hint)
        own, reads = dict(given or {}), f"the model uses {', '.join(self.names)}"
        if unknown := sorted(set(own) - set(self.names)):
            raise GermaneError(f"{self.source} has no feature {unknown[0]!r}", hint=reads)
        found = []
        for name, spelled in zip(self.names, self.features, strict=True):
            try:
                one = own.get(name) or parse_feature(spelled)
            except GermaneError as problem:
                here = f"{self.source} uses a feature that is not available here: {problem.message}"
                of_file = f"use `rerank_features={name}=FILE`"
                raise GermaneError(here, hint=of_file if "=" in spelled else reads) from None
            if one.needs_positions and not index.has_positions:
                hint = "index again with `germane index --positions`"
                raise GermaneError(f"{self.source} uses {name}, which requires word positions", hint=hint)
            found.append(one)
        return tuple(found)

    @property
    def learned_from(self) -> frozenset[str]:
        """Fingerprints of the queries that the model was learned from."""
        return frozenset(self.training.get("query_fingerprints", ()))

    def to_json(self) -> dict[str, Any]:
        """Return the model as a JSON object."""
        return with_checksum(
            {
                "format": FORMAT,
                "version": VERSION,
                "germane": self.germane,
                "learner": self.learner,
                "features": [{"name": n, "canonical": s} for n, s in zip(self.names, self.features, strict=True)],
                "scaling": self.scaling,
                "first_stage": self.first_stage,
                "depth": self.depth,
                "analyser": self.analyser,
                "weights": weights_of(self.ranker, self.names),
                "model": self.ranker.to_json(),
                "training": dict(self.training),
                "held_out": dict(self.held_out),
            }
        )

    @classmethod
    def from_json(cls, given: Any, source: str = "model") -> RankingModel:
        """Return the model from a JSON object; anything that is not a germane model is an error."""
        if not isinstance(given, Mapping) or given.get("format") != FORMAT:
            problem = f'expected a model written by `germane learn` ("format": "{FORMAT}"), found something else'
            raise InputError(source, None, problem)
        if given.get("version") != VERSION:
            problem = f"expected a model of version {VERSION}, found {given.get('version')!r}"
            raise InputError(source, None, problem, hint="written by another version of germane; learn again")
        require_checksum(given, source, "the model", hint="restore the file from a backup, or learn again")
        try:
            features = [(str(one["name"]), str(one["canonical"])) for one in given["features"]]
            ranker = LEARNERS.parse(str(given["learner"])).restore(given["model"])
            require_scaling(given["scaling"])
            model = cls(
                learner=str(given["learner"]),
                ranker=ranker,
                features=tuple(spelled for _, spelled in features),
                names=tuple(name for name, _ in features),
                **{name: given[name] for name in ("scaling", "first_stage", "depth", "analyser")},
                training=dict(given["training"]),
                held_out=dict(given["held_out"]),
                germane=str(given["germane"]),
                source=source,
            )
        except GermaneError as problem:
            raise InputError(source, None, problem.message, hint=problem.hint) from None
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as problem:
            raise InputError(source, None, f"expected a complete model, found {shape_problem(problem)}") from None
        columns = getattr(ranker, "n_features_in_", len(model.names))
        if columns != len(model.names):
            raise InputError(source, None, f"the model names {len(model.names)} features, but has {columns} columns")
        _require_numbers(model)
        return model


def _require_numbers(model: RankingModel) -> None:
    """Reject a model with truncated or non-finite weights, by applying it to two rows."""
    try:
        tried = model.ranker.decision_function(np.vstack([np.zeros(len(model.names)), np.ones(len(model.names))]))
        is_whole = bool(np.isfinite(tried).all())
    except (ValueError, IndexError, TypeError):
        is_whole = False
    if not is_whole:
        raise InputError(model.source, None, "expected a complete model, found weights that do not match its features")


def write_model(model: RankingModel, path: str | Path, *, overwrite: bool = True) -> None:
    """Write a model to a file, atomically. Without `overwrite` an existing file is an error."""
    with open_target(path, overwrite=overwrite) as target:
        target.write((json.dumps(model.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text}, which is not a number")


@checked
def read_model(path: str | Path) -> RankingModel:
    """Read a model from its file."""
    with open_source(path) as stream:
        data = stream.read()
    given = parse_json(data, source_name(path), parse_constant=_refuse_constant)
    return RankingModel.from_json(given, source_name(path))


def fingerprint(text: str) -> str:
    """Return a short hash of a query that ignores case, punctuation and word order and does not reveal the query.

    >>> fingerprint("Red wine!") == fingerprint("wine, RED")
    True
    """
    return hashlib.sha256("\n".join(sorted(words_of(text))).encode()).hexdigest()[:16]
