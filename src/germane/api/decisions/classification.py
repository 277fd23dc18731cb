"""`classify`: evaluate classifiers and detectors from labels, predictions and scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from germane.api.decisions.complete_arrays import complete_arrays
from germane.api.decisions.items import (
    ROLES,
    compared_items,
    performances_of_items,
    read_items,
    repeated_ids,
    with_labels,
)
from germane.api.decisions.notes import require_computed, with_asked
from germane.api.decisions.one_classifier import Classifier, performance_of_matrix
from germane.api.decisions.positive_class import label_asked_for
from germane.api.decisions.settings import Settings
from germane.api.decisions.several_tables import is_several_tables, performances_of_tables
from germane.api.decisions.stream import performance_of_stream, performance_on_spark
from germane.api.groups.item_groups import (
    ItemGroups,
    grouped_performance,
    refuse_groups,
    require_array,
    require_names,
    slice_columns,
)
from germane.api.label_sets.evaluation import classify_label_sets
from germane.api.options import ClassifyOptions
from germane.api.tasks.columns import NAMES, columns_of_arrays, has_arrays, require_task_options
from germane.api.tasks.evaluation import comparison_of_columns, performances_of_columns
from germane.api.thresholds.inversion import inverted_classifier, inverted_items, inverted_matrix, inverted_note
from germane.arguments import checked
from germane.distributed.spark_run import SparkRun, lies_on_spark
from germane.errors import GermaneError, InputError
from germane.formats.decisions.confusion_file import read_matrix
from germane.formats.decisions.labelled_rows import LabelledRows
from germane.formats.decisions.reading import OPTIONS
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.one_column import frame_columns, number_column, one_column
from germane.tables.decisions.confusion import Confusion
from germane.tables.results.classifier_comparison import ClassifierComparison
from germane.tables.results.performance import Performance
from germane.tables.results.performances import Performances
from germane.tables.results.result import Inputs

if TYPE_CHECKING:
    from germane.types import (
        LabelScoresLike,
        LabelSetsLike,
        LabelsLike,
        MatrixLike,
        ProbabilitiesLike,
        ScoresLike,
        TableLike,
    )

OF_ARRAYS = "pass arrays as y_true, y_pred, y_score, y_proba and sample_weight"
USELESS = {
    "arrays": "truth predicted score weight probabilities matrix stream one_class decimal encoding",
    "--engine spark": "task matrix stream probabilities labels one_class average baseline decimal encoding against "
    "invert",
    "--matrix": "truth predicted score weight task probabilities stream labels threshold missing decimal encoding "
    "against",
    "--stream": "task probabilities labels one_class average against invert",
    "--task": "y_score y_proba labels threshold one_class average positive probabilities prevalence cost_fp cost_fn "
    "stratified against invert",
    "label sets": "matrix stream one_class positive prevalence cost_fp cost_fn stratified against invert",
    "--class": "positive labels",
}
"""Options that cannot be combined with the key."""


@checked(truth=OF_ARRAYS, predicted=OF_ARRAYS, score=OF_ARRAYS, weight=OF_ARRAYS)
def classify(
    y_true: LabelsLike | LabelSetsLike | MatrixLike | TableLike | None,
    y_pred: LabelsLike | LabelSetsLike | None = None,
    *,
    y_score: ScoresLike | LabelScoresLike | None = None,
    y_proba: ProbabilitiesLike | None = None,
    sample_weight: ScoresLike | None = None,
    measures: str | Iterable[str] | None = None,
    **options: Unpack[ClassifyOptions],
) -> Performances:
    """Evaluate classifiers: confusion matrices, every rate with an interval, and the quality of scores.

    The data are arrays, a table or a matrix. As arrays, `y_pred` holds the decisions, `y_score` one score for each item
    (higher is more positive), `y_proba` a table of probabilities with one column for each of `labels`, or of the sorted
    classes; two columns are treated as one score, and a mapping of such tables by name is several classifiers. Arrays
    may be lists, tensors, columns of data frames, or all of them mappings ``{id: value}``, which are aligned by id; a
    frame or a mapping as `y_proba` has the labels as its columns.

    Rows with missing values are an error; ``missing="exclude"`` leaves them out, for all classifiers, with a note. In
    columns that hold nothing else, all spellings of true and false are two labels. For a text file, `decimal` is the
    decimal separator, and `encoding` its encoding where it is not UTF-8.

    A table is a file or a data frame (of Spark too), passed without arrays: `truth`, `predicted`, `score`,
    `probabilities` (prefixes) and `weight` name its columns. Each column of predictions, each of scores and each prefix
    of probabilities is a classifier (one column of each kind makes a single classifier). Several classifiers are
    compared; `baseline`, `correction` and `mcnemar` set how. With `stream` a file may be larger than memory. A matrix
    is a `Confusion` or, with ``matrix=True``, a square of counts or a file of one; `rows` says what its rows are.

    The decisions are the predictions. Without predictions, a score at or above `threshold` is positive (without a
    threshold, 0.5 is used if all scores lie in [0, 1], with a note), and of several probabilities the highest counts.
    `are_probabilities` says whether scores are probabilities; by default they are if all lie in [0, 1].

    `positive` (`pos_label` is an alias), `labels`, `sample_weight`, `average` and `zero_division` mean what they mean
    in scikit-learn; `average` chooses the rates among the overall measures (``binary``: of the positive class),
    `one_class` sets one class against all others. With `invert`, a classifier of two classes is evaluated as its
    opposite: predictions are exchanged, and scores turned round (1 − p for probabilities, −score for others).
    `prevalence` re-projects the predictive values, `cost_fp` and `cost_fn` give the expected cost of an item, and
    `level`, `interval`, `bootstrap`, `stratified`, `auc_scale`, `resamples` and `seed` set how intervals are computed.

    `cluster` is a column of groups of dependent items, such as pictures of one patient: every interval and test then
    accounts for it, or is absent with the reason. `slices` are columns of groups to compare: each is evaluated too
    (``found.only.slices``), and differs from all others together, or from the slice `against`, by
    ``found.only.slice_differences``. Beside arrays, both are arrays.

    `measures` restricts the overall measures to those named, which may have parameters, and a class or an average in
    brackets: ``"F2 ECE(bins=10) TPR[cat] F1[macro]"``. The name ``all`` stands for the usual measures.

    Other tasks than classes are ``"label-sets"`` (a collection of labels for each item, or a matrix of 0 and 1 with a
    column for each label), ``"regression"``, ``"clusters"`` (their labels are `y_pred`) and ``"densities"``
    (log-likelihoods alone, as the first argument). Of numbers, clusters and densities several may be given at once, as
    columns of a table or as a mapping `y_pred`; numbers and densities are compared by the paired `test` of the losses
    of the items. `quantiles` are predicted quantiles by share, ``{0.1: …, 0.9: …}``: columns or arrays. `vectors` are
    those of clustered items, as rows of a matrix or columns with this prefix; without classes, `y_true` is None.

    For label sets, `y_score` or `y_proba` has a column for each label; `threshold` may be one for each, as
    ``{"cat": 0.3}``. In a table, a column holds a set as a list, or as text with a `separator` (by default ``;``), and
    a name that ends in ``*`` stands for one column for each label: ``truth="true_*", predicted="pred_*"``. Averages of
    rates, AUC and AP are found as ``found["F1", "macro"]`` and asked for as ``measures=["F1[macro]"]``; ``samples`` is
    the mean over items. Intervals resample items.

    >>> found = classify([0, 1, 1, 0, 1], y_score=[0.1, 0.8, 0.4, 0.3, 0.9])
    >>> found["TPR"].value, found["AUC"].value
    (0.6666666666666666, 1.0)
    >>> classify(Confusion.of_matrix([[1820, 180], [10, 20]]))["PPV"].value
    0.1
    >>> classify(["a", "b", "b"], ["a", "b", "a"], measures="F2[macro] TPR[b]")["F2[macro]"].value.__round__(4)
    0.6944
    >>> classify([{"a", "b"}, {"b"}, set()], [{"a"}, {"b", "c"}, set()], task="label-sets")["F1", "micro"].value
    0.6666666666666666
    """
    chosen: dict[str, Any] = dict(options)
    columns = {role: chosen.pop(role) for role in (*ROLES, *OPTIONS) if role in chosen}
    arrays = {"y_pred": y_pred, "y_score": y_score, "y_proba": y_proba, "sample_weight": sample_weight}
    given = {name: array for name, array in arrays.items() if array is not None}
    settings = Settings.of(chosen, measures)
    _require_groups(settings, columns)
    require_task_options(settings)
    if y_true is None and settings.task != "clusters":
        raise GermaneError("missing true labels", hint="pass them as y_true, the first argument")
    chosen.pop("progress", None)
    if settings.task == "label-sets":
        found, comparison = _label_sets(y_true, arrays, columns, settings)
        inputs = Inputs((y_true,), {**given, **columns, **chosen, "measures": settings.measures})
        return Performances(tuple(found), comparison, inputs)
    items, comparison = None, None
    if given or has_arrays(settings) or _is_one_column(y_true, settings):
        _require_arrays(y_true, {**vars(settings), **columns})
        performances, comparison = _of_arrays(y_true, arrays, settings, columns)
    elif lies_on_spark(y_true) or isinstance(y_true, Confusion) or settings.matrix or settings.stream:
        performances = [_of_one(y_true, columns, settings)]
    else:
        items, settings = _items_of(y_true, columns, settings)
        notes = repeated_ids(y_true, items) if settings.task == "classes" else []
        performances = performances_of_items(items, settings, settings.name or name_of(y_true), notes)
    if settings.invert:
        performances = [replace(each, notes=(inverted_note(), *each.notes)) for each in performances]
    if settings.task == "classes":
        performances = require_computed([_with_asked(each, settings) for each in performances])
    comparison = comparison if items is None else compared_items(items, performances, settings)
    inputs = Inputs((y_true,), {**given, **columns, **chosen, "measures": settings.measures})
    return Performances(tuple(performances), comparison, inputs)


def _with_asked(found: Performance, settings: Settings) -> Performance:
    """Keep the measures asked for, of all items and of each slice."""
    slices = {name: with_asked(each, settings) for name, each in found.slices.items()}
    return replace(with_asked(found, settings), slices=slices)


def _require_groups(settings: Settings, columns: Mapping[str, Any]) -> None:
    """Refuse clusters with strata of classes, and a slice to compare with where there are no slices."""
    slices = columns.get("slices")
    if settings.stratified:
        refuse_groups("--stratified", columns.get("cluster"), None)
    if settings.against is not None and (slices is None or (isinstance(slices, tuple) and not slices)):
        raise GermaneError("`against=` requires slices", hint="add `slices=…`")


def _label_sets(
    y_true: Any, arrays: Mapping[str, Any], columns: dict[str, Any], settings: Settings
) -> tuple[list[Performance], ClassifierComparison | None]:
    """Evaluate several labels per item, of arrays or of a table."""
    given = {**vars(settings), **columns}
    refuse_groups("--task", columns.get("cluster"), columns.get("slices"))
    if any(array is not None for array in arrays.values()):
        if isinstance(y_true, str | Path):
            _require_arrays(y_true, given)
        _refuse("arrays", {**given, "matrix": False, "stream": False}, OF_ARRAYS)
        if columns.get("missing") is not None:
            hint = "pass a table, or remove `missing=`"
            raise GermaneError("`missing=` is not supported with arrays for this task", hint=hint)
    elif _is_one_column(y_true, settings):
        raise GermaneError("missing predictions", hint="pass y_pred, y_score or y_proba")
    if lies_on_spark(y_true):
        _refuse("--engine spark", given)
    _refuse("label sets", given)
    return classify_label_sets(y_true, arrays, columns, settings, settings.name or name_of(y_true))


def _is_one_column(data: Any, settings: Settings) -> bool:
    """Whether this is a single column, and neither a table nor a matrix."""
    if settings.matrix or isinstance(data, str | Path | Confusion | LabelledRows) or lies_on_spark(data):
        return False
    is_rows = isinstance(data, list | tuple) and bool(data) and isinstance(data[0], Mapping)
    if is_rows or _is_table(data) or getattr(getattr(data, "dtype", None), "names", None):
        return False
    return settings.task == "densities" or not hasattr(data, "__arrow_c_stream__")  # such an object may be a table


def _require_arrays(y_true: Any, given: Mapping[str, Any]) -> None:
    """Refuse a file or a table as y_true, and options that are only for these."""
    if isinstance(y_true, str | Path) or _is_table(y_true):
        what = f"{y_true!r}" if isinstance(y_true, str | Path) else f"a table ({type(y_true).__name__})"
        hint = "pass a file or frame without arrays and name its columns: `truth=…`, `predicted=…`, `score=…`"
        raise GermaneError(f"expected the true labels as y_true, found {what}", hint=hint)
    # Of these tasks, a frame or a mapping as y_pred has several predictions.
    _refuse("arrays", {**given, "baseline": None} if given["task"] in NAMES else given, OF_ARRAYS)


def _of_arrays(
    y_true: Any, arrays: Mapping[str, Any], settings: Settings, columns: Mapping[str, Any]
) -> tuple[list[Performance], ClassifierComparison | None]:
    """Evaluate arrays: one classifier, or for some tasks several predictions, which are compared."""
    missing, cluster, slices = (columns.get(name) for name in ("missing", "cluster", "slices"))
    others = ("y_pred",) if settings.task != "classes" else ("y_pred", "y_score", "y_proba")
    if settings.task != "densities" and not settings.quantiles and all(arrays[name] is None for name in others):
        raise GermaneError("missing predictions", hint=f"pass {' or '.join(others)}")
    if settings.task != "classes":
        if missing is not None:
            hint = "pass a table, or remove `missing=`"
            raise GermaneError("`missing=` is not supported with arrays for this task", hint=hint)
        _refuse("--task", {**vars(settings), **arrays})
        refuse_groups("--task", cluster if settings.task == "clusters" else None, slices)
        of_task = columns_of_arrays(y_true, arrays["y_pred"], arrays["sample_weight"], settings, cluster)
        return performances_of_columns(of_task, settings), comparison_of_columns(of_task, settings)
    if is_several_tables(arrays["y_proba"]):
        if missing is not None:
            hint = "pass a table, or remove `missing=`"
            raise GermaneError("`missing=` is not supported with several tables of probabilities", hint=hint)
        for role, column in ("cluster", cluster), ("slices", slices):
            require_array(column, role)
        return performances_of_tables(y_true, arrays, settings, cluster, slices)
    if settings.baseline is not None:
        hint = "for several classifiers pass a table, or `y_proba={'old': …, 'new': …}`"
        raise GermaneError("`baseline=` needs at least two classifiers, found one", hint=hint)
    name = settings.name or "classifier"
    groups = {"cluster": cluster} | {f"slices {name!r}": column for name, column in slice_columns(slices).items()}
    for role, column in groups.items():
        require_array(column, role.partition(" ")[0])
    columns_given = _given_columns({"y_true": y_true, **arrays, **groups}, name)
    kept, notes = complete_arrays(columns_given, missing, name)
    cluster, *sliced = (kept.pop(role) for role in groups)
    truth, *said, weight = kept.values()
    by_column = dict(zip(slice_columns(slices), sliced, strict=True))
    grouped = ItemGroups.of(cluster, by_column, len(truth), name)
    classifier = Classifier(name, *said)
    if settings.invert:
        classifier = inverted_classifier(truth, classifier, settings.labels, settings.are_probabilities)
    found = grouped_performance(truth, classifier, weight, settings, grouped)
    return [replace(found, notes=(*notes, *found.notes))], None


def _is_table(given: Any) -> bool:
    """Whether this is a frame with several columns, or a mapping of columns and not of single values."""
    if isinstance(given, Mapping):
        first = next(iter(given.values()), None)
        return first is None or (hasattr(first, "__len__") and not isinstance(first, str | bytes))
    names = frame_columns(given)
    return names is not None and len(names) != 1


def _given_columns(given: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return the columns by parameter, aligned item by item; scores as numbers, probabilities unchanged."""
    by_label = _is_table(given["y_proba"]) and isinstance(given["y_proba"], Mapping)
    found = aligned_columns({**given, "y_proba": None} if by_label else given, source) | {"y_proba": given["y_proba"]}
    for name in ("y_true", "y_pred", "sample_weight"):
        if found[name] is not None:
            found[name] = one_column(found[name], name, source)
    if found["y_score"] is not None:
        found["y_score"] = _scores(found["y_score"], source)
    return found


def _scores(given: Any, source: str) -> Any:
    try:
        column = one_column(given, "y_score", source)
    except InputError as problem:
        if getattr(given, "ndim", 1) == 2 and given.shape[1] > 1:
            raise InputError(source, None, problem.problem, hint="pass one column per class as y_proba") from None
        raise
    is_array = isinstance(column, np.ndarray) and column.dtype.kind in "iuf"
    return column if is_array else number_column(column, "score", source)


def _of_one(data: Any, columns: dict[str, Any], settings: Settings) -> Performance:
    """Evaluate the only classifier of a matrix, a stream, or a cluster."""
    name, given = settings.name or name_of(data), {**vars(settings), **columns}
    groups = columns.pop("cluster", None), columns.pop("slices", None)
    if lies_on_spark(data):
        _refuse("--engine spark", given)
        refuse_groups("--engine spark", *groups)
        return performance_on_spark(data, columns, settings, name)
    if settings.matrix or isinstance(data, Confusion):
        _refuse("--matrix", given)
        refuse_groups("--matrix", *groups)
        return _of_matrix(data, settings, name)
    _refuse("--stream", given)
    refuse_groups("--stream", *groups)
    return performance_of_stream(data, columns, settings, name)


def _items_of(data: Any, columns: dict[str, Any], settings: Settings) -> tuple[LabelledRows, Settings]:
    """Return the items of a table with the declared labels, and the settings that go with these."""
    given = {**vars(settings), **columns}
    if settings.task != "classes":
        _refuse("--task", given)
        refuse_groups("--task", columns.get("cluster") if settings.task == "clusters" else None, columns.get("slices"))
    if settings.one_class is not None:
        _refuse("--class", given)
    require_names(columns.get("cluster"), columns.get("slices"))
    items, settings = with_labels(read_items(data, columns, settings=settings), settings)
    if settings.invert:
        items = inverted_items(items, settings.labels, settings.are_probabilities)
    return items, settings


def _of_matrix(data: Any, settings: Settings, name: str) -> Performance:
    if isinstance(data, str | Path):
        data = read_matrix(data, rows=settings.rows)
    confusion = data if isinstance(data, Confusion) else Confusion.of_matrix(data, rows=settings.rows)
    if settings.one_class is not None:
        positive = label_asked_for(confusion.labels, settings.one_class)
        confusion, settings = confusion.collapsed(positive), replace(settings, positive=positive)
    if settings.invert:
        confusion = inverted_matrix(confusion)
    return performance_of_matrix(confusion, settings, name)


def name_of(data: Any) -> str:
    """Return the name of the data: that of their file, if they have one."""
    path = data.path if isinstance(data, SparkRun) else data
    return "matrix" if isinstance(data, Confusion) else Path(path).name if isinstance(path, str | Path) else "data"


def _refuse(what: str, given: Mapping[str, Any], hint: str = "remove one of them") -> None:
    """Refuse options that cannot be combined with `what`, so that none is ignored."""
    for name in USELESS[what].split():
        value = given.get(name)
        left_open = value is None or value is False or (isinstance(value, str | tuple) and value in ("classes", ()))
        if not left_open:
            asked = f"--task {given['task']}" if what in ("--task", "label sets") else what
            is_python = name.startswith("y_") or what == "arrays"
            option = name if is_python else f"--{name.removeprefix('one_').replace('_', '-')}"
            raise GermaneError(f"{option} cannot be combined with {asked}", hint=hint)
