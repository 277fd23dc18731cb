"""Learning to rank: an index, topics and judgments go in, or rows; a model and its held-out scores come out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from germane.api.comparing import compare
from germane.api.evaluating import evaluate, load_qrels
from germane.api.joint_family import in_one_family
from germane.api.learning_folds import Task, choose_c, cross_validate, doc_ids
from germane.api.learning_notes import family_of_learning, held_out_record, notes_on_candidates
from germane.arguments import checked
from germane.errors import GermaneError
from germane.formats.letor_file import read_letor, write_letor
from germane.formats.targets import require_new
from germane.formats.topics_file import Topic
from germane.learning.features import Chosen, compute_features, default_features, parse_feature, parse_features
from germane.learning.label_copies import find_label_copies
from germane.learning.learners import learner_of, require_grades
from germane.learning.model_file import RankingModel, fingerprint, write_model
from germane.learning.outcome import LearnedRanking
from germane.learning.reranking import DEFAULT_DEPTH
from germane.learning.scaling import Scaling, scale_by_query
from germane.measures.names import asked_measures
from germane.retrieval.engines.queries import queries_of
from germane.retrieval.index import Index
from germane.retrieval.models import Model, parse_model
from germane.retrieval.search import Ranking, search_many
from germane.retrieval.unspaced import notes_on_queries
from germane.tables.comparison import Pair, adjusted_for
from germane.tables.counted_notes import notes_on_ids
from germane.tables.measure import Measure
from germane.tables.qrels import Qrels
from germane.tables.ranking_data import RankingData
from germane.tables.run import Run
from germane.tables.scores import Note, Scores

Progress = Callable[[int, int], None]
Measures = str | Measure | Iterable[str | Measure]
DEFAULT_MEASURES = ("AP", "nDCG@10")
BEST_FEATURE = "best single feature"


@checked
def learn(
    index: Index | str | Path,
    topics: str | Path | Mapping[str, str | Topic],
    qrels: Any,
    *,
    features: Chosen | None = None,
    learner: str = "ranking-svm",
    C: float | Sequence[float] | None = None,
    scaling: Scaling = "minmax",
    model: str | Model = "BM25",
    depth: int = DEFAULT_DEPTH,
    folds: int = 5,
    measures: Measures = DEFAULT_MEASURES,
    rel: float = 1,
    field: str = "title",
    topic_numbers: Literal["given", "position"] = "given",
    qrels_format: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    output: str | Path | None = None,
    log: str | Path | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> LearnedRanking:
    """Learn to reorder the best `depth` documents that a model finds, and say how well that does on unseen queries.

    Each query's candidates are described by `features` (see `germane learn --list`), scaled within the query. Queries
    are divided into `folds`; each fold is ranked by what was learned from the others, and only these held-out rankings
    are scored, against the first stage and against the best single feature (chosen on the others, too). Of several
    `C`, one is chosen within the queries learned from, by the first of the `measures`. The model itself is then learned
    from all queries; `output` is its file, for ``retrieve(..., rerank=...)``, and `log` one for the rows.

    A candidate that nobody judged counts as grade 0.
    """
    outputs = _targets(output, log, overwrite)
    if depth < 1:
        raise GermaneError(f"expected depth above 0, found {depth}")
    opened = index if isinstance(index, Index) else Index.open(index)
    chosen = default_features(opened) if features is None else parse_features(features)
    if not opened.has_positions and (needs := [one.name for one in chosen if one.needs_positions]):
        hint = "index again with positions (`germane index --positions`), or remove this feature"
        raise GermaneError(f"{needs[0]} needs the positions of words, and this index has none", hint=hint)
    first = parse_model(model)
    truth = load_qrels(qrels, format=qrels_format)
    texts = queries_of(topics, field, topic_numbers)
    judged = [query for query in truth.queries if query in texts]
    if not judged:
        theirs = f"topics {', '.join(list(texts)[:3])}, judgments {', '.join(list(truth.queries)[:3])}"
        hint = "where judgments count the topics' positions, number them so (topic_numbers=position)"
        raise GermaneError(f"no topic is judged: {theirs}", hint=hint)
    truth = truth.take(np.flatnonzero([query in texts for query in truth.queries]))
    rankings = dict(zip(judged, search_many(opened, [texts[query] for query in judged], first, depth), strict=True))
    found = {query: ranking for query, ranking in rankings.items() if len(ranking)}
    if not found:
        raise GermaneError("no topic finds any document: there is nothing to learn from")
    computed = compute_features(
        opened, chosen, {query: texts[query] for query in found}, {query: r.docs for query, r in found.items()}
    )
    rows, unjudged = _graded(computed, truth)
    if "log" in outputs:
        write_letor(rows, outputs["log"], new=not overwrite)
    without_results = [query for query in judged if query not in found]
    not_judged = [query for query in texts if query not in rankings]
    notes = [
        *notes_on_candidates(rows, truth, unjudged, depth),
        *notes_on_ids("topics-without-results", without_results, "topic", "found nothing"),
        *notes_on_ids("unjudged-topics", not_judged, "topic", "without judgments, left out"),
        *notes_on_queries({query: texts[query] for query in judged}, opened.analyser),
    ]
    if features is None and not opened.has_positions:
        notes.append(Note("no-positions", "", "omega and proximity are left out: the index has no positions of words"))
    stage = _first_stage_run(opened, found, f"{first} (first stage)")
    about = {
        "features": tuple(one.spelled for one in chosen),
        "first_stage": str(first),
        "depth": depth,
        "analyser": opened.analyser.name,
    }
    training = {"query_fingerprints": sorted({fingerprint(texts[query]) for query in found})}
    return _learned(
        rows, truth, texts, stage, {one.name: one.better for one in chosen}, about, training, notes,
        learner=learner, C=C, scaling=scaling, folds=folds, measures=measures, rel=rel, level=level, seed=seed,
        output=outputs.get("output"), overwrite=overwrite, progress=progress,
    )  # fmt: skip


@checked
def learn_from_rows(
    data: RankingData | str | Path,
    *,
    groups: str | Path | None = None,
    names: str | Path | None = None,
    zero_based: bool = False,
    learner: str = "ranking-svm",
    C: float | Sequence[float] | None = None,
    scaling: Scaling = "minmax",
    folds: int = 5,
    measures: Measures = DEFAULT_MEASURES,
    rel: float = 1,
    level: float = 0.95,
    seed: int = 0,
    output: str | Path | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> LearnedRanking:
    """The same from rows of features with grades: a LETOR or SVMlight file (`groups` as LightGBM has them), or a table.

    >>> rows = [[1.0, 5], [0.0, 4], [0.5, 3], [0.9, 7], [0.1, 9], [0.5, 1]]
    >>> data = RankingData.of(rows, list("aaabbb"), grade=[1, 0, 0, 1, 0, 0])
    >>> found = learn_from_rows(data, learner="linear", folds=2, measures="AP")
    >>> found.scores.mean(), found.model.names
    ({'best single feature': {'AP': 1.0}, 'linear': {'AP': 1.0}}, ('1', '2'))
    """
    outputs = _targets(output, None, overwrite)
    rows = (
        data if isinstance(data, RankingData) else read_letor(data, groups=groups, names=names, zero_based=zero_based)
    )
    truth = Qrels.from_columns(
        [rows.queries[query] for query in rows.query.tolist()], doc_ids(rows), rows.grades, name=rows.name
    )
    about = {"features": rows.names, "first_stage": None, "depth": None, "analyser": None}
    return _learned(
        rows, truth, None, None, _known_directions(rows.names), about, {}, [],
        learner=learner, C=C, scaling=scaling, folds=folds, measures=measures, rel=rel, level=level, seed=seed,
        output=outputs.get("output"), overwrite=overwrite, progress=progress,
    )  # fmt: skip


def _learned(
    rows: RankingData,
    truth: Qrels,
    texts: Mapping[str, str] | None,
    stage: Run | None,
    directions: Mapping[str, str],
    about: Mapping[str, Any],
    training: Mapping[str, Any],
    notes: list[Note],
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

    method = learner_of(learner)
    choices: tuple[float | None, ...] = (
        (None,) if C is None else (C,) if isinstance(C, int | float) else tuple(sorted(C))
    )
    if choices != (None,) and not method.takes_c:
        raise GermaneError(f"{learner} has no C", hint="leave it out")
    if not choices or any(c is not None and not 0 < c < np.inf for c in choices):
        raise GermaneError(f"expected C above 0, found {C}")
    wanted = list(asked_measures(measures).values())
    if not wanted:
        raise GermaneError("expected at least one measure, found none", hint="for example `measures=['AP']`")
    require_grades(rows)
    if copies := find_label_copies(rows.features, rows.grades, rows.names, rows.query):
        hint = "leave it out: it will not be there when the model is used"
        raise GermaneError("; ".join(f"the feature {leak.examples[0]}" for leak in copies), hint=hint)
    if rel != 1 and not method.takes_rel:
        raise GermaneError(f"{learner} learns from all grades: rel={rel:g} changes nothing", hint="leave it out")
    scaled = rows.with_features(scale_by_query(rows.features, rows.query, scaling))
    groups, alike = _alike(rows, texts)
    task = Task(rows, scaled, truth, method, choices, rel, wanted[0], groups, seed)
    held = cross_validate(task, folds, directions, progress)
    runs = [
        *(() if stage is None else (stage,)),
        task.run_of(held.best_feature, BEST_FEATURE),
        task.run_of(held.learned, learner),
    ]
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
            "C": method.default_c if c is None else c, "rel": rel, "seed": seed, **training,
        },
        held_out=held_out_record(scores, pairs, held, level),
        germane=__version__,
        **about,
    )  # fmt: skip
    if output is not None:
        write_model(model, output, new=not overwrite)
    found = [*notes, *scores.notes]
    if alike:
        amount, are = ("1 query", "is") if alike == 1 else (f"{alike:,} queries", "are")
        what = f"{are} the same as another one, and kept in one fold with it"
        found.append(Note("queries-alike", amount, what, count=alike))
    family = adjusted_for("bonferroni", len(pairs), family_of_learning(pairs))
    found.append(Note("family", "p", f"from paired t tests, {family}; intervals of differences are simultaneous"))
    return LearnedRanking(
        model, scores, pairs, held.folds, learner, BEST_FEATURE, None if stage is None else stage.name, level, seed, c,
        rows.num_rows, tuple(found),
    )  # fmt: skip


def _pairs(scores: Scores, learned: str, level: float, seed: int) -> tuple[Pair, ...]:
    """What was learned against each of the others; these, times the measures, are the family of tests."""

    def compared(alpha: float) -> list[list[Pair]]:
        return [[p for p in compare(scores, alpha=alpha, correction="none", seed=seed).pairs if p.b == learned]]

    return in_one_family(compared, 1 - level)[0]


def _targets(output: str | Path | None, log: str | Path | None, overwrite: bool) -> dict[str, str | Path]:
    """The files that will be written; one that is there already is an error before anything is computed."""
    given = {name: path for name, path in (("output", output), ("log", log)) if path is not None}
    for path in given.values():
        if not overwrite:
            require_new(path)
    return given


def _graded(rows: RankingData, truth: Qrels) -> tuple[RankingData, int]:
    """The rows with their grades, and how many of them nobody judged: these get 0, as do negative grades."""
    known = {
        (truth.queries[query], doc): grade
        for query, doc, grade in zip(truth.query.tolist(), truth.docs, truth.grade.tolist(), strict=True)
    }
    assert rows.docs is not None
    keys = [(rows.queries[query], doc) for query, doc in zip(rows.query.tolist(), rows.docs, strict=True)]
    unjudged = sum(known.get(key, -1) < 0 for key in keys)
    grade = np.asarray([max(known.get(key, 0.0), 0.0) for key in keys])
    return RankingData(rows.features, rows.names, rows.query, rows.queries, rows.docs, grade, rows.name), unjudged


def _first_stage_run(index: Index, found: Mapping[str, Ranking], name: str) -> Run:
    scores = {
        query: {index.doc_id(int(doc)): float(score) for doc, score in zip(r.docs, r.scores, strict=True)}
        for query, r in found.items()
    }
    return Run.from_dict(scores, name=name)


def _alike(rows: RankingData, texts: Mapping[str, str] | None) -> tuple[dict[str, str], int]:
    """By query, what it shares with queries that are the same: the same words, or where there are none, rows."""
    groups = {}
    for place, query in enumerate(rows.queries):
        if texts is None:
            own = np.flatnonzero(rows.query == place)
            docs = [""] * len(own) if rows.docs is None else list(rows.docs.take(own))
            lines = sorted(zip((row.tobytes() for row in rows.features[own]), docs, strict=True))
            groups[query] = hashlib.sha256(repr(lines).encode()).hexdigest()  # in whatever order the rows come
        else:
            groups[query] = fingerprint(texts[query])
    return groups, len(groups) - len(set(groups.values()))


def _known_directions(names: Sequence[str]) -> dict[str, str]:
    """Which way features point that have the names of ours; nothing is known of others."""
    found: dict[str, str] = {}
    for name in names:
        try:
            found[name] = "neither" if "=" in name else parse_feature(name).better
        except GermaneError:
            found[name] = "neither"
    return found
