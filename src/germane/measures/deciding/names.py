"""What a measure of decisions is called in results, however somebody writes it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from germane.errors import MeasureError, did_you_mean
from germane.measures.deciding.rates import RATES, parse_rate, plain_name, rate_of
from germane.measures.deciding.registry import all_deciding

SCIKIT_LEARN_ENDING = r"(?i)[_ ](?:score|loss)$"
"""Its functions say in their names whether more is better; few measures here are called so."""


def canonical_name(text: str) -> str:
    """The name of a rate or of any other measure of decisions.

    The names of scikit-learn's functions do as well: what ends in ``_score`` or ``_loss`` is looked up without that.

    >>> [canonical_name(text) for text in ("recall", "f1", "roc_auc", "EER(at=hull)", "cost", "brier_score_loss")]
    ['TPR', 'F1', 'AUC', 'EER(at=hull)', 'cost', 'Brier']
    >>> canonical_name("MCX")
    Traceback (most recent call last):
    germane.errors.MeasureError: no measure of decisions is called 'MCX'; did you mean MCE?
    Hint: `germane measures` lists them
    """
    known = {plain_name(alias): entry.name for entry in all_deciding() for alias in (entry.name, *entry.names)}
    base, bracket, rest = (part.strip() for part in text.partition("("))
    written = base
    while not _is_known(base, known) and (shorter := re.sub(SCIKIT_LEARN_ENDING, "", base)) != base:
        base, text = shorter, shorter + bracket + rest
    try:
        return str(parse_rate(text))
    except MeasureError:
        if _is_rate(base):
            if bracket:
                raise
            return rate_of(base).name  # its parameters come from elsewhere, as those of the cost do
    if plain_name(base) not in known:
        raise MeasureError(
            f"no measure of decisions is called {written!r}{nearest_name(base)}",
            hint="`germane measures` lists them",
        )
    return known[plain_name(base)] + bracket + rest


def nearest_name(text: str, others: Mapping[str, str] | None = None) -> str:
    """The end of a message: our own name, also where another name is nearest; `others` has names beside decisions'.

    >>> nearest_name("ROC"), nearest_name("sensitivty"), nearest_name("kapa", {"AP_IA": "AP_IA"}), nearest_name("wxyz")
    ('; did you mean AUC?', '; did you mean TPR?', '; did you mean kappa?', '')
    """
    own = {alias: rate.name for rate in RATES.values() for alias in (rate.name, *rate.names)}
    own |= {alias: entry.name for entry in all_deciding() for alias in (entry.name, *entry.names)}
    own |= others or {}
    near = did_you_mean(text, own).removeprefix("; did you mean ").removesuffix("?")
    return f"; did you mean {own[near]}?" if near else ""


def _is_known(base: str, known: Collection[str]) -> bool:
    return plain_name(base) in known or _is_rate(base) or re.fullmatch(r"[fF]\d*\.?\d+", base) is not None


def _is_rate(base: str) -> bool:
    return plain_name(base) in {plain_name(alias) for rate in RATES.values() for alias in (rate.name, *rate.names)}


def split_names(text: str) -> list[str]:
    """Names with blanks or commas between them, as a person types several.

    >>> split_names("AUC F1, EER(at=hull)")
    ['AUC', 'F1', 'EER(at=hull)']
    """
    return re.findall(r"[^\s,(]+(?:\([^)]*\))?", text)


def lower_is_better(name: str) -> bool:
    """Whether less of a measure is better, by its name in results."""
    base = name.partition("(")[0]
    if base in RATES or base.startswith("F"):
        return (RATES[base] if base in RATES else RATES["F"]).better == "lower"
    return next((entry.better == "lower" for entry in all_deciding() if entry.name == base), False)
