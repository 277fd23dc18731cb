"""Other tools' spellings that imply parameters, and those that are refused since no measure here gives their number.

A spelling that stands for one of our measures as it is (``map``, ``recip_rank``) is among the names of that measure.
What is here is matched exactly, before case is folded, so that ``rbp`` is trec_eval's and ``RBP`` is ours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from germane.catalogue import known_name
from germane.errors import MeasureError

TrecVersion = Literal[9, 10]
"""Whose numbers trec_eval's names stand for: version 9.0.8 (which pytrec_eval and ir_measures embed) or 10.0."""

_NUMBERED = re.compile(r"(?P<name>.+?)[._](?P<number>\d*\.?\d+)")
_PARAMETERS = re.compile(r"\s*(?P<name>\w+?)[._][^=\s]+=.*")


class Foreign(NamedTuple):
    """How one name is read: alone, and with the number that trec_eval and pytrec_eval put behind it."""

    alone: str | None = None
    numbered: Callable[[str, TrecVersion], str] | None = None
    refused: str | None = None
    """Why it is not read, where it is not."""
    hint: str = ""
    since: TrecVersion = 9
    takes: str = ""
    """A name with a number, as an example for those that say nothing without one."""


def _cutoff(pattern: str) -> Callable[[str, TrecVersion], str]:
    return lambda number, _: pattern.format(number)


def _only_in_trec_eval(what: str, option: str = "") -> Foreign:
    return Foreign(refused=what, hint=f"germane trec_eval {option}-m {{name}} QRELS RUN prints it")


_ELSEWHERE = Foreign(
    refused="is a measure of ir_measures that germane does not have",
    hint="run `germane measures` for a list of those it has",
)


def _rbp_of_ranx(number: str, _: TrecVersion) -> str:
    p = number if "." in number else f"0.{number}"
    hint = f"write RBP(p={float(p)!r}), whose gains are at most 1"
    raise MeasureError(f"rbp.{number} adds up grades as they are in ranx", hint=hint)


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
    "11pt_avg": Foreign(alone="IPrecAvg(rounding=trec{version})", hint="write IPrecAvg(points=3), say"),
    "set_F": Foreign(alone="F", numbered=lambda squared, _: f"F(beta={math.sqrt(float(squared))!r})"),
    "utility": Foreign(alone="Utility", hint="write Utility(a=1, b=-1, c=0, d=0)"),
    "rbp": Foreign(alone="RBP(p=0.9, by=query)", numbered=_rbp_of_ranx, since=10),
    # refused
    **dict.fromkeys(("runid", "relstring"), _only_in_trec_eval("is a text in trec_eval, not a number")),
    **dict.fromkeys(
        ("binG", "G", "ndcg_rel", "Rndcg", "yaap", "num_nonrel_judged_ret", "ideal_dcg"),
        _only_in_trec_eval("is a measure of trec_eval alone"),
    ),
    "rbp_resid": Foreign(
        refused="is 0 in trec_eval where all that was retrieved is judged, however short the ranking",
        hint="write RBPres(p=0.9), or germane trec_eval -m rbp_resid QRELS RUN",
    ),
    **{
        f"prefs_{name}": _only_in_trec_eval("needs preferences in place of grades", "-R prefs ")
        for name in (
            *("num_prefs_poss", "num_prefs_ful", "num_prefs_ful_ret", "simp", "pair", "avgjg", "avgjg_Rnonrel"),
            *("simp_ret", "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret", "simp_imp", "pair_imp", "avgjg_imp"),
        )
    },
    **dict.fromkeys(
        ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg"), _only_in_trec_eval("needs judgment groups", "-R qrels_jg ")
    ),
    # ir_measures
    "SetP": Foreign(alone="P"),
    "SetR": Foreign(alone="R"),
    "SetRelP": Foreign(alone="RelativeP"),
    "SetF": Foreign(refused="takes beta squared in ir_measures", hint="write F, or F(beta=2)"),
    "Accuracy": Foreign(
        refused="is a share of pairs in ir_measures, and Success in BEIR", hint="write Success@10, or Bpref for pairs"
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
        refused="is a mean over queries in ranx", hint="write NumRelRet for the total, or Success@10 for hit_rate@10"
    ),
    "hole": Foreign(
        refused="counts documents judged for any query in BEIR",
        hint="write Unjudged(over=k)@10: documents not judged for this query",
    ),
}


def native_spelling(name: str, version: TrecVersion = 10, *, any_case: bool = False) -> str | None:
    """What stands here for another tool's name; None where it is not one of those in the table above.

    >>> [native_spelling(name) for name in ("11pt_avg", "iprec_at_recall_0.10", "rbp", "P_10", "set_F.4", "RBP")]
    ['IPrecAvg(rounding=trec10)', 'IPrec(rounding=trec10)@0.10', 'RBP(p=0.9, by=query)', 'P@10', 'F(beta=2.0)', None]
    >>> native_spelling("11pt_avg", 9)
    'IPrecAvg(rounding=trec9)'
    >>> native_spelling("ndcg_cut")
    Traceback (most recent call last):
    germane.errors.MeasureError: ndcg_cut stands for several values in trec_eval
    Hint: name one of them: ndcg_cut_10
    """
    match = None if name in FOREIGN else _NUMBERED.fullmatch(name)
    stem, number = (name, None) if match is None else (match["name"], match["number"])
    known = known_name(stem, FOREIGN) if any_case else stem
    if known is None or known not in FOREIGN:
        return None
    name, entry = known, FOREIGN[known]
    if entry.since > version:
        raise MeasureError(f"trec_eval {version} has no measure {name}", hint=f"use `trec_version={entry.since}`")
    if entry.refused is not None:
        why = f"expected a measure of germane, found {name}, which {entry.refused}"
        raise MeasureError(why, hint=entry.hint.format(name=name))
    if number is not None:
        if entry.numbered is None:
            raise MeasureError(f"expected {name}, found {name} with the number {number}", hint=entry.hint or None)
        return entry.numbered(number, version)
    if entry.alone is None and entry.takes:
        raise MeasureError(f"{name} stands for several values in trec_eval", hint=f"name one of them: {entry.takes}")
    return None if entry.alone is None else entry.alone.format(version=version)


def in_our_words(text: str) -> str:
    """What metric learning and ranx write at the end of a measure, as a parameter.

    >>> in_our_words("MAP@R"), in_our_words("map@10-l2"), in_our_words("nDCG@10")
    ('AP(within=R)', 'map(rel=2)@10', 'nDCG@10')
    """
    if re.fullmatch(r"\s*(?:m?ap@r|map_at_r|mean_average_precision_at_r)\s*", text, re.IGNORECASE):
        return "AP(within=R)"  # R is no number that could follow an @
    leveled = re.fullmatch(r"([^@()]+)(?:\((.*)\))?\s*(@[^@()]+)?-l(\d+)\s*", text, re.S)
    if leveled is None:
        return text
    name, inside, at, level = leveled.groups()
    return f"{name}({inside + ', ' if inside else ''}rel={level}){at or ''}"


def bracketed(text: str) -> str | None:
    """How trec_eval's ``name.1=3,2=9`` or ``name.p=0.5`` is written here, for a hint.

    >>> bracketed("rbp.p=0.5"), bracketed("AP(rel=2)")
    ('RBP(p=0.5, by=query)', None)
    """
    written = {"ndcg": "nDCG(gain=1:3/2:9)", "dcg": "DCG(gain=1:3/2:9)"}
    written |= {"rbp": "RBP(p=0.5, by=query)", "rbp_resid": "RBPres(p=0.5)"}
    match = _PARAMETERS.fullmatch(text)
    return None if match is None else written.get(match["name"])
