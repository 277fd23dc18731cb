"""germane: is this search engine, recommender, detector or classifier any good, and how sure are we?

>>> import germane as ge
>>> scores = ge.evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, ["RR", "nDCG@10"])
>>> scores.mean()["run"]["RR"]
0.5
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from germane.tables.display import show_results_by

if TYPE_CHECKING:
    from germane.api.agent import Agent
    from germane.api.agreeing import agree
    from germane.api.approximation import Approximation, evaluate_approximation
    from germane.api.assessing import assess_clusters, assess_densities, assess_label_sets, assess_regression
    from germane.api.classifying import classify, classify_matrix
    from germane.api.classifying_files import classify_data
    from germane.api.comparing import compare, scores_of
    from germane.api.comparing_classifiers import compare_classifiers
    from germane.api.comparing_groups import compare_groups
    from germane.api.correlating import correlate
    from germane.api.evaluating import evaluate, explain, judge_run, load_qrels
    from germane.api.explaining_decisions import explain_decisions
    from germane.api.feedback import evaluate_feedback, score_feedback
    from germane.api.fusing import fuse
    from germane.api.indexing import build_index, delete_from_index, describe_index, merge_index
    from germane.api.learning import learn, learn_from_rows
    from germane.api.nearest import find_nearest
    from germane.api.pooling import make_pool
    from germane.api.releasing import release
    from germane.api.retrieving import retrieve
    from germane.api.score_tables import read_scores
    from germane.api.simulating_pools import simulate_pools
    from germane.api.thresholding import choose_threshold
    from germane.api.tuning import tune
    from germane.api.vectors import evaluate_vectors
    from germane.errors import GermaneError, InputError, MeasureError, MissingExtraError, OutOfMemoryError
    from germane.formats.letor_file import read_letor, write_letor
    from germane.formats.part_folders import Parts
    from germane.formats.registry import read_qrels, read_run, write_qrels, write_run
    from germane.learning.bias_variance import bias_variance
    from germane.learning.leakage import find_leaks
    from germane.learning.model_file import read_model
    from germane.learning.naive_bayes import NaiveBayes
    from germane.learning.ranking_svm import RankingSVM
    from germane.learning.splits import Split, k_folds, read_split, split_by_share, write_split
    from germane.learning.strategies import Strategy, parse_strategy
    from germane.learning.transduction import PartitioningTransduction
    from germane.measures.explain import Explanation
    from germane.measures.names import parse_measure
    from germane.measures.ranking.curves import precision_recall_points, roc_points
    from germane.measures.registry import all_definitions, measure
    from germane.report.decision_writing import plot_decisions, report_decisions
    from germane.report.writing import plot, report
    from germane.retrieval.analysis import Analyser
    from germane.retrieval.engines.record import Retrieval, read_record
    from germane.retrieval.explain import explain_score
    from germane.retrieval.feedback import all_feedback, feedback_of
    from germane.retrieval.index import Index
    from germane.retrieval.models import Model, all_models, model, parse_model
    from germane.retrieval.query import Query
    from germane.retrieval.ranking_principle import Costs, decide
    from germane.retrieval.relevance_probability import calibrate
    from germane.retrieval.search import Ranking, search, search_many
    from germane.stats.agreement_of_rankings import MeasureCorrelations, between_measures
    from germane.stats.correlations import Correlations
    from germane.tables.agreement_report import AgreementReport
    from germane.tables.classifier_comparison import ClassifierComparison
    from germane.tables.comparison import Comparison, Pair
    from germane.tables.confusion import Cells, Confusion
    from germane.tables.counting import count_confusion
    from germane.tables.decisions import Decisions
    from germane.tables.feedback_evaluation import FeedbackEvaluation
    from germane.tables.judged_run import JudgedRun, Worked, judged
    from germane.tables.judgments import JudgmentEvent, Judgments
    from germane.tables.matching import match
    from germane.tables.measure import Measure
    from germane.tables.performance import Estimate, Performance
    from germane.tables.pool import Pool, PoolItem
    from germane.tables.qrels import Qrels
    from germane.tables.ranking_data import RankingData
    from germane.tables.run import Run
    from germane.tables.scores import Note, Scores
    from germane.tables.threshold_choice import ThresholdReport

_HOMES = {
    "germane.api.agent": ("Agent",),
    "germane.api.agreeing": ("agree",),
    "germane.api.approximation": ("Approximation", "evaluate_approximation"),
    "germane.api.assessing": ("assess_clusters", "assess_densities", "assess_label_sets", "assess_regression"),
    "germane.api.classifying": ("classify", "classify_matrix"),
    "germane.api.classifying_files": ("classify_data",),
    "germane.api.comparing": ("compare", "scores_of"),
    "germane.api.comparing_classifiers": ("compare_classifiers",),
    "germane.api.comparing_groups": ("compare_groups",),
    "germane.api.correlating": ("correlate",),
    "germane.api.evaluating": ("evaluate", "explain", "judge_run", "load_qrels"),
    "germane.api.explaining_decisions": ("explain_decisions",),
    "germane.api.feedback": ("evaluate_feedback", "score_feedback"),
    "germane.api.fusing": ("fuse",),
    "germane.api.indexing": ("build_index", "delete_from_index", "describe_index", "merge_index"),
    "germane.api.learning": ("learn", "learn_from_rows"),
    "germane.api.nearest": ("find_nearest",),
    "germane.api.pooling": ("make_pool",),
    "germane.api.releasing": ("release",),
    "germane.api.retrieving": ("retrieve",),
    "germane.api.score_tables": ("read_scores",),
    "germane.api.simulating_pools": ("simulate_pools",),
    "germane.api.thresholding": ("choose_threshold",),
    "germane.api.tuning": ("tune",),
    "germane.api.vectors": ("evaluate_vectors",),
    "germane.errors": ("GermaneError", "InputError", "MeasureError", "MissingExtraError", "OutOfMemoryError"),
    "germane.formats.letor_file": ("read_letor", "write_letor"),
    "germane.formats.registry": ("read_qrels", "read_run", "write_qrels", "write_run"),
    "germane.learning.bias_variance": ("bias_variance",),
    "germane.learning.leakage": ("find_leaks",),
    "germane.learning.model_file": ("read_model",),
    "germane.learning.naive_bayes": ("NaiveBayes",),
    "germane.learning.ranking_svm": ("RankingSVM",),
    "germane.learning.splits": ("Split", "k_folds", "read_split", "split_by_share", "write_split"),
    "germane.learning.strategies": ("Strategy", "parse_strategy"),
    "germane.learning.transduction": ("PartitioningTransduction",),
    "germane.measures.explain": ("Explanation",),
    "germane.measures.names": ("parse_measure",),
    "germane.measures.ranking.curves": ("precision_recall_points", "roc_points"),
    "germane.measures.registry": ("all_definitions", "measure"),
    "germane.report.decision_writing": ("plot_decisions", "report_decisions"),
    "germane.report.writing": ("plot", "report"),
    "germane.retrieval.analysis": ("Analyser",),
    "germane.retrieval.engines.record": ("Retrieval", "read_record"),
    "germane.retrieval.explain": ("explain_score",),
    "germane.retrieval.feedback": ("all_feedback", "feedback_of"),
    "germane.retrieval.index": ("Index",),
    "germane.retrieval.models": ("Model", "all_models", "model", "parse_model"),
    "germane.retrieval.query": ("Query",),
    "germane.retrieval.ranking_principle": ("Costs", "decide"),
    "germane.retrieval.relevance_probability": ("calibrate",),
    "germane.retrieval.search": ("Ranking", "search", "search_many"),
    "germane.stats.agreement_of_rankings": ("MeasureCorrelations", "between_measures"),
    "germane.stats.correlations": ("Correlations",),
    "germane.tables.agreement_report": ("AgreementReport",),
    "germane.tables.classifier_comparison": ("ClassifierComparison",),
    "germane.tables.comparison": ("Comparison", "Pair"),
    "germane.formats.part_folders": ("Parts",),
    "germane.tables.confusion": ("Cells", "Confusion"),
    "germane.tables.counting": ("count_confusion",),
    "germane.tables.decisions": ("Decisions",),
    "germane.tables.feedback_evaluation": ("FeedbackEvaluation",),
    "germane.tables.judged_run": ("JudgedRun", "Worked", "judged"),
    "germane.tables.judgments": ("JudgmentEvent", "Judgments"),
    "germane.tables.matching": ("match",),
    "germane.tables.measure": ("Measure",),
    "germane.tables.performance": ("Estimate", "Performance"),
    "germane.tables.pool": ("Pool", "PoolItem"),
    "germane.tables.qrels": ("Qrels",),
    "germane.tables.ranking_data": ("RankingData",),
    "germane.tables.run": ("Run",),
    "germane.tables.scores": ("Note", "Scores"),
    "germane.tables.threshold_choice": ("ThresholdReport",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Agent",
    "AgreementReport",
    "Analyser",
    "Approximation",
    "Cells",
    "ClassifierComparison",
    "Comparison",
    "Confusion",
    "Correlations",
    "Costs",
    "Decisions",
    "Estimate",
    "Explanation",
    "FeedbackEvaluation",
    "GermaneError",
    "Index",
    "InputError",
    "JudgedRun",
    "JudgmentEvent",
    "Judgments",
    "Measure",
    "MeasureCorrelations",
    "MeasureError",
    "MissingExtraError",
    "Model",
    "NaiveBayes",
    "Note",
    "OutOfMemoryError",
    "Pair",
    "PartitioningTransduction",
    "Parts",
    "Performance",
    "Pool",
    "PoolItem",
    "Qrels",
    "Query",
    "Ranking",
    "RankingData",
    "RankingSVM",
    "Retrieval",
    "Run",
    "Scores",
    "Split",
    "Strategy",
    "ThresholdReport",
    "Worked",
    "agree",
    "all_definitions",
    "all_feedback",
    "all_models",
    "assess_clusters",
    "assess_densities",
    "assess_label_sets",
    "assess_regression",
    "between_measures",
    "bias_variance",
    "build_index",
    "calibrate",
    "choose_threshold",
    "classify",
    "classify_data",
    "classify_matrix",
    "compare",
    "compare_classifiers",
    "compare_groups",
    "correlate",
    "count_confusion",
    "decide",
    "delete_from_index",
    "describe_index",
    "evaluate",
    "evaluate_approximation",
    "evaluate_feedback",
    "evaluate_vectors",
    "explain",
    "explain_decisions",
    "explain_score",
    "feedback_of",
    "find_leaks",
    "find_nearest",
    "fuse",
    "judge_run",
    "judged",
    "k_folds",
    "learn",
    "learn_from_rows",
    "load_qrels",
    "make_pool",
    "match",
    "measure",
    "merge_index",
    "model",
    "parse_measure",
    "parse_model",
    "parse_strategy",
    "plot",
    "plot_decisions",
    "precision_recall_points",
    "read_letor",
    "read_model",
    "read_qrels",
    "read_record",
    "read_run",
    "read_scores",
    "read_split",
    "release",
    "report",
    "report_decisions",
    "retrieve",
    "roc_points",
    "score_feedback",
    "scores_of",
    "search",
    "search_many",
    "simulate_pools",
    "split_by_share",
    "tune",
    "write_letor",
    "write_qrels",
    "write_run",
    "write_split",
]


# Tables may not reach up to the layer that writes HTML, so they are given it here, and load it when something is shown.
show_results_by(lambda result: import_module("germane.report.notebook").mime_bundle(result))


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("germane")
        except PackageNotFoundError:  # run from its source, not installed
            return "0+source"
    if name not in _HOME_OF:
        raise AttributeError(f"module 'germane' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
