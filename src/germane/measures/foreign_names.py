"""Measure names of other tools that imply parameters, and names rejected because no measure here gives their value.

A plain synonym of a germane measure (``map``, ``recip_rank``) is among the names of that measure. The names here are
matched exactly, before case is folded, so that ``rbp`` is trec_eval's and ``RBP`` is germane's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from germane.catalogue import known_name
from germane.errors import MeasureError

TrecVersion = Literal[9, 10]
"""Version that defines the values of trec_eval names: 9.0.8 (embedded in pytrec_eval and ir_measures) or 10.0."""

_NUMBERED = re.compile(r"(?P<name>.+?)[._](?P<number>\d*\.?\d+)")
_PARAMETERS = re.compile(r"\s*(?P<name>\w+?)[._][^=\s]+=.*")


class Foreign(NamedTuple):
    """Interpretation of a name: alone, and followed by a number as in trec_eval and pytrec_eval."""

    alone: str | None = None
    numbered: Callable[[str, TrecVersion], str] | None = None
    refused: str | None = None
    """Why the name is rejected, if it is."""
    hint: str = ""
    since: TrecVersion = 9
    takes: str = ""
    """Example with a number, for a name that requires one."""


def _cutoff(pattern: str) -> Callable[[str, TrecVersion], str]:
    return lambda number, _: pattern.format(number)


def _only_in_trec_eval(what: str, option: str = "") -> Foreign:
    return Foreign(refused=what, hint=f"use `germane trec_eval {option}-m {{name}} QRELS RUN`")


_ELSEWHERE = Foreign(
    refused="is an ir_measures measure that germane does not implement",
    hint="run `germane measures` for a list",
)


def _rbp_of_ranx(number: str, _: TrecVersion) -> str:
    p = number if "." in number else f"0.{number}"
    hint = f"use RBP(p={float(p)!r}), whose gains are at most 1"
    raise MeasureError(f"rbp.{number} sums raw grades in ranx, which is not supported", hint=hint)


FOREIGN: Mapping[str, Foreign] = {
    # trec_eval and pytrec_eval: one value per cutoff or level
    "P": Foreign(numbered=_cutoff("P@{}")),
    "recall": Foreign(alone="R", numbered=_cutoff("R@{}")),
    "success": Foreign(alone="Success", numbered=_cutoff("Success@{}")),
    "ndcg_cut": Foreign(numbered=_cutoff("nDCG@{}"), takes="ndcg_cut_10"),
    "map_cut": Foreign(numbered=_cutoff("AP@{}"), takes="map_cut_10"),
    "relative_P": Foreign(numbered=_cutoff("RelativeP@{}"), takes="relative_P_10"),
    "unj": Foreign(numbered=_cutoff("Unjudged(over=k)@{}"), takes="unj_10", since=10),
    "iprec_at_recall": Foreign(
        numbered=lambda level, version: f"IPrec(rounding=trec{version})@{level}", takes="iprec_at_recall_0.10"
    ),
    "Rprec_mult": Foreign(numbered=_cutoff("Rprec(times={})"), takes="Rprec_mult_0.50"),
    # trec_eval and pytrec_eval: one value
    "11pt_avg": Foreign(
        alone="IPrecAvg(rounding=trec{version})", hint="for other levels use IPrecAvg(points=3), for example"
    ),
    "set_F": Foreign(alone="F", numbered=lambda squared, _: f"F(beta={math.sqrt(float(squared))!r})"),
    "utility": Foreign(alone="Utility", hint="use Utility(a=1, b=-1, c=0, d=0)"),
    "rbp": Foreign(alone="RBP(p=0.9, by=query)", numbered=_rbp_of_ranx, since=10),
    # refused
    **dict.fromkeys(("runid", "relstring"), _only_in_trec_eval("is text in trec_eval, not a number")),
    **dict.fromkeys(
        ("binG", "G", "ndcg_rel", "Rndcg", "yaap", "num_nonrel_judged_ret", "ideal_dcg"),
        _only_in_trec_eval("only trec_eval computes"),
    ),
    "rbp_resid": Foreign(
        refused="is 0 in trec_eval if every retrieved document is judged, even in a short ranking",
        hint="use RBPres(p=0.9), or `germane trec_eval -m rbp_resid QRELS RUN`",
    ),
    **{
        f"prefs_{name}": _only_in_trec_eval("requires preferences instead of grades", "-R prefs ")
        for name in (
            *("num_prefs_poss", "num_prefs_ful", "num_prefs_ful_ret", "simp", "pair", "avgjg", "avgjg_Rnonrel"),
            *("simp_ret", "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret", "simp_imp", "pair_imp", "avgjg_imp"),
        )
    },
    **dict.fromkeys(
        ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg"), _only_in_trec_eval("requires judgment groups", "-R qrels_jg ")
    ),
    # ir_measures
    "SetP": Foreign(alone="P"),
    "SetR": Foreign(alone="R"),
    "SetRelP": Foreign(alone="RelativeP"),
    "SetF": Foreign(refused="takes beta squared in ir_measures", hint="use F or F(beta=2)"),
    "Accuracy": Foreign(
        refused="means a share of pairs in ir_measures, but Success in BEIR", hint="use Success@10, or Bpref for pairs"
    ),
    **dict.fromkeys(
        (
            *("alpha_DCG", "α_DCG", "nERR_IA", "NRBP", "nNRBP", "BPM", "INST", "INSQ", "SDCG", "Compat"),
            *("NERR8", "NERR9", "NERR10", "NERR11"),
        ),
        _ELSEWHERE,
    ),
    # ranx, BEIR
    "hits": Foreign(
        refused="is a mean over queries in ranx", hint="use NumRelRet for the total, or Success@10 for hit_rate@10"
    ),
    "hole": Foreign(
        refused="counts documents judged for any query in BEIR",
        hint="use Unjudged(over=k)@10, the documents unjudged for this query",
    ),
}


def native_spelling(name: str, version: TrecVersion = 10, *, any_case: bool = False) -> str | None:
    """Return the germane name for another tool's name, or None if it is not in the table above.

    >>> [native_spelling(name) for name in ("11pt_avg", "iprec_at_recall_0.10", "rbp", "P_10", "set_F.4", "RBP")]
    ['IPrecAvg(rounding=trec10)', 'IPrec(rounding=trec10)@0.10', 'RBP(p=0.9, by=query)', 'P@10', 'F(beta=2.0)', None]
    >>> native_spelling("11pt_avg", 9)
    'IPrecAvg(rounding=trec9)'
    >>> native_spelling("ndcg_cut")
    Traceback (most recent call last):
    germane.errors.MeasureError: missing number after ndcg_cut, which is several values in trec_eval
    Hint: use ndcg_cut_10, for example
    """
    match = None if name in FOREIGN else _NUMBERED.fullmatch(name)
    stem, number = (name, None) if match is None else (match["name"], match["number"])
    known = known_name(stem, FOREIGN) if any_case else stem
    if known is None or known not in FOREIGN:
        return None
    name, entry = known, FOREIGN[known]
    if entry.since > version:
        raise MeasureError(
            f"measure {name} does not exist in trec_eval {version}", hint=f"use `trec_version={entry.since}`"
        )
    if entry.refused is not None:
        why = f"expected a germane measure, found {name}, which {entry.refused}"
        raise MeasureError(why, hint=entry.hint.format(name=name))
    if number is not None:
        if entry.numbered is None:
            raise MeasureError(f"expected {name} without a number, found {number}", hint=entry.hint or None)
        return entry.numbered(number, version)
    if entry.alone is None and entry.takes:
        raise MeasureError(
            f"missing number after {name}, which is several values in trec_eval", hint=f"use {entry.takes}, for example"
        )
    return None if entry.alone is None else entry.alone.format(version=version)


def in_our_words(text: str) -> str:
    """Rewrite the suffixes that metric learning and ranx append to a measure as parameters.

    >>> in_our_words("MAP@R"), in_our_words("map@10-l2"), in_our_words("nDCG@10")
    ('AP(within=R)', 'map(rel=2)@10', 'nDCG@10')
    """
    if re.fullmatch(r"\s*(?:m?ap@r|map_at_r|mean_average_precision_at_r)\s*", text, re.IGNORECASE):
        return "AP(within=R)"  # R is not a number, so it cannot follow an @
    leveled = re.fullmatch(r"([^@()]+)(?:\((.*)\))?\s*(@[^@()]+)?-l(\d+)\s*", text, re.S)
    if leveled is None:
        return text
    name, inside, at, level = leveled.groups()
    return f"{name}({inside + ', ' if inside else ''}rel={level}){at or ''}"


def bracketed(text: str) -> str | None:
    """Return an example of how to write trec_eval's ``name.1=3,2=9`` or ``name.p=0.5`` here, for a hint.

    >>> bracketed("rbp.p=0.5"), bracketed("AP(rel=2)")
    ('RBP(p=0.5, by=query)', None)
    """
    written = {"ndcg": "nDCG(gain=1:3/2:9)", "dcg": "DCG(gain=1:3/2:9)"}
    written |= {"rbp": "RBP(p=0.5, by=query)", "rbp_resid": "RBPres(p=0.5)"}
    match = _PARAMETERS.fullmatch(text)
    return None if match is None else written.get(match["name"])
