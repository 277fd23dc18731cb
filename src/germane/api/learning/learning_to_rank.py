"""Learning to rank: a model and its held-out scores, from an index with judged topics or from rows of features."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from germane.api.comparisons.family_intervals import in_one_family
from germane.api.comparisons.systems import compare_systems
from germane.api.learning.folds import Task, choose_c, cross_validate, doc_ids
from germane.api.learning.notes import family_of_learning, held_out_record, notes_on_candidates
from germane.api.rankings.evaluation import evaluate, load_qrels
from germane.arguments import checked
from germane.errors import GermaneError
from germane.formats.files.targets import require_new
from germane.formats.learning.letor_file import read_letor, write_letor
from germane.formats.rows.memory import QrelsLike
from germane.learning.features.feature_set import (
    Chosen,
    compute_features,
    default_features,
    parse_feature,
    parse_features,
)
from germane.learning.features.label_copies import find_label_copies
from germane.learning.features.scaling import Scaling, scale_by_query
from germane.learning.learners.learner import LEARNERS, require_grades
from germane.learning.model_file import RankingModel, fingerprint, write_model
from germane.learning.outcome import LearnedRanking
from germane.learning.reranking import DEFAULT_DEPTH
from germane.measures.definition import MEASURES
from germane.retrieval.engines.queries import Numbers, TopicsLike, queries_of, with_topics
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import MODELS, Model
from germane.retrieval.search import run_of, search_many
from germane.retrieval.texts.unspaced import notes_on_queries
from germane.tables.notes.counts import counted, notes_on_ids
from germane.tables.notes.note import Note
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.ranking_data import RankingData
from germane.tables.rankings.run import Run
from germane.tables.results.comparison import Pair, adjusted_for
from germane.tables.results.scores import Scores

Progress = Callable[[int, int], None]
Measures = str | Measure | Iterable[str | Measure]
DEFAULT_MEASURES = ("AP", "nDCG@10")
BEST_FEATURE = "best single feature"


@checked
def learn(
    source: Index | RankingData | str | Path,
    topics: TopicsLike | None = None,
    qrels: QrelsLike | None = None,
    *,
    features: Chosen | None = None,
    learner: str = "ranking-svm",
    C: float | Sequence[float] | None = None,
    scaling: Scaling = "minmax",
    model: str | Model | None = None,
    depth: int | None = None,
    folds: int = 5,
    measures: Measures = DEFAULT_MEASURES,
    rel: float = 1,
    field: str | None = None,
    topic_numbers: Numbers | None = None,
    qrels_format: str | None = None,
    group_sizes: str | Path | None = None,
    feature_names: str | Path | None = None,
    zero_based: bool | None = None,
    level: float = 0.95,
    seed: int = 0,
    output: str | Path | None = None,
    save_features: str | Path | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> LearnedRanking:
    """Learn to rank, and estimate the quality on held-out queries.

    `source` is an index: for each of the judged `topics`, `features` (see `germane learn --list`) are computed for the
    best `depth` documents (100) by `model` (BM25); an unjudged candidate counts as grade 0. Or `source` has rows of
    features with grades, without topics: a LETOR or SVMlight file (`group_sizes` as in LightGBM, the `feature_names` in
    a file, features counted from 0 if `zero_based`), or `RankingData`.

    Features are scaled within each query. Queries are divided into `folds`; each fold is ranked by a model learned from
    the others, and only these held-out rankings are scored, against the first stage of an index and against the best
    single feature (also chosen on the other folds). Among several values of `C`, one is chosen within the training
    queries by the first of the `measures`. The final model is then learned from all queries; `output` is its file, for
    ``retrieve(..., rerank=...)``, and `save_features` a file for the rows.

    >>> rows = [[1.0, 5], [0.0, 4], [0.5, 3], [0.9, 7], [0.1, 9], [0.5, 1]]
    >>> data = RankingData.of(rows, list("aaabbb"), grade=[1, 0, 0, 1, 0, 0])
    >>> found = learn(data, learner="linear", folds=2, measures="AP")
    >>> found.scores.mean(), found.model.names
    ({'best single feature': {'AP': 1.0}, 'linear': {'AP': 1.0}}, ('1', '2'))
    """
    of_index = {
        "topics": topics, "qrels": qrels, "features": features, "model": model, "depth": depth, "field": field,
        "topic_numbers": topic_numbers, "qrels_format": qrels_format, "save_features": save_features,
    }  # fmt: skip
    of_rows = {"group_sizes": group_sizes, "feature_names": feature_names, "zero_based": zero_based or None}
    has_rows = isinstance(source, RankingData) or (
        topics is None and qrels is None and not isinstance(source, Index) and not Path(source).is_dir()
    )
    needed, idle = ("an index", of_index) if has_rows else ("rows of features", of_rows)
    for name, value in idle.items():
        if value is not None:
            raise GermaneError(f"`{name}=` requires {needed}", hint=f"remove `{name}=`")
    if depth is not None and depth < 1:
        raise GermaneError(f"expected depth above 0, found {depth}")
    outputs = _targets(output, save_features, overwrite)
    if has_rows:
        assert not isinstance(source, Index)
        if not isinstance(source, RankingData):
            counted_from_0 = bool(zero_based)
            source = read_letor(source, group_sizes=group_sizes, feature_names=feature_names, zero_based=counted_from_0)
        material = _from_rows(source)
    elif topics is None or qrels is None:
        missing = "topics" if topics is None else "qrels"
        raise GermaneError(f"an index requires topics and qrels, found no {missing}", hint=f"pass {missing} too")
    else:
        assert not isinstance(source, RankingData)
        material = _from_index(
            source if isinstance(source, Index) else Index.open(source),
            queries_of(topics, field or "title", topic_numbers or "given"),
            load_qrels(qrels, format=qrels_format),
            features,
            MODELS.parse(model or "BM25"),
            DEFAULT_DEPTH if depth is None else depth,
        )
        if "save_features" in outputs:
            write_letor(material.rows, outputs["save_features"], overwrite=overwrite)
    return _learned(
        material, learner=learner, C=C, scaling=scaling, folds=folds, measures=measures, rel=rel, level=level,
        seed=seed, output=outputs.get("output"), overwrite=overwrite, progress=progress,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Material:
    """Rows with grades, their origin as recorded in the model's file, and notes.

    `texts` are those of the queries and `stage` is the run of the first stage, both None without an index; `directions`
    has the better direction of each feature by name.
    """

    rows: RankingData
    truth: Qrels
    directions: Mapping[str, str]
    about: Mapping[str, Any]
    texts: Mapping[str, str] | None = None
    stage: Run | None = None
    training: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


def _from_rows(rows: RankingData) -> Material:
    queries = [rows.queries[query] for query in rows.query.tolist()]
    truth = Qrels.from_columns(queries, doc_ids(rows), rows.grades, name=rows.name)
    return Material(rows, truth, _known_directions(rows.names), {"features": rows.names})


def _from_index(
    index: Index, texts: Mapping[str, str], truth: Qrels, features: Chosen | None, first: Model, depth: int
) -> Material:
    chosen = default_features(index) if features is None else parse_features(features)
    if not index.has_positions and (needs := [one.name for one in chosen if one.needs_positions]):
        hint = "rebuild the index with positions (`germane index --positions`), or remove this feature"
        raise GermaneError(f"{needs[0]} needs word positions, found an index without them", hint=hint)
    truth = with_topics(truth, texts)
    judged = list(truth.queries)
    rankings = dict(zip(judged, search_many(index, [texts[query] for query in judged], first, depth), strict=True))
    found = {query: ranking for query, ranking in rankings.items() if len(ranking)}
    if not found:
        hint = "check that topics and index belong together, and that `field=…` has the query"
        raise GermaneError("no query retrieves any document, so no training data remain", hint=hint)
    asked, docs = {query: texts[query] for query in found}, {query: r.docs for query, r in found.items()}
    rows, unjudged = _graded(compute_features(index, chosen, asked, docs), truth)
    without_results = [query for query in judged if query not in found]
    not_judged = [query for query in texts if query not in rankings]
    notes = [
        *notes_on_candidates(rows, truth, unjudged, depth),
        *notes_on_ids("empty-rankings", without_results, "query", "without results; skipped"),
        *notes_on_ids("unjudged-queries", not_judged, "query", "without judgments; skipped"),
        *notes_on_queries({query: texts[query] for query in judged}, index.analyser),
    ]
    if features is None and not index.has_positions:
        what = "features omega and proximity omitted: the index has no positions (`germane index --positions`)"
        notes.append(Note("no-positions", "", what))
    about: dict[str, Any] = {"features": tuple(one.spelled for one in chosen), "first_stage": str(first)}
    about |= {"depth": depth, "analyser": index.analyser.name}
    stage = run_of(index, list(found.values()), found, f"{first} (first stage)")
    training = {"query_fingerprints": sorted({fingerprint(texts[query]) for query in found})}
    directions = {one.name: one.better for one in chosen}
    return Material(rows, truth, directions, about, texts, stage, training, tuple(notes))


def _learned(
    material: Material,
    *,
    learner: str,
    C: float | Sequence[float] | None,
    scaling: Scaling,
    folds: int,
    measures: Measures,
    rel: float,
    level: float,
    seed: int,
    output: str | Path | None,
    overwrite: bool,
    progress: Progress | None,
) -> LearnedRanking:
    from germane import __version__

    method = LEARNERS.parse(learner)
    choices: tuple[float | None, ...] = (C,) if C is None or isinstance(C, int | float) else tuple(sorted(C))
    if choices != (None,) and not method.takes_c:
        raise GermaneError(f"{learner} does not support `C=`", hint="remove `C=`")
    if not choices or any(c is not None and not 0 < c < np.inf for c in choices):
        raise GermaneError(f"expected C above 0, found {C}")
    wanted = list(MEASURES.parse_many(measures).values())
    if not wanted:
        raise GermaneError("expected at least one measure, found none", hint="for example `measures=['AP']`")
    rows, truth, stage = material.rows, material.truth, material.stage
    require_grades(rows)
    if copies := find_label_copies(rows.features, rows.grades, rows.names, rows.query):
        hint = "remove it: it will not be available when the model is used"
        raise GermaneError("; ".join(f"the feature {leak.examples[0]}" for leak in copies), hint=hint)
    if rel != 1 and not method.takes_rel:
        raise GermaneError(f"{learner} learns from all grades and does not support `rel=`", hint="remove `rel=`")
    scaled = rows.with_features(scale_by_query(rows.features, rows.query, scaling))
    groups, alike = _alike(rows, material.texts)
    task = Task(rows, scaled, truth, method, choices, rel, wanted[0], groups, seed)
    held = cross_validate(task, folds, material.directions, progress)
    runs = [task.run_of(held.best_feature, BEST_FEATURE), task.run_of(held.learned, learner)]
    runs = runs if stage is None else [stage, *runs]
    scores = evaluate(truth, {run.name: run for run in runs}, wanted)
    pairs = _pairs(scores, learner, level, seed)
    everything = np.arange(rows.num_queries)
    c = choose_c(task, everything)
    model = RankingModel(
        learner=learner,
        ranker=task.fit(everything, c),
        names=rows.names,
        scaling=scaling,
        training={
            "sha256": rows.digest(), "rows": rows.num_rows, "queries": rows.num_queries, "data": rows.name,
            "C": method.default_c if c is None else c, "rel": rel, "seed": seed, **material.training,
        },
        held_out=held_out_record(scores, pairs, held, level),
        germane=__version__,
        **material.about,
    )  # fmt: skip
    if output is not None:
        write_model(model, output, overwrite=overwrite)
    notes = [*material.notes, *scores.notes]
    if alike:
        what = f"{'duplicates' if alike == 1 else 'duplicate'} another; kept in the same fold"
        notes.append(Note("duplicate-queries", counted(alike, "query"), what, count=alike))
    family = adjusted_for("bonferroni", len(pairs), family_of_learning(pairs))
    what = f"p-values from paired t-tests, {family}; intervals of differences are simultaneous"
    notes.append(Note("family", "", what))
    return LearnedRanking(model, scores, pairs, held.folds, seed, c, tuple(notes))


def _pairs(scores: Scores, learned: str, level: float, seed: int) -> tuple[Pair, ...]:
    """Compare the learned ranking with each of the others; these times the measures are the family of tests."""

    def compared(alpha: float) -> list[list[Pair]]:
        return [[p for p in compare_systems(scores, alpha=alpha, correction="none", seed=seed).pairs if p.b == learned]]

    return in_one_family(compared, 1 - level)[0]


def _targets(output: str | Path | None, save_features: str | Path | None, overwrite: bool) -> dict[str, str | Path]:
    """Return the files to write; an existing file is an error before anything is computed."""
    given = {name: path for name, path in (("output", output), ("save_features", save_features)) if path is not None}
    for path in given.values():
        if not overwrite:
            require_new(path)
    return given


def _graded(rows: RankingData, truth: Qrels) -> tuple[RankingData, int]:
    """Return the rows with grades, and the number of unjudged ones, which get 0, as do negative grades."""
    judged = zip(truth.query.tolist(), truth.docs, truth.grade.tolist(), strict=True)
    known = {(truth.queries[query], doc): grade for query, doc, grade in judged}
    assert rows.docs is not None
    keys = [(rows.queries[query], doc) for query, doc in zip(rows.query.tolist(), rows.docs, strict=True)]
    unjudged = sum(known.get(key, -1) < 0 for key in keys)
    grade = np.asarray([max(known.get(key, 0.0), 0.0) for key in keys])
    return RankingData(rows.features, rows.names, rows.query, rows.queries, rows.docs, grade, rows.name), unjudged


def _alike(rows: RankingData, texts: Mapping[str, str] | None) -> tuple[dict[str, str], int]:
    """Return a group key by query, shared by duplicates (same words or, without texts, same rows), and their count."""
    groups = {}
    for place, query in enumerate(rows.queries):
        if texts is None:
            own = np.flatnonzero(rows.query == place)
            docs = [""] * len(own) if rows.docs is None else list(rows.docs.take(own))
            lines = sorted(zip((row.tobytes() for row in rows.features[own]), docs, strict=True))
            groups[query] = hashlib.sha256(repr(lines).encode()).hexdigest()  # independent of the order of rows
        else:
            groups[query] = fingerprint(texts[query])
    return groups, len(groups) - len(set(groups.values()))


def _known_directions(names: Sequence[str]) -> dict[str, str]:
    """Return the better direction of features with the names of built-in ones; others have neither."""
    found: dict[str, str] = {}
    for name in names:
        try:
            found[name] = "neither" if "=" in name else parse_feature(name).better
        except GermaneError:
            found[name] = "neither"
    return found
