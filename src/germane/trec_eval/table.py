"""The measures of trec_eval, in the order in which it prints them, with their parameters and functions.

Parameters come after a measure's dot: cutoffs, levels, numbers or level=gain pairs. They make the names of its values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from germane.measures.definition import Definition
from germane.measures.foreign_names import TrecVersion
from germane.measures.rankings import counts, incomplete, precision
from germane.measures.rankings.average_precision import average_precision
from germane.measures.rankings.gain import normalised_discounted_cumulated_gain
from germane.measures.rankings.user_models import reciprocal_rank
from germane.tables.rankings.judged_run import PerQuery
from germane.trec_eval import gains, only_here, preferences
from germane.trec_eval.c_numbers import atof, atol
from germane.trec_eval.evaluation import Evaluation
from germane.trec_eval.options import BAD_INPUT, EarlyExitError
from germane.trec_eval.walk import Pairs

Summary = Literal["mean", "total", "geometric", "topics", "relevant"]
Needs = Literal["nothing", "qrels", "qrels_jg", "prefs"]
Compute = Callable[[Evaluation, Any], list[PerQuery]]


@dataclass(frozen=True)
class ParameterKind:
    """How to read a measure's parameters, and the name of each of its values."""

    parse: Callable[[bytes], tuple[Any, ...]]
    label: Callable[[bytes, tuple[Any, ...], bytes | None], list[bytes]]


def _cutoffs(text: bytes) -> tuple[int, ...]:
    """Read ranks, sorted.

    >>> _cutoffs(b"10,5,23.4")
    (5, 10, 23)
    """
    cutoffs = sorted(atol(part) for part in text.split(b","))
    if cutoffs[0] <= 0 or len(set(cutoffs)) < len(cutoffs):
        raise _malformed(text)
    return tuple(cutoffs)


def _levels(text: bytes) -> tuple[float, ...]:
    """Read recall levels or multiples of R, sorted."""
    levels = sorted(atof(part) for part in text.split(b","))
    if len(set(levels)) < len(levels):
        raise _malformed(text)
    return tuple(levels)


def _numbers(text: bytes) -> tuple[float, ...]:
    """Read numbers in the given order."""
    return tuple(atof(part) for part in text.split(b","))


def _pairs(text: bytes) -> Pairs:
    """Read names and numbers.

    >>> _pairs(b"1=3,p=0.5")
    ((b'1', 3.0), (b'p', 0.5))
    """
    parts = text.split(b",")
    if any(part.count(b"=") != 1 for part in parts):
        raise _malformed(text)
    return tuple((name, atof(value)) for name, _, value in (part.partition(b"=") for part in parts))


def _malformed(text: bytes) -> EarlyExitError:
    shown = text.decode(errors="replace")
    return EarlyExitError(BAD_INPUT, f"trec_eval: malformed or repeated parameters in '{shown}'\n")


def _one_value(name: bytes, _values: tuple[Any, ...], text: bytes | None) -> list[bytes]:
    return [name if text is None else name + b"_" + text]


PLAIN = ParameterKind(lambda _text: (), lambda name, _values, _text: [name])
CUTOFFS = ParameterKind(_cutoffs, lambda name, values, _text: [b"%s_%d" % (name, value) for value in values])
LEVELS = ParameterKind(_levels, lambda name, values, _text: [b"%s_%3.2f" % (name, value) for value in values])
NUMBERS = ParameterKind(_numbers, _one_value)
PAIRS = ParameterKind(_pairs, _one_value)


@dataclass(frozen=True)
class Row:
    """A measure: how it is computed, averaged and printed."""

    name: str
    compute: Compute
    kind: ParameterKind = PLAIN
    default: tuple[Any, ...] = ()
    needs: Needs = "qrels"
    summary: Summary = "mean"
    whole: bool = False
    """Whether it is printed as an integer."""
    each_topic: bool = True
    overall: bool = True
    text: Callable[[Evaluation, Any], list[bytes]] | None = None
    """Text that is printed instead of a number."""
    since: TrecVersion = 9


def _native(measure: Definition, *, leveled: bool = True, **fixed: Any) -> Compute:
    """Wrap a native measure, with the level of -l if it applies, and at each cutoff if there are any."""

    def compute(evaluation: Evaluation, cutoffs: tuple[int, ...]) -> list[PerQuery]:
        given = {**fixed, "rel": evaluation.rel} if leveled else fixed
        return [measure(evaluation.run, **given, cut=cut) for cut in cutoffs] or [measure(evaluation.run, **given)]

    return compute


def _of_groups(compute: Compute) -> Compute:
    """Return the mean over the judgment groups of each topic, summed in the order of the groups."""

    def averaged(evaluation: Evaluation, parameters: tuple[Any, ...]) -> list[PerQuery]:
        topic, num_topics = evaluation.topic_of_group, len(evaluation.topics)
        sizes = np.bincount(topic, minlength=num_topics)
        by_group = compute(replace(evaluation, run=evaluation.group_run), parameters)
        return [np.bincount(topic, weights=values, minlength=num_topics) / sizes for values in by_group]

    return averaged


def _preference(measure: preferences.PreferenceMeasure, among: str) -> Compute:
    return lambda evaluation, _: [np.asarray([measure(counts, among) for counts in evaluation.preferences])]


def _nothing(evaluation: Evaluation, _: object) -> list[PerQuery]:
    """Return the number behind a text, or a number of topics, for z-scores; it is never printed."""
    return [np.zeros(len(evaluation.topics))]


RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)

ROWS: tuple[Row, ...] = (
    Row("runid", _nothing, needs="nothing", each_topic=False, text=lambda e, _: [e.tag] * len(e.topics)),
    Row("num_q", _nothing, needs="nothing", summary="topics", whole=True, each_topic=False),
    Row("num_ret", _native(counts.num_retrieved, leveled=False), summary="total", whole=True),
    Row("num_rel", _native(counts.num_relevant), summary="relevant", whole=True),
    Row("num_rel_ret", _native(counts.num_relevant_retrieved), summary="total", whole=True),
    Row("map", _native(average_precision)),
    Row("gm_map", only_here.log_of(average_precision), summary="geometric", each_topic=False),
    Row("Rprec", _native(precision.r_precision)),
    Row("bpref", _native(incomplete.binary_preference)),
    Row("recip_rank", _native(reciprocal_rank)),
    Row("iprec_at_recall", only_here.precision_at_levels, LEVELS, TENTHS),
    Row("P", _native(precision.precision), CUTOFFS, RANKS),
    Row("relstring", _nothing, NUMBERS, (10.0,), overall=False, text=only_here.relevance_string),
    Row("recall", _native(precision.recall), CUTOFFS, RANKS),
    Row("infAP", _native(incomplete.inferred_average_precision)),
    Row("gm_bpref", only_here.log_of(incomplete.binary_preference), summary="geometric", each_topic=False),
    Row("Rprec_mult", only_here.precision_at_multiples, LEVELS, MULTIPLES),
    Row("utility", only_here.set_utility, NUMBERS, (1.0, -1.0, 0.0, 0.0)),
    Row("11pt_avg", only_here.average_over_levels, NUMBERS, TENTHS),
    Row("binG", only_here.binary_gain),
    Row("G", gains.gain_over_shortfall, PAIRS),
    Row("dcg", gains.dcg, PAIRS, since=10),
    Row("ideal_dcg", gains.ideal_dcg, PAIRS, since=10),
    Row("ndcg", gains.ndcg, PAIRS),
    Row("ndcg_rel", gains.ndcg_at_relevant, PAIRS),
    Row("Rndcg", gains.ndcg_at_levels, PAIRS),
    Row("ndcg_cut", _native(normalised_discounted_cumulated_gain, leveled=False), CUTOFFS, RANKS),
    Row("map_cut", _native(average_precision), CUTOFFS, RANKS),
    Row("relative_P", _native(precision.relative_precision), CUTOFFS, RANKS),
    Row("success", _native(precision.success), CUTOFFS, (1, 5, 10)),
    Row("set_P", _native(precision.precision)),
    Row("set_relative_P", _native(precision.relative_precision)),
    Row("set_recall", _native(precision.recall)),
    Row("set_map", _native(precision.set_average_precision)),
    Row("set_F", only_here.set_f, NUMBERS, (1.0,)),
    Row("num_nonrel_judged_ret", only_here.num_nonrelevant_judged, summary="total", whole=True),
    *(
        Row(name, _preference(measure, among), needs="prefs", summary="total" if whole else "mean", whole=whole)
        for whole, name, measure, among in (
            (True, "prefs_num_prefs_poss", preferences.number_possible, "all"),
            (True, "prefs_num_prefs_ful", preferences.number_fulfilled, "all"),
            (True, "prefs_num_prefs_ful_ret", preferences.number_fulfilled, "ret"),
            (False, "prefs_simp", preferences.simple, "all"),
            (False, "prefs_pair", preferences.by_pair, "all"),
            (False, "prefs_avgjg", preferences.by_group, "all"),
            (False, "prefs_avgjg_Rnonrel", preferences.by_group_nonrelevant_as_relevant, "all"),
            (False, "prefs_simp_ret", preferences.simple, "ret"),
            (False, "prefs_pair_ret", preferences.by_pair, "ret"),
            (False, "prefs_avgjg_ret", preferences.by_group, "ret"),
            (False, "prefs_avgjg_Rnonrel_ret", preferences.by_group_nonrelevant_as_relevant, "ret"),
            (False, "prefs_simp_imp", preferences.simple, "imp"),
            (False, "prefs_pair_imp", preferences.by_pair, "imp"),
            (False, "prefs_avgjg_imp", preferences.by_group, "imp"),
        )
    ),
    Row("map_avgjg", _of_groups(_native(average_precision)), needs="qrels_jg"),
    Row("P_avgjg", _of_groups(_native(precision.precision)), CUTOFFS, RANKS, needs="qrels_jg"),
    Row("Rprec_mult_avgjg", _of_groups(only_here.precision_at_multiples), LEVELS, MULTIPLES, needs="qrels_jg"),
    Row("yaap", only_here.robertson),
    Row("rbp", gains.rbp, PAIRS, since=10),
    Row("rbp_resid", gains.rbp_residual, PAIRS, since=10),
    Row("unj", _native(counts.unjudged_share, leveled=False, over="k"), CUTOFFS, (5, 10, 20), since=10),
)

_OFFICIAL = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("iprec_at_recall", "P"),
)
_ALL_TREC = (
    *(*_OFFICIAL, "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G"),
    *("ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P"),
    *("set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
)
_ALL_PREFS = tuple(row.name for row in ROWS if row.needs == "prefs")
_IN_BOTH = {
    "official": _OFFICIAL,
    "set": (*_OFFICIAL[:5], "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    "all_prefs": ("runid", "num_q", *_ALL_PREFS),
    "prefs": ("runid", "num_q", *_ALL_PREFS[:6]),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
NICKNAMES: dict[TrecVersion, dict[str, tuple[str, ...]]] = {
    9: {**_IN_BOTH, "all_trec": _ALL_TREC},
    10: {**_IN_BOTH, "all_trec": (*_ALL_TREC, "unj", "rbp", "rbp_resid")},
}
