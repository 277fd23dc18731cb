"""The measures of trec_eval in the order in which it prints them, each with its defaults and its function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from germane.measures.definition import Definition
from germane.measures.foreign_names import TrecVersion
from germane.measures.rankings.average_precision import average_precision
from germane.measures.rankings.counts import num_relevant as num_relevant_known
from germane.measures.rankings.counts import num_relevant_retrieved, num_retrieved, unjudged_share
from germane.measures.rankings.gain import normalised_discounted_cumulated_gain
from germane.measures.rankings.incomplete import binary_preference, inferred_average_precision
from germane.measures.rankings.precision import (
    precision,
    r_precision,
    recall,
    relative_precision,
    set_average_precision,
    success,
)
from germane.measures.rankings.user_models import reciprocal_rank
from germane.tables.rankings.judged_run import PerQuery
from germane.trec_eval import gains, only_here, preferences
from germane.trec_eval.evaluation import Evaluation
from germane.trec_eval.parameters import CUTOFFS, LEVELS, NUMBERS, PAIRS, PLAIN, ParameterKind

Summary = Literal["mean", "total", "geometric", "topics", "relevant"]
Needs = Literal["nothing", "qrels", "qrels_jg", "prefs"]
Compute = Callable[[Evaluation, Any], list[PerQuery]]


@dataclass(frozen=True)
class Row:
    """One measure: how it is computed, averaged and printed."""

    name: str
    compute: Compute
    kind: ParameterKind = PLAIN
    default: tuple[Any, ...] = ()
    needs: Needs = "qrels"
    summary: Summary = "mean"
    whole: bool = False
    """Printed as a whole number."""
    each_topic: bool = True
    overall: bool = True
    text: Callable[[Evaluation, Any], list[bytes]] | None = None
    """Printed as it is, in place of a number."""
    since: TrecVersion = 9


def _native(measure: Definition, *, leveled: bool = True, **fixed: Any) -> Compute:
    """A native measure, at the level of -l unless that does not touch it, and at each cutoff if there are some."""

    def compute(evaluation: Evaluation, cutoffs: tuple[int, ...]) -> list[PerQuery]:
        given = {**fixed, "rel": evaluation.rel} if leveled else fixed
        return [measure(evaluation.run, **given, cut=cut) for cut in cutoffs] or [measure(evaluation.run, **given)]

    return compute


def _preference(measure: preferences.PreferenceMeasure, among: str) -> Compute:
    return lambda evaluation, _: [np.asarray([measure(counts, among) for counts in evaluation.preferences])]


def _nothing(evaluation: Evaluation, _: object) -> list[PerQuery]:
    """The number behind a measure that is a text: z-scores are made of it, and never printed."""
    return [np.zeros(len(evaluation.topics))]


def _one_each(evaluation: Evaluation, _: object) -> list[PerQuery]:
    return [np.ones(len(evaluation.topics))]


RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)

ROWS: tuple[Row, ...] = (
    Row("runid", _nothing, needs="nothing", each_topic=False, text=lambda e, _: [e.tag] * len(e.topics)),
    Row("num_q", _one_each, needs="nothing", summary="topics", whole=True, each_topic=False),
    Row("num_ret", _native(num_retrieved, leveled=False), summary="total", whole=True),
    Row("num_rel", _native(num_relevant_known), summary="relevant", whole=True),
    Row("num_rel_ret", _native(num_relevant_retrieved), summary="total", whole=True),
    Row("map", _native(average_precision)),
    Row("gm_map", only_here.log_average_precision, summary="geometric", each_topic=False),
    Row("Rprec", _native(r_precision)),
    Row("bpref", _native(binary_preference)),
    Row("recip_rank", _native(reciprocal_rank)),
    Row("iprec_at_recall", only_here.precision_at_levels, LEVELS, TENTHS),
    Row("P", _native(precision), CUTOFFS, RANKS),
    Row("relstring", _nothing, NUMBERS, (10.0,), overall=False, text=only_here.relevance_string),
    Row("recall", _native(recall), CUTOFFS, RANKS),
    Row("infAP", _native(inferred_average_precision)),
    Row("gm_bpref", only_here.log_binary_preference, summary="geometric", each_topic=False),
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
    Row("relative_P", _native(relative_precision), CUTOFFS, RANKS),
    Row("success", _native(success), CUTOFFS, (1, 5, 10)),
    Row("set_P", _native(precision)),
    Row("set_relative_P", _native(relative_precision)),
    Row("set_recall", _native(recall)),
    Row("set_map", _native(set_average_precision)),
    Row("set_F", only_here.set_f, NUMBERS, (1.0,)),
    Row("num_nonrel_judged_ret", only_here.num_nonrelevant_judged, summary="total", whole=True),
    *(
        Row(name, _preference(measure, among), needs="prefs", summary="total", whole=True)
        for name, measure, among in (
            ("prefs_num_prefs_poss", preferences.number_possible, "all"),
            ("prefs_num_prefs_ful", preferences.number_fulfilled, "all"),
            ("prefs_num_prefs_ful_ret", preferences.number_fulfilled, "ret"),
        )
    ),
    *(
        Row(name, _preference(measure, among), needs="prefs")
        for name, measure, among in (
            ("prefs_simp", preferences.simple, "all"),
            ("prefs_pair", preferences.by_pair, "all"),
            ("prefs_avgjg", preferences.by_group, "all"),
            ("prefs_avgjg_Rnonrel", preferences.by_group_nonrelevant_as_relevant, "all"),
            ("prefs_simp_ret", preferences.simple, "ret"),
            ("prefs_pair_ret", preferences.by_pair, "ret"),
            ("prefs_avgjg_ret", preferences.by_group, "ret"),
            ("prefs_avgjg_Rnonrel_ret", preferences.by_group_nonrelevant_as_relevant, "ret"),
            ("prefs_simp_imp", preferences.simple, "imp"),
            ("prefs_pair_imp", preferences.by_pair, "imp"),
            ("prefs_avgjg_imp", preferences.by_group, "imp"),
        )
    ),
    Row("map_avgjg", only_here.average_precision_of_groups, needs="qrels_jg"),
    Row("P_avgjg", only_here.precision_of_groups, CUTOFFS, RANKS, needs="qrels_jg"),
    Row("Rprec_mult_avgjg", only_here.precision_at_multiples_of_groups, LEVELS, MULTIPLES, needs="qrels_jg"),
    Row("yaap", only_here.robertson),
    Row("rbp", gains.rbp, PAIRS, since=10),
    Row("rbp_resid", gains.rbp_residual, PAIRS, since=10),
    Row("unj", _native(unjudged_share, leveled=False, over="k"), CUTOFFS, (5, 10, 20), since=10),
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
