"""Canonical names of classification measures, as used in results."""

from __future__ import annotations

import re

from germane.catalogue import known_name, nearest_entry
from germane.errors import MeasureError, unknown
from germane.measures.decisions.measure import CONSTRAINED, DECISION_MEASURES, DecisionMeasure
from germane.measures.decisions.rates import RATES, Rate

PARTS_OF_BRIER = ("uncertainty", "within(binned)", "miscalibration(binned)", "discrimination(binned)")
"""Components of the Brier score's decomposition, which are not measures of their own."""
PROBABILITIES = ("probabilities", "probability table")
"""Inputs of measures of probabilities."""


def canonical_name(text: str) -> str:
    """Return the canonical name of a rate or any other classification measure.

    >>> [canonical_name(text) for text in ("recall", "f1", "roc_auc", "EER(at=hull)", "cost", "brier_score_loss")]
    ['TPR', 'F1', 'AUC', 'EER(at=hull)', 'cost', 'Brier']
    >>> canonical_name("TPR@FPR=1%"), canonical_name("precision(at_recall=0.9)")
    ('TPR(at_fpr=0.01)', 'PPV(at_tpr=0.9)')
    >>> canonical_name("MCX")
    Traceback (most recent call last):
    germane.errors.MeasureError: unknown measure 'MCX'; did you mean MCE?
    Hint: run `germane measures` for a list
    """
    if (part := known_name(text.strip(), PARTS_OF_BRIER)) is not None:
        return part
    name, arguments, *_ = DECISION_MEASURES.read(text)
    # Kappa of four cells is a rate; with weights it is a measure of the whole matrix.
    if name in RATES and (not arguments or name not in DECISION_MEASURES or RATES.accepts(text)):
        rate = RATES[name]
        # Required parameters may come from elsewhere, as those of `cost` do.
        return rate.name if rate.needs_parameters and not arguments else str(RATES.parse(text))
    if name not in DECISION_MEASURES:
        near = nearest_entry(name, RATES, DECISION_MEASURES)
        raise unknown("measure", name, (), near=near, error=MeasureError, hint=DECISION_MEASURES.lists)
    chosen = DECISION_MEASURES.parse(text)
    # Keep the parameters that were typed even at their defaults, so that results are named as requested.
    return chosen.written_with(key for key, _ in arguments)


def describe(name: str) -> tuple[str, str]:
    """Return the input of a measure in a result ("" for predicted labels), and its other names.

    The input of a measure of one class, or of an average, is "groups".

    >>> describe("AUC"), describe("TPR")
    (('scores', ''), ('', 'sensitivity, recall, hit rate, CAR, GAR'))
    """
    if name.endswith("]"):
        return "groups", ""
    measure, rate = DECISION_MEASURES.find(base_name(name)), rate_named(name)
    of = "probabilities" if name in PARTS_OF_BRIER else "" if measure is None else measure.of
    others = "" if rate is None else ", ".join(rate.names) or rate.title
    shown = {"scores": "scores", "label scores": "scores"} | dict.fromkeys(PROBABILITIES, "probabilities")
    return shown.get(of, ""), others


def entry_named(name: str) -> Rate | DecisionMeasure:
    """Return the entry of a canonical name with its parameters; one that requires parameters may lack them.

    >>> entry_named("F2"), entry_named("kappa"), entry_named("kappa(weights=linear)").of, entry_named("cost").name
    (F2, kappa, 'matrix', 'cost')
    """
    base = base_name(name)
    if base in RATES:
        if name == base and RATES[base].needs_parameters:
            return RATES[base]
        if name == base or RATES.accepts(name):
            return RATES.parse(name)
    return DECISION_MEASURES.parse(name)


def lower_is_better(name: str) -> bool:
    """Return whether lower values of a measure are better, given its name in results."""
    entry: Rate | DecisionMeasure | None = rate_named(name) or DECISION_MEASURES.find(base_name(name))
    if base_name(name) == CONSTRAINED:
        entry = DECISION_MEASURES.parse(name.partition("[")[0])
    return entry is not None and entry.better == "lower"


def rate_named(name: str) -> Rate | None:
    """Return the rate with this name in results, or None."""
    return RATES[name] if base_name(name) in RATES else None


def base_name(name: str) -> str:
    """Return a name in results without its parameters, and without the class or average in brackets.

    >>> base_name("F1[macro]"), base_name("ECE(bins=10)"), base_name("TPR(at_fpr=0.01)")
    ('F1', 'ECE', 'rate_at')
    """
    measure = name.partition("[")[0]
    return CONSTRAINED if re.search(r"[(,] ?at_\w+=", measure) else measure.partition("(")[0]
