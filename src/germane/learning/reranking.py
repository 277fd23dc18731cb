"""Re-rank the top of a ranking with a learned model; the rest stays below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from germane.errors import GermaneError
from germane.learning.features.candidates import Candidates
from germane.learning.features.feature import Feature
from germane.learning.features.feature_set import Chosen, parse_features
from germane.learning.model_file import RankingModel, fingerprint
from germane.retrieval.engines.local import LocalEngine
from germane.retrieval.engines.protocol import Engine
from germane.retrieval.engines.rankers import ByModel, Found, ranker_of
from germane.retrieval.feedback.method import Feedback
from germane.retrieval.indexes.index import Index

DEFAULT_DEPTH = 100
LEARNED_FROM = "among the model's training queries, so results are optimistic"


@dataclass(eq=False)
class Reranked:
    """A first ranking whose top `depth` documents are re-ordered by a model.

    Documents below keep their order, with scores below all re-ranked ones; ties keep the order of the first ranking.
    """

    subject = "rerank"

    first: ByModel
    model: RankingModel
    features: tuple[Feature, ...]
    depth: int
    topics: Mapping[str, str]

    def __post_init__(self) -> None:
        # An engine gets only texts; columns by query and document need the query's id, known if its text is unique.
        texts = Counter(self.topics.values())
        self._topic_of = {text: id_ for id_, text in self.topics.items() if texts[text] == 1}
        self._learned_from = self.model.learned_from

    def rank(self, index: Index, query: str, k: int) -> Found:
        found = self.first.rank(index, query, max(k, self.depth))
        remarks = found.remarks + self._remarks + ((LEARNED_FROM,) * (fingerprint(query) in self._learned_from))
        if not len(found.docs):
            return Found(found.docs, found.scores, remarks)
        top = min(self.depth, len(found.docs))
        best = Candidates.of(index, self._topic_of.get(query, ""), query, found.docs[:top])
        scores = self.model.score_candidates(self.features, [best])
        order = np.argsort(-scores, kind="stable")
        # Differences within the rest are kept; a step of 1 separates it.
        below = scores.min() - 1 - (found.scores[top - 1] - found.scores[top:])
        docs = np.concatenate([found.docs[:top][order], found.docs[top:]])
        return Found(docs[:k], np.concatenate([scores[order], below])[:k], remarks)

    def describe(self) -> dict[str, str]:
        digest = str(self.model.training.get("sha256", ""))[:12]
        about = {"rerank": self.model.learner, "rerank_depth": str(self.depth), "rerank_training": digest}
        return {**self.first.describe(), **about}

    @cached_property
    def _remarks(self) -> tuple[str, ...]:
        ours, theirs = "+".join(self.first.describe().values()), self.model.first_stage
        return (
            ()
            if theirs in (None, ours)
            else (f"first stage is {ours}, but the model was trained on {theirs}; results may be worse",)
        )


def reranking(
    engine: Engine,
    model: RankingModel,
    *,
    depth: int | None = None,
    keep_first_stage: bool = False,
    feedback: str | Feedback | None = None,
    features: Chosen = (),
    topics: Mapping[str, str] | None = None,
) -> LocalEngine:
    """Return the engine with a re-ranking model; the first stage is the one used in training, or is kept.

    `features` replace those of the same name: columns of files that have moved. `topics` are the query texts, by id.
    """
    if not isinstance(engine, LocalEngine):
        hint = "use a germane index; the model's features are computed from it"
        raise GermaneError(f"rerank is not supported with {engine.name}", hint=hint)
    first = engine.ranker if keep_first_stage or model.first_stage is None else ranker_of(model.first_stage, feedback)
    if not isinstance(first, ByModel):
        about = first.describe()["model"]
        raise GermaneError(f"rerank is not supported with {about}", hint="use a first stage such as BM25")
    given = {one.name: one for one in parse_features(features)} if features else {}
    computed = model.features_for(engine.index, given)
    ranker = Reranked(first, model, computed, depth or model.depth or DEFAULT_DEPTH, topics or {})
    return LocalEngine(engine.index, model=ranker)
