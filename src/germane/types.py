"""Types of public signatures: the data that functions accept.

Type checkers read the aliases, and so does `germane.arguments`: a type with a protocol among its parts may be anything,
and its reader refuses what it cannot use. At run time an alias is a string, so that it imports nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyspark.sql as spark
    from numpy.typing import ArrayLike, NDArray

    from germane.distributed.spark_run import SparkRun
    from germane.formats.decisions.labelled_rows import LabelledRows
    from germane.formats.documents.reading import Document
    from germane.formats.truth.judgments_file import JudgmentFile
    from germane.formats.truth.topics_file import Topic
    from germane.measures.decisions.explain import DecisionExplanation
    from germane.measures.explain import Explanation
    from germane.output.plots import notebook_figures
    from germane.retrieval.indexes.index import Index
    from germane.tables.decisions.confusion import Confusion, Label
    from germane.tables.decisions.decisions import Decisions
    from germane.tables.rankings.judged_run import JudgedRun
    from germane.tables.rankings.measure import Measure
    from germane.tables.rankings.qrels import Qrels
    from germane.tables.rankings.run import Run
    from germane.tables.truth.judgments import JudgmentEvent, Judgments


class ArrowStream(Protocol):
    """An object with Arrow's C stream interface: frames and columns of pandas, polars, pyarrow, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule with the stream."""


class Frame(Protocol):
    """A data frame of any library; it has columns."""

    @property
    def columns(self) -> object:
        """The names of the columns, or the columns."""


class SparkFrame(Protocol):
    """A data frame of Spark, classic or Connect."""

    @property
    def sparkSession(self) -> object:  # noqa: N802 - Spark's name
        """The session that it belongs to."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""

    @property
    def schema(self) -> Any:
        """The names and types of the columns."""

    def select(self, *columns: Any) -> Any:
        """Return a frame of some columns."""

    def take(self, num: int) -> list[Any]:
        """Return the first rows."""


class Learner(Protocol):
    """A classifier that learns from rows and labels, and predicts labels of other rows."""

    def fit(self, X: Any, y: Any) -> object:
        """Learn from rows and their labels."""

    def predict(self, X: Any) -> object:
        """Return a label for each row."""


class Splitter(Protocol):
    """A splitter of scikit-learn, such as `RepeatedStratifiedKFold`."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterable[tuple[Any, Any]]:
        """Yield the rows of the training and the test part of each fold."""


Topics = Literal["qrels", "both"]
"""Queries to average over: all judged ones, or only those that are also in the run."""
ScoreType = Literal["float64", "float32"]
"""Score precision, on which ties depend."""
Progress = Callable[[int, int | None], None]
"""Callback with the number of completed steps and their total."""

AnyFrame: TypeAlias = "pd.DataFrame | pl.DataFrame | pa.Table | spark.DataFrame"
"""A data frame of the requested library."""
TableLike: TypeAlias = (
    "str | Path | Frame | ArrowStream | Mapping[str, Any] | Iterable[Mapping[str, Any]] | NDArray[Any] | SparkRun"
    " | LabelledRows"
)
"""Rows with named columns: a file, a data frame, a dict of columns, a list of dicts, or a structured array."""
QrelsLike: TypeAlias = (
    "str | Path | Qrels | Frame | ArrowStream | Mapping[Any, Any] | Iterable[Sequence[Any]] | NDArray[Any]"
)
"""Judgments: a file, `Qrels`, grades by query and document, rows, columns or a data frame."""
RunLike: TypeAlias = (
    "str | Path | Run | JudgedRun | SparkRun | Frame | ArrowStream | Mapping[Any, Any] | Iterable[Sequence[Any]]"
    " | NDArray[Any]"
)
"""A run: a file, `Run`, scores by query and document, rows, columns or a data frame, of Spark too."""
SparkRunsLike: TypeAlias = "Iterable[SparkFrame | SparkRun] | Mapping[str, SparkFrame | SparkRun]"
"""Runs on Spark: several data frames of Spark, or data frames by name."""
RunsLike: TypeAlias = "RunLike | Iterable[RunLike] | Mapping[str, RunLike]"
"""A run, a folder of run files, several runs, or runs by name."""
MeasuresLike: TypeAlias = "str | Measure | Iterable[str | Measure]"
"""Measures of rankings by name: one, or several."""
SlicesLike: TypeAlias = "str | Path | Mapping[str, str]"
"""Slices of queries: a file with one `query slice` per line, or a dict."""
ScoreTablesLike: TypeAlias = (
    "str | Path | Sequence[str | Path] | Frame | ArrowStream | Mapping[str, str | Path | Frame | ArrowStream]"
)
"""Per-query scores written by another tool: files, or data frames by system."""
CostsLike: TypeAlias = "str | Path | Mapping[str, Mapping[str, float]]"
"""Cost of each run: a CSV file, or values by run and kind of cost."""
ValuesLike: TypeAlias = "Mapping[str, Mapping[str, float]]"
"""Values by system and query."""
LeaderboardLike: TypeAlias = "str | Path | Mapping[str, float] | Mapping[str, Mapping[str, float]] | Frame"
"""A leaderboard: a file, values by system, or by measure and system."""

LabelsLike: TypeAlias = "Iterable[Label | None] | Mapping[Any, Label] | ArrowStream"
"""A label for each item: a list, an array, a column of a data frame; or labels by id."""
ScoresLike: TypeAlias = "Iterable[float] | Mapping[Any, float] | ArrowStream"
"""A number for each item: a list, an array, a column of a data frame; or numbers by id."""
ColumnsLike: TypeAlias = "Mapping[str, LabelsLike] | Frame | ArrowStream"
"""A column for each classifier, by name."""
ProbabilitiesLike: TypeAlias = "ArrayLike | Frame | ArrowStream | Mapping[Any, Any]"
"""A column of probabilities for each class: a matrix with a row for each item, or columns by label."""
LabelSetsLike: TypeAlias = "Iterable[Iterable[Label]] | Mapping[Any, Iterable[Label]] | ArrayLike | Frame"
"""A set of labels for each item, or a matrix of 0 and 1 with a column for each label."""
LabelScoresLike: TypeAlias = "ArrayLike | Frame | Mapping[Any, Iterable[float]]"
"""A score for each item and label: a matrix with a row for each item, columns by label, or rows by id."""
MatrixLike: TypeAlias = "Confusion | Iterable[Any] | Frame | str | Path"
"""A confusion matrix: `Confusion`, a square of counts, or a file."""
ScoredLike: TypeAlias = (
    "TableLike | Decisions | tuple[LabelsLike, ScoresLike] | tuple[LabelsLike, ScoresLike, ScoresLike]"
)
"""Items with scores: a table, a pair of labels and scores (and weights), or `Decisions`."""
FeaturesLike: TypeAlias = "Iterable[Any] | Frame | ArrowStream"
"""A row of features for each item."""

SplitsLike: TypeAlias = "int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]]"
"""Folds of a cross-validation: their number, a splitter, or rows of the training and test part of each."""
FoldResultsLike: TypeAlias = "Mapping[str, Mapping[str, Any]]"
"""By estimator, what `cross_validate` of scikit-learn returned, or values by measure and fold."""
LearnerLike: TypeAlias = "Learner | Callable[[], Learner]"
"""A learner, or a function that creates one."""

Figure: TypeAlias = "notebook_figures.Figure"
"""A Vega-Lite specification that a notebook draws."""
Explained: TypeAlias = "Explanation | DecisionExplanation"
"""The breakdown of a measure, for a ranking or for labelled items."""
TopicsLike: TypeAlias = "str | Path | Mapping[str, str | Topic]"
"""Topics: a file, or texts by id."""
DocumentsLike: TypeAlias = "str | Path | Sequence[str | Path] | Mapping[str, str] | Iterable[Document]"
"""Documents: files of a collection, texts by id, or documents."""
TextsLike: TypeAlias = "str | Path | Index | Mapping[str, str]"
"""Document texts: an index, a collection, or texts by id."""
JudgmentsLike: TypeAlias = (
    "str | Path | Iterable[str | Path] | Iterable[JudgmentEvent] | Judgments | JudgmentFile | Frame | Mapping[str, Any]"
)
"""Judgments of several assessors: files, a judging project, events, or grades by assessor, topic and document."""
VectorsLike: TypeAlias = "str | Path | Iterable[Any] | Frame | Mapping[str, Any]"
"""Vectors, one per row: an array, a tensor or a .npy file; or several embeddings by name."""
IdsLike: TypeAlias = "str | Path | Iterable[Any] | ArrowStream"
"""Ids or labels of rows: a file with one per line, a .npy file, or a column."""
