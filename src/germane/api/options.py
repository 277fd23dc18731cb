"""Options of verbs, declared once for all that take them: type checkers and `germane.arguments` read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from germane.formats.decisions.labelled_columns import Name, Names
from germane.formats.decisions.missing_values import Missing
from germane.formats.rankings.score_table import Layout
from germane.measures.foreign_names import TrecVersion
from germane.stats.significance.outcomes import Sides
from germane.tables.decisions.confusion import Label, Rows
from germane.tables.rankings.judged_run import Ties
from germane.types import ScoreType, Topics

if TYPE_CHECKING:
    from germane.retrieval.models import Model
    from germane.types import (
        CostsLike,
        FeaturesLike,
        LabelScoresLike,
        LabelSetsLike,
        LabelsLike,
        ProbabilitiesLike,
        Progress,
        ScoresLike,
        SlicesLike,
        TableLike,
        TextsLike,
        TopicsLike,
    )

Task = Literal["classes", "label-sets", "regression", "clusters", "densities"]
Average = Literal["binary", "macro", "micro", "weighted", "samples"]
Mcnemar = Literal["exact", "mid-p", "corrected", "uncorrected"]


class FusionOptions(TypedDict, total=False):
    """Options of `fuse`."""

    weights: Mapping[str, float] | None
    normalise: str | None
    depth: int | None
    k: int | None
    ties: str
    run_format: str | None


class ReadingOptions(TypedDict, total=False):
    """Options for reading and ordering judgments and runs; see `evaluate`."""

    ties: Ties
    score_type: ScoreType | None
    trec_version: TrecVersion
    scale: float | None
    collection_size: int | None
    qrels_format: str | None
    run_format: str | None


class CompareOptions(ReadingOptions, total=False):
    """Options for reading runs or tables and comparing systems, groups of queries or classifiers; see `compare`."""

    topics: Topics
    slices: SlicesLike | None
    layout: Layout | None
    groups: SlicesLike | None
    baseline: str | None
    test: str | None
    sides: Sides
    correction: str
    alpha: float
    interval: str | None
    level: float | None
    equivalence: float | None
    margin: float | None
    difference: float | None
    folds: tuple[float, float] | None
    seed: int
    resamples: int | None
    positive: Label | None
    cluster: Name | LabelsLike | None
    labels: Sequence[Label] | None
    mcnemar: Mcnemar
    task: Task
    separator: str | None
    threshold: float | Mapping[Label, float] | None
    zero_division: float
    progress: Progress | None


class ColumnOptions(TypedDict, total=False):
    """Columns of a table of items, how to read them, and the positive class; columns not named are inferred."""

    truth: Name | None
    predicted: Names
    score: Names
    weight: Name | None
    matrix: bool
    invert: bool
    positive: Label | None
    threshold: float | Mapping[Label, float] | None
    missing: Missing | None
    decimal: str | None
    encoding: str | None


class ClassifyOptions(ColumnOptions, total=False):
    """Options of `classify` besides its data."""

    probabilities: Names
    task: Task
    separator: str | None
    rows: Rows
    stream: bool
    labels: Sequence[Label] | None
    one_class: Label | None
    average: Average | None
    are_probabilities: bool | None
    level: float
    interval: str
    bootstrap: Literal["bca", "percentile"]
    stratified: bool
    auc_scale: Literal["logit", "plain"]
    resamples: int | None
    seed: int
    zero_division: float
    prevalence: float | None
    cost_fp: float | None
    cost_fn: float | None
    baseline: str | None
    correction: str
    mcnemar: Mcnemar
    cluster: Name | LabelsLike | None
    slices: Names | LabelsLike | TableLike | None
    against: str | None
    test: str | None
    quantiles: Mapping[float, Any] | None
    vectors: FeaturesLike | Names
    name: str | None
    progress: Progress | None


class ScorerOptions(TypedDict, total=False):
    """Options of a scorer that `classify` takes; see `germane.sklearn.scorer`."""

    zero_division: float
    prevalence: float | None
    cost_fp: float | None
    cost_fn: float | None


class FoldOptions(TypedDict, total=False):
    """Options of a comparison on folds; see `compare`."""

    baseline: str | None
    sides: Sides
    correction: str
    alpha: float
    level: float | None
    equivalence: float | None
    margin: float | None


class ArrayOptions(TypedDict, total=False):
    """Arrays beside the true labels, which are the data."""

    y_pred: LabelsLike | LabelSetsLike | None
    y_score: ScoresLike | LabelScoresLike | None
    sample_weight: ScoresLike | None


class ExplainOptions(ReadingOptions, ColumnOptions, ArrayOptions, total=False):
    """Options for reading runs or items, or scoring documents; see `explain`."""

    model: str | Model
    probabilities: str | None
    labels: Sequence[Label] | None
    task: Task
    separator: str | None


class ReportOptions(ReadingOptions, ClassifyOptions, ArrayOptions, total=False):
    """Options for reading runs or items and showing them; see `report`."""

    y_proba: ProbabilitiesLike | None
    topics: Topics
    alpha: float
    depth: int
    run_costs: CostsLike | None
    query_texts: TopicsLike | None
    topic_numbers: Literal["given", "position"]
    documents: TextsLike | None
    rules: Sequence[str]
