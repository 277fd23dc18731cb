"""Rules that choose a threshold, and how a person writes them.

====================================  ==================================================================
OBJECTIVE                             the threshold at which it is best
OBJECTIVE where TARGET and TARGET …   the best among the thresholds that meet every target
rule-out TARGET, rule-in TARGET       two thresholds, with an undecided zone between
====================================  ==================================================================

An objective is ``accuracy``, ``youden``, ``closest``, ``weighted(tpr=.7)``, ``cost(cost_fn=5)`` or any rate, such as
``F2`` or ``MCC``; a target is a rate, a sign and a number: ``TNR>=.9``, ``predicted<=5%``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from germane.errors import MeasureError, did_you_mean
from germane.measures.deciding.expressions import Expression
from germane.measures.deciding.rates import RATES, ChosenRate, Rate, name_and_parameters, parse_rate
from germane.stats.threshold_aims import BestRule, Objective, PairRule, Rule, Target
from germane.tables.spelling import written

THRESHOLD_RULES: dict[str, RuleEntry] = {}
"""Every kind of rule by its name, as help and documentation list them."""

_OBJECTIVES: dict[str, Callable[[Mapping[str, float]], Objective]] = {}


@dataclass(frozen=True)
class RuleEntry:
    """One kind of rule: how it is written, and what it does."""

    name: str
    example: str
    description: str


def _objective(name: str, example: str) -> Callable[[Callable[[Mapping[str, float]], Objective]], Any]:
    """Register an objective; the first paragraph of its docstring describes it."""

    def register(function: Callable[[Mapping[str, float]], Objective]) -> Any:
        _OBJECTIVES[name] = function
        THRESHOLD_RULES[name] = RuleEntry(name, example, " ".join((function.__doc__ or "").split()))
        return function

    return register


@_objective("accuracy", "accuracy")
def accuracy(given: Mapping[str, float]) -> Objective:
    """The most items right. Under extreme prevalence that may be to call nothing positive."""
    return _of_rate("accuracy", RATES["ACC"], given)


@_objective("youden", "youden")
def youden(given: Mapping[str, float]) -> Objective:
    """The highest sum of sensitivity and specificity: TPR + TNR − 1, Youden's J."""
    summed = _of_rate("youden", RATES["informedness"], given)
    return replace(summed, words="highest sum of sensitivity and specificity (TPR + TNR - 1)")


@_objective("closest", "closest")
def closest(given: Mapping[str, float]) -> Objective:
    """The point of the ROC curve that is closest to (0, 1). Not the same as Youden's."""
    _only((), "closest", given)
    squared = Expression("(FN / (TP + FN)) ** 2 + (FP / (FP + TN)) ** 2")
    return Objective("closest", "least squared distance from (0, 1) in ROC space", squared, "lower")


@_objective("weighted", "weighted(tpr=0.7)")
def weighted(given: Mapping[str, float]) -> Objective:
    """The highest weighted sum of sensitivity and specificity: w·TPR + (1 − w)·TNR, w given as `tpr`."""
    _only(("tpr",), "weighted", given)
    if "tpr" not in given or not 0 <= given["tpr"] <= 1:
        raise MeasureError("weighted needs tpr, the weight of TPR from 0 to 1", hint="write weighted(tpr=.7)")
    formula = Expression("tpr * TP / (TP + FN) + (1 - tpr) * TN / (TN + FP)")
    w = given["tpr"]
    return Objective(
        f"weighted(tpr={written(w)})", f"highest {w:g} TPR + {1 - w:g} TNR", formula, parameters=dict(given)
    )


@_objective("cost", "cost(cost_fp=1, cost_fn=5, prevalence=0.01)")
def cost(given: Mapping[str, float]) -> Objective:
    """The lowest expected cost of an item, from the costs of a false positive and a false negative (1 each if not
    given) and the prevalence (that of the data if not given)."""
    rate = RATES["cost"]
    filled = rate.filled({"prevalence": 0.5, **given})
    words = f"lowest expected cost: {filled['cost_fp']:g} a false positive, {filled['cost_fn']:g} a false negative"
    if "prevalence" in given:
        words += f", prevalence {given['prevalence']:g}"
        chosen = ChosenRate(rate, given)
        return Objective(str(chosen), words, rate.expression, "lower", filled, chosen)
    # With the data's own prevalence it is the mean cost of an item: a fraction of whole numbers, without rounding.
    mean = Expression("(cost_fp * FP + cost_fn * FN) / (TP + FP + FN + TN)")
    costs = {name: filled[name] for name in ("cost_fp", "cost_fn")}
    return Objective(str(ChosenRate(rate, given)), f"{words}, prevalence of the data", mean, "lower", costs)


def any_rate(text: str) -> Objective:
    """Any rate at its best, which for an error rate is the lowest: F2, MCC, kappa, HTER, net_benefit(act_at=0.1)."""
    chosen = parse_rate(text)
    return _of_rate(str(chosen), chosen.rate, chosen.parameters)


def parse_rule(text: str | Rule) -> Rule:
    """What a person types.

    >>> print(parse_rule("sensitivity where specificity > 90%"))
    TPR where TNR > 0.9
    >>> print(parse_rule("rule-out TPR>=.95, rule-in TNR>=.95"))
    rule-out TPR >= 0.95, rule-in TNR >= 0.95
    """
    if not isinstance(text, str):
        return text
    if re.match(r"\s*rule[- ]?(in|out)\b", text, flags=re.I):
        return _pair(text)
    wanted, *rest = re.split(r"\s+where\s+", text.strip(), maxsplit=1, flags=re.I)
    if re.search(r"[<>≤≥]", wanted):
        raise MeasureError(
            f"{text!r} says what to reach, not what is best among the thresholds that reach it",
            hint=f"write '{'TNR' if wanted.startswith(('TPR', 'recall', 'sens')) else 'TPR'} where {wanted}', say",
        )
    name, given = name_and_parameters(wanted)
    make = _OBJECTIVES.get(name.casefold())
    targets = tuple(map(parse_target, re.split(r"\s+and\s+", rest[0], flags=re.I))) if rest else ()
    try:
        return BestRule(make(given) if make else any_rate(wanted), targets)
    except MeasureError as problem:
        if make or "no rate is called" not in problem.message:
            raise
        known = [*(alias for rate in RATES.values() for alias in (rate.name, *rate.names)), *_OBJECTIVES]
        raise MeasureError(
            f"no rule and no rate is called {name!r}{did_you_mean(name, known)}",
            hint=f"a rule is written like {', '.join(repr(entry.example) for entry in THRESHOLD_RULES.values())}",
        ) from None


def parse_target(text: str) -> Target:
    """A rate, a sign and a number.

    >>> print(parse_target("recall ≥ 90%"))
    TPR >= 0.9
    """
    match = re.fullmatch(r"([^<>≤≥]+)(>=|<=|≥|≤|>|<)\s*([-+]?[\d.]+(?:[eE][-+]?\d{1,3})?)\s*(%?)", text.strip())
    try:
        if match is None:
            raise ValueError
        limit = Fraction(match[3][:400]) / (100 if match[4] else 1)
    except ValueError:
        raise MeasureError(
            f"expected a rate, >= or <=, and a number, such as TNR>=.9; found {text.strip()!r}"
        ) from None
    sign = {"≥": ">=", "≤": "<="}.get(match[2], match[2])
    target = Target(parse_rate(match[1].strip()), sign, limit)  # type: ignore[arg-type]
    low, high = target.chosen.rate.bounds
    if not low <= limit <= high:
        raise MeasureError(f"{target} asks for what cannot be: {target.chosen} lies between {low:g} and {high:g}")
    return target


def _pair(text: str) -> PairRule:
    found: dict[str, Target] = {}
    for part in re.split(r",\s*(?=rule)|\s+and\s+(?=rule)", text.strip(), flags=re.I):
        match = re.fullmatch(r"rule[- ]?(in|out)\s+(.+)", part, flags=re.I | re.S)
        if match is None or match[1].lower() in found:
            found.clear()
            break
        found[match[1].lower()] = parse_target(match[2])
    if set(found) != {"in", "out"}:
        example = THRESHOLD_RULES["rule-out, rule-in"].example
        raise MeasureError(f"expected both, one target each, as in {example!r}; found {text.strip()!r}")
    for side, rates in (("out", _RULES_OUT), ("in", _RULES_IN)):
        target = found[side]
        if rates.get(target.chosen.rate.name) != target.at_least:
            hint = " or ".join(f"{name}{'>=' if up else '<='}…" for name, up in rates.items())
            raise MeasureError(f"{target} does not rule {side}", hint=f"for rule-{side} write {hint}")
    return PairRule(found["out"], found["in"])


_RULES_OUT = {"TPR": True, "NPV": True, "FNR": False, "FOR": False}
_RULES_IN = {"TNR": True, "PPV": True, "FPR": False, "FDR": False}

THRESHOLD_RULES |= {
    entry.name: entry
    for entry in (
        RuleEntry("rate", "F2", " ".join((any_rate.__doc__ or "").split())),
        RuleEntry(
            "where",
            "TPR where TNR>=0.9",
            "The best among the thresholds that meet a target, or several joined by `and`: highest sensitivity with "
            "specificity at least .9. 'TPR where PPV>=0.8' and 'TNR where NPV>=0.99' aim at a predictive value.",
        ),
        RuleEntry(
            "rule-out, rule-in",
            "rule-out TPR>=0.95, rule-in TNR>=0.95",
            "Two thresholds. Rule-out is the highest with TPR (or NPV) at its target: below it, no. Rule-in is the "
            "lowest with TNR (or PPV) at its target: at or above it, yes. What lies between is undecided.",
        ),
    )
}


def _of_rate(text: str, rate: Rate, given: Mapping[str, float]) -> Objective:
    filled = rate.filled(given)
    if rate.better == "neither":
        raise MeasureError(
            f"neither more nor less of {rate.name} is better", hint=f"as a target it serves: TPR where {rate.name}<=.1"
        )
    end = "highest" if rate.better == "higher" else "lowest"
    chosen = ChosenRate(rate, given)
    return Objective(text, f"{end} {chosen} ({rate.title})", rate.expression, rate.better, filled, chosen)


def _only(known: tuple[str, ...], name: str, given: Mapping[str, float]) -> None:
    for parameter in given:
        if parameter not in known:
            raise MeasureError(f"{name} has no parameter {parameter!r}{did_you_mean(parameter, known)}")
