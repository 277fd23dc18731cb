"""Evaluate the items of a table: each column of predictions or scores is a classifier; several are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from germane.api.comparisons.classifiers import compare_classifiers
from germane.api.decisions.one_classifier import Classifier, is_class
from germane.api.decisions.positive_class import label_asked_for, positive_if_known
from germane.api.decisions.settings import Settings
from germane.api.groups.item_groups import ItemGroups, grouped_performance
from germane.api.tasks.columns import NAMES, columns_of_items, columns_to_read, with_shown_roles
from germane.api.tasks.evaluation import comparison_of_columns, performances_of_columns
from germane.errors import GermaneError, InputError
from germane.formats.decisions.labelled_rows import LabelledRows, labelled_from, read_labelled, stream_labelled
from germane.measures.decisions.rates import RATES
from germane.tables.columns.one_column import as_list
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.labels import encode_labels
from germane.tables.notes.note import Note
from germane.tables.results.classifier_comparison import ClassifierComparison
from germane.tables.results.performance import Performance

ROLES = ("truth", "predicted", "score", "weight", "probabilities", "cluster", "slices")
"""Options that name columns."""
COMPARED = ("baseline", "correction", "mcnemar", "level", "resamples", "seed")
"""Settings of a comparison."""
FIRST_ROWS, MOST_IDS = 20_000, 1_000_000
"""Rows of a file, and maximum rows in memory, in which repeated ids are looked for."""


def read_items(
    data: Any, columns: Mapping[str, Any], name: str = "data", settings: Settings | None = None
) -> LabelledRows:
    """Read the items of a file or frame; `columns` are by role, and inferred where not given."""
    columns = columns if settings is None else columns_to_read(columns, settings)
    return read_labelled(data, **columns) if isinstance(data, str | Path) else labelled_from(data, **columns, name=name)


def repeated_ids(data: Any, items: LabelledRows) -> list[Note]:
    """Return a note on a column of ids that repeat where no cluster was named; of a file, on its first rows."""
    if items.cluster is not None or not items.like_ids or isinstance(data, LabelledRows):
        return []
    roles = items.columns
    asked: dict[str, Any] = {"truth": roles["truth"][0], "predicted": roles.get("predicted", ())}
    asked["score"] = (*roles.get("score", ()), *roles.get("probabilities", ()))
    for name in items.like_ids:
        ids = _ids(data, items, {**asked, "id": name})
        distinct = len(set(ids))
        if distinct < len(ids):
            among = f"{len(ids):,} rows" if len(ids) == len(items) else f"the first {len(ids):,} rows"
            what = f"has {distinct:,} ids in {among}; rows that share one are dependent (use --cluster {quote(name)})"
            return [Note("repeated-ids", f"column {name!r}", what, count=len(ids) - distinct)]
    return []


def _ids(data: Any, items: LabelledRows, asked: Mapping[str, Any]) -> list[Any]:
    """Return a column of ids, of a file its first rows; nothing where it cannot be read, or only once."""
    try:
        if not isinstance(data, str | Path):
            return as_list(labelled_from(data, **asked).ids) if len(items) <= MOST_IDS else []
        if str(data) == "-" or "://" in str(data):
            return []
        with closing(stream_labelled(data, batch_rows=FIRST_ROWS, **asked)) as batches:  # type: ignore[type-var]
            return as_list(next(batches).ids)
    except GermaneError:
        return []  # a value is missing


def performances_of_items(
    items: LabelledRows, settings: Settings, name: str, found_notes: Sequence[Note] = ()
) -> list[Performance]:
    """Evaluate each classifier. One column of predictions and one of scores make a single classifier."""
    if settings.task in NAMES:
        columns = columns_of_items(items, settings, name)
        shown = with_shown_roles(items, settings)
        return [_with_source(found, shown) for found in performances_of_columns(columns, settings)]
    classifiers = classifiers_of(items, name)
    if len(classifiers) < 2 and settings.baseline is not None:
        problem = "`baseline=` needs at least two classifiers, found one"
        raise GermaneError(problem, hint="add another column: `score=…` or `predicted=…`")
    said = list(found_notes)
    if len(classifiers) > 1 and items.weight is not None:
        said += not_compared(settings)
    if settings.threshold is not None and all(each.score is None for each in classifiers):
        raise GermaneError("`threshold=` needs scores, found none", hint="name the column: `score=…`")
    groups = ItemGroups.of(items.cluster, items.slices or None, len(items), items.source)
    performances = []
    for done, each in enumerate(classifiers):
        if settings.progress is not None:
            settings.progress(done, len(classifiers))
        own = settings if each.score is not None else replace(settings, threshold=None)
        if items.probabilities:
            own = replace(own, labels=_labels_of_columns(items))
        found = grouped_performance(items.truth, each, items.weight, own, groups)
        performances.append(_with_source(found, items, *said))
    return performances


def not_compared(settings: Settings) -> list[Note]:
    """Return the note that several classifiers of weighted items are not compared; a baseline is then an error."""
    if settings.baseline is not None:
        hint = "remove `baseline=` or `weight=`"
        raise GermaneError("classifiers of weighted items cannot be compared", hint=hint)
    what = "classifiers are not compared, because items have weights; remove --weight to compare them"
    return [Note("not-compared", "", what)]


def _with_source(found: Performance, items: LabelledRows, *said: Note) -> Performance:
    """Return the result with the columns used, and notes on those that were inferred."""
    guessed = (Note("columns-inferred", "", guess) for guess in items.guessed)
    shown = {role: ", ".join(names) for role, names in items.columns.items()}
    return replace(found, columns=shown, notes=(*guessed, *items.notes, *said, *found.notes))


def classifiers_of(items: LabelledRows, name: str) -> list[Classifier]:
    """Return the predictions and scores of each classifier; a single one has the name of the data."""
    if items.probabilities:
        return _of_probabilities(items, name)
    if len(items.predicted) <= 1 and len(items.scores) <= 1:
        predicted, score = (next(iter(c.values()), None) for c in (items.predicted, items.scores))
        return [Classifier(name, predicted, score)]
    return [
        *(Classifier(column, predicted=values) for column, values in items.predicted.items()),
        *(Classifier(column, score=values) for column, values in items.scores.items()),
    ]


def _of_probabilities(items: LabelledRows, name: str) -> list[Classifier]:
    """Return a classifier for each prefix of columns; a single one may have predictions besides."""
    labels, prefixes = _labels_of_columns(items), items.probabilities
    tables = {prefix: np.stack([columns[label] for label in labels], axis=1) for prefix, columns in prefixes.items()}
    others = [*items.scores, *(items.predicted if len(tables) > 1 or len(items.predicted) > 1 else ())]
    if others:
        problem = f"expected only probabilities, found other columns besides: {', '.join(others)}"
        hint = "remove them, or give each classifier its own `probabilities=…`"
        raise InputError(items.source, None, problem, hint=hint)
    if len(tables) > 1:
        return [Classifier(prefix, proba=table) for prefix, table in tables.items()]
    (table,) = tables.values()
    return [Classifier(name, next(iter(items.predicted.values()), None), proba=table)]


def _labels_of_columns(items: LabelledRows) -> tuple[Label, ...]:
    """Return the classes that columns of probabilities are named after, which are the same with every prefix."""
    first, *others = items.probabilities
    labels = tuple(items.probabilities[first])
    for other in others:
        if set(items.probabilities[other]) != set(labels):
            sides = [", ".join(map(str, items.probabilities[prefix])) for prefix in (first, other)]
            problem = f"expected the same classes with each prefix, found {sides[0]} with {first!r}"
            raise InputError(items.source, None, f"{problem}, {sides[1]} with {other!r}", hint="rename the columns")
    return labels


def compared_items(
    items: LabelledRows, performances: Sequence[Performance], settings: Settings
) -> ClassifierComparison | None:
    """Compare all pairs of classifiers by decisions and by scores; None where that is not possible."""
    if settings.task in NAMES:
        return comparison_of_columns(columns_of_items(items, settings, performances[0].name), settings)
    if settings.task != "classes":
        return None
    one_class = any(found.decisions is not None and found.decisions.one_class for found in performances)
    if len(performances) < 2 or items.weight is not None or one_class:
        return None
    truth, positive = items.truth, settings.positive
    scores, decisions = dict(items.scores), dict(items.predicted)
    if scores:
        # A score separates one class from the rest, so decisions are compared by that class too.
        positive = performances[-1].positive
        names = _two_names(items, positive)
        truth, decisions = _is(items.truth, names), {name: _is(c, names) for name, c in decisions.items()}
        for found in performances:
            if found.threshold is not None:
                decisions[found.name] = _named(scores[found.name] >= found.threshold, names)
        positive = names[1]
    how = {name: getattr(settings, name) for name in COMPARED}
    if items.probabilities:
        tables, labels = {each.name: each.proba for each in classifiers_of(items, "")}, _labels_of_columns(items)
        how |= {"labels": labels, "positive": settings.positive, "measures": settings.measures}
        return compare_classifiers(truth, probabilities=tables, **how)
    cost = _cost_name(settings, truth, positive)
    measures = settings.measures and [cost if name == "cost" else name for name in settings.measures]
    how["cluster"] = items.cluster
    compared = compare_classifiers(truth, decisions, scores, positive=positive, measures=measures, **how)
    pairs = (replace(pair, measure="cost") if pair.measure == cost else pair for pair in compared.pairs)
    return replace(compared, pairs=tuple(pairs))


def _cost_name(settings: Settings, truth: Any, positive: Label | None) -> str:
    """Return the name of the cost at the prevalence asked for, or that of the data."""
    share = settings.prevalence
    costs = {name: cost for name in ("cost_fp", "cost_fn") if (cost := getattr(settings, name)) is not None}
    if share is None:
        labels = encode_labels(truth, "truth")
        label, _ = positive_if_known(labels.values, positive)
        share = None if label is None else float(is_class(labels, label).mean())
    return "cost" if share is None else str(RATES["cost"].choose(prevalence=share, **costs))


def _two_names(items: LabelledRows, positive: Label | None) -> tuple[Label, Label]:
    """Return the names of the negatives and of the positive class, which are labels of the data if there are two."""
    assert positive is not None, "scores have a positive class"
    columns = (items.truth, *items.predicted.values())
    labels = {label for column in columns for label in encode_labels(column, "label").values}
    others = [label for label in labels if label != positive]
    return (others[0], positive) if len(others) == 1 else (f"not {positive}", str(positive))


def _is(column: Any, names: tuple[Label, Label]) -> Any:
    """Return for each item whether it has the second label, by two names."""
    labels = encode_labels(column, "label")
    there = {str(label): label for label in labels.values}
    return _named(is_class(labels, there.get(str(names[1]), names[1])), names)


def _named(is_positive: Any, names: tuple[Label, Label]) -> Any:
    return np.asarray(names)[np.asarray(is_positive).astype(np.intp)]


def with_labels(items: LabelledRows, settings: Settings) -> tuple[LabelledRows, Settings]:
    """Set one class against the rest, or convert declared labels, which are text on a command line, to the data's."""
    if settings.one_class is not None:
        items, positive = _versus_rest(items, settings.one_class)
        return items, replace(settings, positive=positive, labels=(f"not {positive}", positive))
    if settings.labels is not None and settings.task == "classes":
        return items, replace(settings, labels=labels_in_the_data(settings.labels, items))
    return items, settings


def _versus_rest(items: LabelledRows, one_class: Label) -> tuple[LabelledRows, str]:
    """Set one class against all others, in the truth, in every prediction and in probabilities."""
    positive = label_asked_for(encode_labels(items.truth, "truth", items.source).values, one_class)
    # As text, since numbers and "not 1" would be labels of two kinds.
    names = np.asarray([f"not {positive}", str(positive)])

    def collapsed(column: Any) -> Any:
        return names[is_class(encode_labels(column, "label", items.source), positive).astype(np.intp)]

    predicted, scores = {name: collapsed(column) for name, column in items.predicted.items()}, dict(items.scores)
    for prefix, columns in items.probabilities.items():
        claimed = label_asked_for(tuple(columns), positive)
        scores[f"{prefix}_{positive}" if len(items.probabilities) > 1 else f"probability of {positive}"] = columns[
            claimed
        ]
    found = replace(items, truth=collapsed(items.truth), predicted=predicted, scores=scores, probabilities={})
    return found, str(positive)


def labels_in_the_data(labels: Sequence[Label], items: LabelledRows) -> tuple[Label, ...]:
    """Return declared labels, which are text on a command line, as they are in the data."""
    columns = [encode_labels(column, "label", items.source) for column in (items.truth, *items.predicted.values())]
    known = {str(value): value for column in columns for value in column.values}
    if any(isinstance(value, str) for value in known.values()):
        return tuple(str(label) for label in labels)
    return tuple(known.get(str(label), _number(label)) for label in labels)


def _number(label: Label) -> Label:
    """Return a declared label that no row has as a number, as all others are."""
    try:
        return int(label) if float(label).is_integer() else float(label)
    except ValueError:
        hint = "all labels in the data are numbers; correct `labels=…`"
        raise GermaneError(f"expected numbers as labels, found {label!r}", hint=hint) from None
