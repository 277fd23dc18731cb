"""What a measure of decisions is called in results, however somebody writes it."""

from __future__ import annotations

import re

from germane.errors import MeasureError, did_you_mean
from germane.measures.deciding.rates import RATES, parse_rate, plain_name, rate_of
from germane.measures.deciding.registry import all_deciding


def canonical_name(text: str) -> str:
    """The name of a rate or of any other measure of decisions.

    >>> [canonical_name(text) for text in ("recall", "f1", "roc_auc", "EER(at=hull)", "cost")]
    ['TPR', 'F1', 'AUC', 'EER(at=hull)', 'cost']
    >>> canonical_name("MCX")
    Traceback (most recent call last):
    germane.errors.MeasureError: no measure of decisions is called 'MCX'; did you mean MCE?
    Hint: `germane measures` lists them
    """
    base, bracket, rest = (part.strip() for part in text.partition("("))
    try:
        return str(parse_rate(text))
    except MeasureError:
        if plain_name(base) in {plain_name(alias) for rate in RATES.values() for alias in (rate.name, *rate.names)}:
            if bracket:
                raise
            return rate_of(base).name  # its parameters come from elsewhere, as those of the cost do
    known = {plain_name(alias): entry.name for entry in all_deciding() for alias in (entry.name, *entry.names)}
    if plain_name(base) not in known:
        raise MeasureError(
            f"no measure of decisions is called {base!r}{did_you_mean(base, [*RATES, *known.values()])}",
            hint="`germane measures` lists them",
        )
    return known[plain_name(base)] + bracket + rest


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
