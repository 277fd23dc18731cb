"""The public names and the modules that define them: the single list behind the package, its namespaces and the docs.

A name is imported on first use, from the module named here as text, so that the lowest layer can offer names of higher
layers. The stubs (`*.pyi`) for type checkers and editors are generated from this table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module

HOMES: dict[str, dict[str, str]] = {
    "germane": {
        "germane.api.truth.agreement": "agree",
        "germane.api.decisions.classification": "classify",
        "germane.api.comparisons.comparison": "compare",
        "germane.api.rankings.correlation": "correlate",
        "germane.api.rankings.evaluation": "evaluate",
        "germane.api.explanation": "explain",
        "germane.api.retrieval.fusion": "fuse",
        "germane.api.retrieval.indexing": "index",
        "germane.api.learning.learning_to_rank": "learn",
        "germane.api.truth.pooling": "pool",
        "germane.api.truth.release": "release",
        "germane.api.retrieval.retrieval": "retrieve",
        "germane.api.rankings.score_tables": "read_scores",
        "germane.api.thresholds.choice": "threshold",
        "germane.api.learning.tuning": "tune",
        "germane.errors": "GermaneError InputError",
        "germane.formats.rankings.ranking_files": "read_qrels read_run write_qrels write_run",
        "germane.measures.explain": "Explanation",
        "germane.measures.definition": "measure",
        "germane.output.plots.notebook_figures": "Figure",
        "germane.output.reports.writing": "plot report",
        "germane.api.retrieval.search": "search",
        "germane.stats.rankings.correlations": "Correlations",
        "germane.tables.results.agreement": "Agreement",
        "germane.tables.results.comparison": "Comparison",
        "germane.tables.decisions.confusion": "Confusion",
        "germane.tables.decisions.decisions": "Decisions",
        "germane.tables.rankings.judged_run": "JudgedRun",
        "germane.tables.rankings.measure": "Measure",
        "germane.tables.results.performance": "Performance",
        "germane.tables.results.performances": "Performances",
        "germane.tables.rankings.qrels": "Qrels",
        "germane.tables.rankings.run": "Run",
        "germane.tables.notes.note": "Note",
        "germane.tables.results.result": "Result",
        "germane.tables.results.scores": "Scores",
        "germane.tables.results.threshold": "Threshold",
    },
    "germane.errors": {
        "germane.errors": "GermaneError InputError MeasureError MissingExtraError OutOfMemoryError",
    },
    "germane.exercises": {
        "germane.exercises.results": "CheckedFiles",
    },
    "germane.formats": {
        "germane.formats.files.part_folders": "Parts",
        "germane.formats.rows.validation": "FileCheck",
    },
    "germane.learning": {
        "germane.api.learning.agent": "Agent",
        "germane.formats.learning.letor_file": "read_letor write_letor",
        "germane.learning.data.error_decomposition": "BiasVariance bias_variance",
        "germane.learning.data.leakage": "find_leaks",
        "germane.learning.agent.answers": "Answer",
        "germane.learning.agent.description": "AgentDescription",
        "germane.learning.agent.simulation": "Simulation",
        "germane.learning.model_file": "read_model",
        "germane.learning.outcome": "LearnedRanking",
        "germane.learning.tuning.result": "Tuning",
        "germane.learning.learners.naive_bayes": "NaiveBayes",
        "germane.learning.learners.ranking_svm": "RankingSVM",
        "germane.learning.data.splits": "Split k_folds read_split split_by_share write_split",
        "germane.learning.strategies.strategy": "Strategy parse_strategy",
        "germane.learning.learners.transduction": "PartitioningTransduction",
        "germane.tables.rankings.ranking_data": "RankingData",
    },
    "germane.measures": {
        "germane.api.rankings.evaluation": "judge_run load_qrels",
        "germane.measures.decisions.explain": "DecisionExplanation",
        "germane.measures.rankings.curves": "precision_recall_points roc_points",
        "germane.measures.decisions.measure": "DECISION_MEASURES",
        "germane.measures.decisions.rates": "RATES",
        "germane.measures.definition": "MEASURES",
        "germane.output.texts.measure_list": "MeasureList",
        "germane.tables.decisions.confusion": "Cells",
        "germane.tables.rankings.judged_run": "Worked judged",
        "germane.tables.rankings.matching": "match",
    },
    "germane.retrieval": {
        "germane.api.retrieval.feedback": "evaluate_feedback score_feedback",
        "germane.retrieval.texts.analysis": "Analyser",
        "germane.retrieval.engines.record": "Retrieval read_record",
        "germane.retrieval.feedback": "FEEDBACK Feedback",
        "germane.retrieval.fusion": "FUSION NORMALISATIONS",
        "germane.retrieval.indexes.index": "Index",
        "germane.retrieval.indexes.summary": "IndexSummary",
        "germane.retrieval.models": "MODELS Model model",
        "germane.retrieval.query": "Query",
        "germane.retrieval.probability.ranking_principle": "Costs decide",
        "germane.retrieval.probability.relevance_probability": "calibrate",
        "germane.retrieval.explain": "ScoreExplanation",
        "germane.retrieval.rounds": "Round",
        "germane.tables.results.rankings": "Rankings",
        "germane.distributed.spark_run": "FusedFrame",
        "germane.tables.results.feedback_evaluation": "FeedbackEvaluation",
    },
    "germane.sklearn": {
        "germane.api.scikit_learn.cross_validation": "compare_cross_validated compare_folds",
        "germane.api.scikit_learn.scorers": "scorer",
        "germane.output.plots.displays": "Display",
    },
    "germane.stats": {
        "germane.tables.results.classifier_comparison": "ClassifierComparison",
        "germane.tables.results.comparison": "Pair SystemComparison",
        "germane.tables.results.performance": "Estimate",
        "germane.tables.results.performances": "AtThresholds",
    },
    "germane.truth": {
        "germane.judging.pooling": "POOLING",
        "germane.judging.release": "Release",
        "germane.api.truth.pool_simulation": "PoolSimulation simulate_pools",
        "germane.tables.truth.judgments": "JudgmentEvent Judgments",
        "germane.tables.truth.pool": "Pool PoolItem",
    },
    "germane.vectors": {
        "germane.api.vectors.approximation": "Approximation approximation",
        "germane.api.vectors.nearest": "nearest",
        "germane.api.vectors.evaluation": "evaluate",
    },
}
"""For each public module, the modules that define its names, and the names."""
TOP = "germane"
NAMESPACES = (*(name.rpartition(".")[2] for name in HOMES if name != TOP), "types")
"""Modules that can be used as attributes of `germane`."""


def home_of(module: str) -> dict[str, str]:
    """Return the public names of a module, sorted, each with the module that defines it."""
    return dict(sorted((name, home) for home, names in HOMES[module].items() for name in names.split()))


def offer(module: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a module that offers public names."""
    homes = home_of(module)
    spaces = NAMESPACES if module == TOP else ()

    def get(name: str) -> object:
        if name in spaces:
            return import_module(f"{module}.{name}")
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    listed = list(homes)
    return get, lambda: sorted({*listed, *spaces}), listed
